"""The Python oracle: it records what CPython does, changes nothing of it, and tells what an abstract interpreter gets wrong."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
from oracle.compare import Report, compare
from oracle.model import FileRecording, Kind, Left, Observed, Point, PointKey, PointKind, Range, Recording, Step
from oracle.record import ProgramFailed, Record
from oracle.replay import ReplayedFile, ReplayedView, replay

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs run in forks")


class Program:
    """A recorded program, asked by its source text: `[…]` marks the place that is meant, in `find`."""

    def __init__(self, record: Record, folder: Path, main: str, **others: str) -> None:
        self.texts = {f"{name}.py": dedent(text).lstrip() for name, text in {"main": main, **others}.items()}
        for name, text in self.texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="")
        self.recording = record(folder)
        self.plain = record(folder, instrument=False)

    def file(self, name: str = "main.py") -> FileRecording:
        return self.recording.files[name]

    def range(self, text: str, part: str = "", file: str = "main.py") -> Range:
        """Where `part` of the text stands, all of it by default. The text stands once in the file."""
        assert self.texts[file].count(text) == 1, text
        start = self.texts[file].index(text) + text.index(part)
        return Range(start, start + len(part or text))

    def seen(self, text: str, part: str = "", kind: PointKind = "expression", file: str = "main.py") -> list[str]:
        return [str(item) for item in self.file(file).points[PointKey(*self.range(text, part, file), kind)].seen]

    def functions(self, file: str = "main.py") -> set[str]:
        return set(self.file(file).entered.values())

    def executed(self, text: str) -> bool:
        return self.range(text) in self.file().statements


def test_expressions_and_names(record: Record, tmp_path: Path) -> None:
    program = Program(
        record,
        tmp_path,
        """
        import math
        é = [1, 2.5, None, True, "text", b"x", (1, 2), {3}, {"k": 1}, 1j]
        for item in é:
            print((item))
        first, *others = é[1:3]
        more = (named := len(é)) + 1
        print(math.pi, f"{first:>{more}}")
        """,
    )
    every = ["int 1", "float 2.5", "None None", "bool True", "str 'text'", "bytes of length 1"]
    every += ["tuple of length 2", "set of length 1", "dict of length 1", "complex"]
    assert program.seen("for item", "item", "target") == program.seen("print((item))", "item") == every
    assert program.seen("é[1:3]") == ["list of length 2"]
    assert program.seen("first, *", "first", "target") == ["float 2.5"]
    assert program.seen("*others", "others", "target") == ["list of length 1"]
    assert program.seen("named := len(é)") == program.seen("(named :=", "named", "target") == ["int 10"]
    assert program.seen("math.pi") == ["float 3.141592653589793"]
    assert program.seen('f"{first:>{more}}"') == ["str '        2.5'"]


def test_functions_classes_and_instances_have_places(record: Record, tmp_path: Path) -> None:
    program = Program(
        record,
        tmp_path,
        """
        from dataclasses import dataclass
        from helper import make

        @dataclass(slots=True)
        class Point:
            x: int = 1

            def area(self, by=2, *rest, deep=None, **more):
                return self.x * by

        scale = lambda n: n + 1
        inner = make()
        point = Point()
        print(point.area(3, 4, deep=scale, z=0), inner(1), scale(2))
        """,
        helper="""
        def make():
            def inner(k):
                return k
            return inner
        """,
    )
    helper = program.range("def inner(k):\n        return k", file="helper.py")
    assert program.seen("inner = make()", "inner", "target") == [f"function make.<locals>.inner at helper.py:{helper.start}"]
    assert program.seen("scale = ", "scale", "target") == [f"function <lambda> at main.py:{program.range('lambda n').start}"]
    place = program.range("class Point").start
    assert program.seen("point = Point", "Point") == [f"class Point at main.py:{place}"]
    assert program.seen("self, by", "self", "parameter") == [f"instance Point at main.py:{place}"]
    assert program.seen("by=2", "by", "parameter") == ["int 3"]
    assert program.seen("*rest", "rest", "parameter") == ["tuple of length 1"]
    assert program.seen("**more", "more", "parameter") == ["dict of length 1"]
    assert program.seen("point.area") == [f"function Point.area at main.py:{program.range('def area').start}"]
    area = program.range("def area(self, by=2, *rest, deep=None, **more):\n        return self.x * by")
    assert [str(item) for item in program.file().points[PointKey(*area, "return")].seen] == ["int 3"]
    assert program.functions() == {"Point.area", "<lambda>"}
    assert program.functions("helper.py") == {"make", "make.<locals>.inner"}


def test_classes_that_are_being_made(record: Record, tmp_path: Path) -> None:
    program = Program(
        record,
        tmp_path,
        """
        class Base:
            def __init_subclass__(cls):
                print(cls.__name__)

        def make():
            class Inner(Base):
                pass
            return Inner

        print(type(make()), type)
        """,
    )
    place = program.range("class Inner").start
    assert program.seen("_subclass__(cls", "cls", "parameter") == [f"class make.<locals>.Inner at main.py:{place}"]
    assert program.seen("), type)", "type") == ["class builtins.type"]


def test_statements_exceptions_and_generators(record: Record, tmp_path: Path) -> None:
    program = Program(
        record,
        tmp_path,
        """
        def raising(n):
            if n:
                raise ValueError(n)
            else:
                return {}[n]

        def through(n):
            return raising(n)

        def numbers():
            got = yield 1
            print(got)
            yield 2

        for n in (0, 1):
            try:
                through(n)
            except (ValueError, KeyError) as error:
                print(error)
        running = numbers()
        next(running)
        running.send("sent")
        running.close()
        if not running:
            never = 1
        """,
    )
    file = program.file()
    left = {file.entered[function]: items for function, items in file.left.items()}
    both = {Left("builtins.ValueError", explicit=True), Left("builtins.KeyError", explicit=False)}
    assert left == {"raising": both, "through": both}
    assert program.seen("got = ", "got", "target") == ["str 'sent'"]
    assert program.executed("raise ValueError(n)") and program.executed("print(got)") and not program.executed("never = 1")


def test_pattern_captures(record: Record, tmp_path: Path) -> None:
    program = Program(
        record,
        tmp_path,
        """
        match {"k": [1, 2, 3]}:
            case {"k": [int(one), *others] as all_of}:
                print(one, others)
        """,
    )
    assert program.seen("int(one)", "one", "target") == ["int 1"]
    assert program.seen("*others", "others", "target") == ["list of length 2"]
    assert program.seen("all_of", kind="target") == ["list of length 3"]


def test_many_values_keep_their_kind(record: Record, tmp_path: Path) -> None:
    program = Program(record, tmp_path, 'for n in range(1000):\n    n\nfor s in ["x" * 1000, 2**70]:\n    s\n')
    (point,) = [point for key, point in program.file().points.items() if key == PointKey(*program.range("    n\n", "n"), "expression")]
    assert point.kinds == {Kind("int")} and Observed(Kind("int")) in point.seen and len(point.seen) < 20
    assert program.seen("    s\n", "s") == ["str of length 1000", "int"]


HARD_TO_KEEP = """
'''The module's text.'''
from __future__ import annotations
import enum, sys, traceback
class Colour(enum.Enum):
    '''Documented.'''
    RED = 1
    GREEN = 2
class Base:
    __slots__ = ("__hidden",)
    def __init__(self, v: missing = 1) -> missing:
        self.__hidden = v
    def get(self):
        return self.__hidden
class Derived(Base):
    def __init__(self):
        super().__init__(3)
    @classmethod
    def make(cls):
        '''Makes.'''
        return cls()
    @staticmethod
    def twice(n): return n * 2
    def get(self): return super().get() + __class__.twice(1)
def scope():
    x = 1
    def change():
        nonlocal x
        global shared
        x += 1; shared = x
        return sorted(locals())
    return change(), [x for x in range(x)], sorted(locals())
def rows():
    try:
        raise KeyError("gone")
    except KeyError:
        return [frame.lineno for frame in traceback.extract_tb(sys.exc_info()[2])]
def lines():
    try:
        rows.missing
    finally:
        print("finally")
def loop():
    for i in range(9):
        if i == 2: continue
        elif i == 4: break
    else:
        print("else")
    while i:
        i -= 1
    else:
        print("while else", i)
def generating():
    try:
        x = yield from (n for n in [1, 2])
        yield (yield x)
    except ValueError as e:
        yield str(e)
class Watching(dict):
    def __missing__(self, key): return key
    def __getattribute__(self, name): print("get", name); return super().__getattribute__(name)
    def __len__(self): print("len"); return 7
    def __eq__(self, other): print("eq"); return True
    def __hash__(self): print("hash"); return 1
    def __repr__(self): print("repr"); return "w"
    def __bool__(self): print("bool"); return False
    def __class_getitem__(cls, item): return cls
print(__doc__, Colour.__doc__, Derived.make.__doc__, list(Colour), Colour(1))
print(Derived.make().get(), scope(), shared, rows())
try:
    lines()
except AttributeError as error:
    print(error, [frame.lineno for frame in traceback.extract_tb(error.__traceback__)], error.__context__)
loop()
g = generating(); print(next(g), next(g), g.send(5), g.throw(ValueError("thrown")), list(g))
w = Watching(); w["k"] = 1; print(w["k"], w["other"], w is w, Watching[int]); x = w; [x for x in [w]]; (lambda q: q)(w)
a = b, *c = [1, 2, 3]; a[0:2] = [9]; print(a, b, c, a[-1:], (*a, *c), {**{1: 2}}, -1, 1 < 2 < 3, not a)
del a[0], c; print(sorted(n for n in globals() if not n.startswith("__")), f"{b!r:>{5}}{'x' 'y'}{b=}")
with open(__file__) as file, open(__file__) as other:
    print(len(file.readline()), __name__)
assert b, "not"
try:
    assert not b, f"{b}"
except AssertionError as error: print(error)
print([[i * j for j in range(i) if j] for i in range(4)], {i: i for i in "ab"}, {*"a"}, next(iter((i for i in "z"))))
raise SystemExit(3)
"""


def test_the_program_does_what_it_does_alone(record: Record, tmp_path: Path) -> None:
    program = Program(record, tmp_path, HARD_TO_KEEP)
    assert program.recording.output == program.plain.output != ""
    assert program.recording.raised == program.plain.raised == "SystemExit: 3"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_encodings_and_newlines(record: Record, tmp_path: Path, encoding: str, newline: str) -> None:
    text = f"# coding: {encoding.removesuffix('-sig')}\nä = 'ü'; value = len(ä)\nprint(value, ä)\n".replace("\n", newline)
    (tmp_path / "main.py").write_bytes(text.encode(encoding))
    file = record(tmp_path).files["main.py"]
    start = text.index("len(ä)")
    assert [str(item) for item in file.points[PointKey(start, start + 6, "expression")].seen] == ["int 1"]
    start = text.index("print")
    assert Range(start, start + len("print(value, ä)")) in file.statements


def test_a_program_that_is_killed_is_no_recording(record: Record, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    with pytest.raises(ProgramFailed, match="signal 9"):
        record(tmp_path)
    (tmp_path / "main.py").write_text("while True: pass\n")
    with pytest.raises(ProgramFailed, match="signal 14"):
        record(tmp_path, seconds=1)
    (tmp_path / "main.py").write_text("print(1)\n")
    assert record(tmp_path).output == "1\n"


@pytest.mark.mlx
@pytest.mark.skipif(importlib.util.find_spec("mlx") is None, reason="needs MLX")
def test_arrays_have_rank_and_dtype(record: Record, tmp_path: Path) -> None:
    program = Program(
        record,
        tmp_path,
        """
        import mlx.core as mx

        @mx.compile
        def step(x):
            return x.sum() * 2

        print(step(mx.ones((2, 3), dtype=mx.float16)))
        """,
    )
    assert program.seen("mx.ones((2, 3), dtype=mx.float16)") == program.seen("step(x)", "x", "parameter") == ["array rank 2 float16 (2, 3)"]
    assert program.seen("x.sum() * 2") == ["array rank 0 float16 ()"]
    assert program.recording.output == program.plain.output


# -- the comparison ----------------------------------------------------------------------------------------------------

COMPARED = """
def double(n):
    if n > 1:
        raise ValueError
    return n * 2

try:
    value = double(1)
    double(2)
except ValueError:
    print(value)
"""


@pytest.fixture
def compared(record: Record, tmp_path: Path) -> Program:
    return Program(record, tmp_path, COMPARED)


def flaws(report: Report) -> list[tuple[str, str]]:
    return [(flaw.kind, flaw.text) for flaw in report.flaws]


def report(program: Program, **changes: object) -> Report:
    """The comparison with an interpreter that knows all of the run but for the changes."""
    perfect = replay(program.recording)["main.py"]
    return compare(program.recording, {"main.py": replace(perfect, **changes)}, program.texts)  # type: ignore[arg-type]


def views(program: Program, text: str, view: ReplayedView) -> Mapping[PointKey, object]:
    return {**replay(program.recording)["main.py"].points, PointKey(*program.range(text), "expression"): view}


def test_who_knows_everything_is_exact(compared: Program) -> None:
    found = report(compared)
    assert (found.flaws, found.share_exact, found.tops) == ((), 1.0, 0)
    assert found.points == len(compared.file().points) > 10


def test_an_uncovered_value_is_told(compared: Program) -> None:
    view = ReplayedView(frozenset({Observed(Kind("int"), known=True, value=3)}))
    assert flaws(report(compared, points=views(compared, "n * 2", view))) == [("uncovered", "n * 2")]
    assert report(compared, points=views(compared, "n * 2", view)).share_exact < 1


HOLDING = """
class Box:
    def __init__(self, item):
        self.item = item

inner = [1, Box(None)]
held = {"a": (2.5, inner), 3: {"x"}, (1, 2): Box("b")}
print(held)
"""


def test_what_lies_in_values_is_recorded(record: Record, tmp_path: Path) -> None:
    program = Program(record, tmp_path, HOLDING)
    point = program.file().points[PointKey(*program.range("held = ", "held"), "target")]
    box = program.range(HOLDING[1 : HOLDING.index("inner")].rstrip())
    assert {"".join(map(str, path)): [str(item) for item in seen] for path, seen in point.inside.items()} == {
        "[key]": ["str 'a'", "int 3", "tuple of length 2"],
        "['a']": ["tuple of length 2"],
        "[3]": ["set of length 1"],
        "[value]": [f"instance Box at main.py:{box.start}"],
        "[key][0]": ["int 1"],
        "[key][1]": ["int 2"],
        "['a'][0]": ["float 2.5"],
        "['a'][1]": ["list of length 2"],
        "[3][element]": ["str 'x'"],
        "[value].item": ["str 'b'"],
        "['a'][1][0]": ["int 1"],
        "['a'][1][1]": [f"instance Box at main.py:{box.start}"],
    }


def test_what_lies_in_values_is_compared(record: Record, tmp_path: Path) -> None:
    program = Program(record, tmp_path, HOLDING)
    key = PointKey(*program.range("print(held)", "held"), "expression")
    perfect = replay(program.recording)["main.py"]
    inside = program.file().points[key].inside

    def told(parts: Mapping[tuple[Step, ...], tuple[Observed, ...]]) -> list[str]:
        view = replace(perfect.points[key], parts=parts)  # type: ignore[type-var]
        believed = {"main.py": replace(perfect, points={**perfect.points, key: view})}
        return [flaw.detail for flaw in compare(program.recording, believed, program.texts).flaws]

    assert told(inside) == []
    tuples, first = (Step("entry", "a"),), (Step("entry", "a"), Step("item", 0))
    assert told({**inside, first: (Observed(Kind("int")),)}) == ["expression, Name, in it ['a'][0]: float 2.5"]
    lost = {path: seen for path, seen in inside.items() if path[:1] != tuples}
    assert told(lost) == ["expression, Name, in it ['a']: tuple of length 2"]


def test_a_further_kind_is_not_exact(compared: Program) -> None:
    view = ReplayedView(frozenset(), also=frozenset({Kind("int"), Kind("None")}))
    found = report(compared, points=views(compared, "n * 2", view))
    assert (found.flaws, found.points - found.exact, [flaw.text for flaw in found.inexact]) == ((), 1, ["n * 2"])
    assert report(compared, points=views(compared, "n * 2", replace(view, also=frozenset({Kind("int")})))).share_exact == 1


def test_another_value_of_the_kind_is_vague(compared: Program) -> None:
    view = ReplayedView(frozenset(), also=frozenset({Kind("int")}))
    found = report(compared, points=views(compared, "n * 2", view))
    assert (found.share_exact, [flaw.text for flaw in found.vague]) == (1, ["n * 2"])
    assert report(compared).vague == ()


class Boasting(ReplayedView):
    """Says that it is exact."""

    def exact(self, kinds: frozenset[Kind]) -> bool:
        return True


def test_exact_is_what_the_listed_kinds_allow(compared: Program) -> None:
    for also, exact in ((Kind("int"), 1), (Kind("float"), 0)):
        view = Boasting(frozenset({Observed(Kind("int"), known=True, value=2)}), also=frozenset({also}))
        found = report(compared, points=views(compared, "n * 2", view))
        assert found.exact == found.points - 1 + exact
    recorded = FileRecording({(point := PointKey(0, 1, "expression")): Point("Name", (Observed(RANKED),))}, {}, frozenset(), {})
    for kind, exact in ((RANKED, 1), (Kind("array"), 0)):
        believed = ReplayedFile({point: Boasting(frozenset({Observed(RANKED)}), also=frozenset({kind}))}, (), ())
        assert compare(Recording({"main.py": recorded}, "", None), {"main.py": believed}).exact == exact


RANKED = Kind("array", rank=2, dtype="float32")


def test_a_top_needs_a_reason(compared: Program) -> None:
    found = report(compared, points=views(compared, "n * 2", ReplayedView(frozenset(), is_top=True, reason="a library without a model")))
    assert (found.flaws, found.tops, found.points - found.exact, found.reasons["a library without a model"]) == ((), 1, 1, 1)
    found = report(compared, points=views(compared, "n * 2", ReplayedView(frozenset(), is_top=True)))
    assert flaws(found) == [("unexplained top", "n * 2")]


def test_a_point_that_was_not_reached_is_told(compared: Program) -> None:
    perfect = replay(compared.recording)["main.py"].points
    kept = {key: view for key, view in perfect.items() if key != PointKey(*compared.range("n * 2"), "expression")}
    assert flaws(report(compared, points=kept)) == [("missing point", "n * 2")]


def test_a_function_that_was_not_entered_is_one_flaw(compared: Program) -> None:
    assert compared.functions() == {"double"}
    inside = compared.range("def double(n):\n    if n > 1:\n        raise ValueError\n    return n * 2")
    perfect = replay(compared.recording)["main.py"]
    points = {key: view for key, view in perfect.points.items() if not inside.start <= key.start < inside.end}
    reachable = [item for item in perfect.reachable if not inside.start < item.start < inside.end]
    found = report(compared, points=points, entered=(), reachable=reachable)
    assert [flaw.kind for flaw in found.flaws] == ["not entered"]


def test_a_statement_believed_unreachable_is_one_flaw(compared: Program) -> None:
    perfect = replay(compared.recording)["main.py"]
    lost = compared.range("if n > 1:\n        raise ValueError")
    reachable = [item for item in perfect.reachable if not lost.start <= item.start < lost.end]
    points = {key: view for key, view in perfect.points.items() if not lost.start <= key.start < lost.end}
    assert [flaw.kind for flaw in report(compared, points=points, reachable=reachable).flaws] == ["unreachable"]


def test_an_exception_that_was_not_expected_is_told(compared: Program) -> None:
    assert [(flaw.kind, flaw.detail) for flaw in report(compared, left={}).flaws] == [("exception", "builtins.ValueError")]


@pytest.mark.slow
def test_a_file_that_was_not_run_is_told(compared: Program) -> None:
    assert [flaw.kind for flaw in compare(compared.recording, {}, compared.texts).flaws] == ["unreachable"]
