"""One file from its top: module level in order, then every function that makes or calls a compiled object, then what was never called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from mxlint.syntax import ir
from mxlint.tracing import attribute, compiling, execute, interest, presume
from mxlint.tracing import call as calls
from mxlint.tracing.events import Record
from mxlint.tracing.machine import Machine, OutOfBudget
from mxlint.tracing.spelling import says_compile, whole_words
from mxlint.tracing.values import (
    UNKNOWN,
    BoundV,
    ClassV,
    CompiledV,
    DictV,
    Frame,
    FuncV,
    Instance,
    Lazy,
    ListV,
    ModuleV,
    Opaque,
    Place,
    Scalar,
    Value,
    const,
    join,
    options,
)  # fmt: skip

if TYPE_CHECKING:
    from mxlint.project import Found
    from mxlint.source import Source
    from mxlint.tracing.chunks import Piece

ENTRY_BUDGET = 25_000
"""Steps for the module level, and for each function entered."""
FILE_BUDGET = 120_000
"""Steps for all of one file."""
RUN_BUDGET = 1_500_000
"""Steps for all files of a run, after which an entry may take no more than `LATE_BUDGET`: most take a few hundred."""
LATE_BUDGET = 1_500
LOAD_BUDGET = 500_000
"""Characters of other files that are looked at for one file."""
MAX_NESTED = 16
"""Nested functions that are entered although nothing calls them."""
MAX_DATA = 50_000
"""Characters of a statement beyond which it is data, such as a table, and unknown."""
TEXT_BUDGET = 300_000
"""Characters looked into for one file, those of the files that it imports included."""
CALLER_TEXT_BUDGET = 20_000
"""The same for a file that compiles nothing and only calls what others compile."""
SEARCH_BUDGET = 8_000
"""Steps at an entry into a function that does not compile by itself, before it has come to anything compiled."""
PROGRAM_BUDGET = 400
"""The same at any entry into a file that does not even import such a thing: most only load, convert and save."""


def run_file(m: Machine, source: Source, *, everything: bool = False) -> None:
    """Run a file. With `everything`, all functions and methods are taken to be compiled (for tests of robustness)."""
    compiles = interest.compiles_here(m, source)
    m.text_left = TEXT_BUDGET if compiles else CALLER_TEXT_BUDGET
    m.load_left = LOAD_BUDGET
    frame = module_frame(m, source, "__main__")
    budget = _Budget(m)
    cut = m.files.pieces(source)
    m.searching = not compiles and not _imports_handles(m, source, cut, budget)
    registered = _registered(cut, source.text)
    for chunk in cut:
        with budget:
            _chunk(m, chunk, frame)
            if chunk.name in registered:
                calls.force(frame, chunk.name, frame.fields[chunk.name])
    handles: set[str] = set()
    with budget:
        handles |= interest.imported_handles(m, source, frame)
    interesting = interest.of_file(m, source, frame, handles)
    objects = interest.mention(  # what a function does to one of these, something compiled may read
        {name for name, value in frame.fields.items() if isinstance(name, str) and isinstance(value, (Instance, DictV, ListV))}
    )
    budget.leads = interest.leads(m, source, lambda text: interesting(text) or objects(text))
    budget.mentions = interest.mention(interest.makers(m, source, frame, handles))
    # What compiles by itself comes before what calls it, while there is budget.
    for chunk in sorted(cut, key=lambda chunk: not says_compile(source.text, chunk.start, chunk.end)):
        if chunk.kind != "other" and chunk.name is not None and (everything or interesting(source.text[chunk.start : chunk.end])):
            _enter_chunk(m, chunk, frame, budget, interesting, everything)
    _finish(m, budget, 0)


class _Budget:
    """A context in which running out of steps, or nesting too deep for Python, ends one part of the run and not the file."""

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.left = FILE_BUDGET
        self.searches = False
        self.leads: Callable[[FuncV], bool] = lambda function: True
        self.mentions: Callable[[str], bool] = lambda text: False

    def into(self, function: Value | None) -> _Budget:
        """The same context, for one entry into a function. From one that does not compile by itself only that is followed which may come to it."""
        self.searches = not (isinstance(function, FuncV) and interest.has_site(function))
        self.m.follows = None
        if self.searches and isinstance(function, FuncV):
            shares = interest.shares(function, self.mentions)
            self.m.follows = lambda called, info: _is_init(called) or self.leads(called) or shares(info)
        return self

    def to_make(self, cls: ClassV, methods: list[FuncV]) -> _Budget:
        """The same for the constructor of a class, for the sake of these methods."""
        self.into(attribute.class_attribute(cls, "__init__")[1])
        self.m.follows = None if any(map(interest.has_site, methods)) else lambda called, info: self.leads(called)
        return self

    def __enter__(self) -> None:
        self.granted = min(ENTRY_BUDGET if self.m.files.steps < RUN_BUDGET else LATE_BUDGET, self.left)
        at_first = SEARCH_BUDGET if self.searches else ENTRY_BUDGET
        self.m.grant(self.granted, min(self.granted, PROGRAM_BUDGET if self.m.searching and not self.m.records else at_first))
        self.searches = False
        self.depth = self.m.journal.depth

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        m = self.m
        m.follows = None
        steps = self.granted - m.withheld - max(m.budget, 0)
        m.files.steps += steps
        self.left = max(0, self.left - steps)
        if kind is None or not issubclass(kind, (OutOfBudget, RecursionError)):
            return False
        m.journal.unwind(self.depth)
        m.loops.clear()
        m.guards.clear()
        m.attempts.clear()
        m.trace = None
        m.left = False
        m.depth = m.compares = m.protected = m.differentiating = m.swallowing = 0
        m.lost("budget" if kind is OutOfBudget else "nesting too deep")
        return True


# -- modules ----------------------------------------------------------------------------------------------------------


def module_frame(m: Machine, source: Source, name: str) -> Frame:
    frame = Frame(source=source, kind="module")
    frame.module = frame
    frame.fields.update({"__name__": const(name), "__file__": Scalar("str"), "#name": m.project.module_name(source)})
    return frame


def load(m: Machine, found: Found) -> Value:
    """The module of another file: its definitions wait until they are asked for."""
    known = m.modules.get(str(found.path))
    if known is not None:
        return known
    made = ModuleV(name=found.name)
    m.modules[str(found.path)] = made
    if found.source is None:
        return made
    m.load_left -= len(found.source.text)
    if m.load_left < 0:
        m.lost("budget")
        return made
    frame = made.frame = module_frame(m, found.source, found.name)
    frame.born = made.born = 0
    for chunk in m.files.pieces(found.source):
        if chunk.kind == "def" and not chunk.decorated:
            _chunk(m, chunk, frame)
            continue
        names = chunk.binds
        if names and "*" not in names:
            for name in names:
                present = frame.fields.get(name)
                frame.fields[name] = Lazy(make=_later(m, chunk, frame, name, present), decorated=chunk.kind == "class" and chunk.decorated)
        elif names or not chunk.plain:
            with m.apart():
                _chunk(m, chunk, frame)
    return made


def _later(m: Machine, chunk: Piece, frame: Frame, name: str, present: Value | None) -> Callable[[], Value]:
    """Run a piece of a module when one of the names that it binds is asked for."""

    def make() -> Value:
        waiting = frame.fields.pop(name, None)
        if present is not None:
            frame.fields[name] = calls.force(frame, name, present)
        with m.apart():
            _chunk(m, chunk, frame)
        value = calls.force(frame, name, frame.fields.get(name, UNKNOWN))
        del waiting
        if isinstance(value, (ListV, DictV)):
            for other in _fillers(m.files.pieces(frame.source), frame.source.text, name):
                if other.start != chunk.start:
                    for bound in other.binds:
                        calls.force(frame, bound, frame.fields.get(bound, UNKNOWN))
        return value

    return make


_DECORATED_BY = re.compile(r"@(\w+)")


def _fillers(pieces: Iterable[Piece], text: str, name: str) -> Iterator[Piece]:
    """The pieces of a module that put something into one of its containers when it is imported: loops, and what is decorated with a function that does."""
    fills = re.compile(rf"\b{re.escape(name)}\s*(?:\[[^]\n]*\]\s*=(?!=)|\.(?:append|extend|insert|update|setdefault)\(|[+|]=)")
    decorators = {piece.name for piece in pieces if piece.kind == "def" and fills.search(text, piece.start, piece.end)}
    for piece in pieces:
        if piece.kind == "other" and not piece.plain:
            if fills.search(text, piece.start, piece.end):
                yield piece
        elif piece.decorated and not decorators.isdisjoint(_decorators(piece, text)):
            yield piece


def _registered(pieces: Sequence[Piece], text: str) -> set[str]:
    """The classes of a file whose decorator, a function of that file, may put them into a container: they are not made only when they are asked for."""
    functions = {piece.name for piece in pieces if piece.kind == "def"}
    return {
        piece.name
        for piece in pieces
        if piece.kind == "class" and piece.name and piece.decorated and not functions.isdisjoint(_decorators(piece, text))
    }


def _decorators(piece: Piece, text: str) -> list[str]:
    """What a definition is decorated with."""
    return _DECORATED_BY.findall(re.split(r"\n(?:def|class|async) ", text[piece.start : piece.end], maxsplit=1)[0])


def _lowered(m: Machine, chunk: Piece, frame: Frame) -> ir.Body:
    """What a piece says, or an unknown statement beyond what may be looked into for one file."""
    if not m.files.is_run(frame.source, chunk):
        if chunk.size > (m.text_left if chunk.kind != "other" else min(m.text_left, MAX_DATA)):
            m.lost("budget")
            return (ir.UnknownStmt(chunk.start, chunk.end, chunk.binds),)
        m.text_left -= chunk.size
        m.tick_text(chunk.size)
    return m.files.body(frame.source, chunk)


def _chunk(m: Machine, chunk: Piece, frame: Frame) -> None:
    """Run one piece of a module: definitions wait until they are asked for."""
    if chunk.kind == "other" or chunk.decorated and chunk.kind == "def":
        execute.execute(m, _lowered(m, chunk, frame), frame)
    elif chunk.kind == "def":
        assert chunk.name is not None

        def lower(function: FuncV) -> None:
            body = _lowered(m, chunk, frame)
            if body and isinstance(body[0], ir.FuncDef):
                with m.apart():
                    made = execute.make_function(m, body[0], frame)
                function.node, function.defaults, function.place = made.node, made.defaults, made.place

        frame.fields[chunk.name] = FuncV(
            name=chunk.name, env=frame, source=frame.source, lower=lower, place=Place(frame.source, chunk.start, chunk.end)
        )
    else:
        assert chunk.name is not None
        frame.fields[chunk.name] = Lazy(make=lambda: _make_class(m, chunk, frame), decorated=chunk.decorated)


def _make_class(m: Machine, chunk: Piece, frame: Frame) -> Value:
    body = _lowered(m, chunk, frame)
    if not body or not isinstance(body[0], ir.ClassDef):
        return UNKNOWN
    with m.apart():
        made = execute.make_class(m, body[0], frame)
    if isinstance(made, ClassV):
        made.born = 0
    return made


# -- entries ----------------------------------------------------------------------------------------------------------


def _imports_handles(m: Machine, source: Source, cut: tuple[Piece, ...], budget: _Budget) -> bool:
    """Whether a file imports such at its top, or a class that compiles, seen before it is run."""
    frame = module_frame(m, source, "__main__")
    with budget:
        for chunk in cut:
            if chunk.plain:
                execute.execute(m, m.files.body(source, chunk), frame)
        handles = interest.imported_handles(m, source, frame)
        classes = [value for value in frame.fields.values() if isinstance(value, ClassV)]
        return bool(handles) or any(map(interest.compiles, chain.from_iterable(map(_methods, classes))))
    return False


def _enter_chunk(m: Machine, chunk: Piece, frame: Frame, budget: _Budget, interesting: Callable[[str], bool], everything: bool) -> None:
    value: Value = UNKNOWN
    with budget:
        assert chunk.name is not None
        value = calls.force(frame, chunk.name, frame.fields.get(chunk.name, UNKNOWN))
    for option in options(value):
        if isinstance(option, ClassV):
            _enter_class(m, option, frame, budget, interesting, everything)
        elif isinstance(option, FuncV):
            enter(m, option, (), frame, budget, everything)


def _is_init(function: FuncV) -> bool:
    return function.name.endswith(".__init__")


def _methods(cls: ClassV) -> Iterator[FuncV]:
    for value in list(cls.fields.values()):
        if isinstance(value, FuncV) and value.cls is cls:
            yield value


def _enter_class(m: Machine, cls: ClassV, frame: Frame, budget: _Budget, interesting: Callable[[str], bool], everything: bool) -> None:
    wanted = []
    for method in _methods(cls):
        node = method.node
        if node is not None and (everything or interesting(method.source.text[node.start : node.end])):
            wanted.append(method)
    for inner in list(cls.fields.values()):
        if isinstance(inner, ClassV) and inner.name.startswith(cls.name + "."):
            _enter_class(m, inner, frame, budget, interesting, everything)
    if not wanted:
        return
    owner: Value = Instance(cls=cls)  # one that nothing is known of, where its constructor takes too long
    with budget.to_make(cls, wanted):
        owner = generic_instance(m, cls, frame)
    for method in wanted:
        bound: tuple[Value, ...] = () if method.wrapper == "staticmethod" else (cls,) if method.wrapper == "classmethod" else (owner,)
        if _is_init(method) and isinstance(owner, Instance):
            continue
        enter(m, method, bound, frame, budget, everything)


def generic_instance(m: Machine, cls: ClassV, frame: Frame) -> Value:
    """The one object of a class that is made with unknown arguments."""
    if "#sample" not in cls.fields:
        cls.fields["#sample"] = UNKNOWN  # a class that makes itself finds nothing
        with m.apart():
            cls.fields["#sample"] = _generic_instance(m, cls, frame)
    sample: Value = cls.fields["#sample"]
    return sample


def _generic_instance(m: Machine, cls: ClassV, frame: Frame) -> Value:
    _, method = attribute.class_attribute(cls, "__init__")
    info = calls.CallInfo([], {}, frame, cls.place or Place(frame.source, 0, 0))
    if isinstance(method, FuncV):
        node = calls.node_of(method)
        if node is not None:
            info.args = [presume.host_value(m, method, p) for p in node.params[1:] if not p.star and not p.kwonly]
            info.keywords = {p.name: presume.host_value(m, method, p) for p in node.params[1:] if p.kwonly}
            info.places = [info.place] * len(info.args)
    owner = calls.instantiate(m, cls, info)
    if isinstance(owner, Instance):
        m.settle(owner)  # who makes the real one loads and computes its weights
        for name in _rewritten(cls) & owner.fields.keys():
            owner.fields[name] = join(owner.fields[name], Opaque(label=f"self.{name}"))
    return owner


_SELF_WRITE = re.compile(r"\bself\.(\w+)(?:\[[^\]]*\])?\s*(?::[^=\n]+)?(?:[-+*/@|&]|//|\*\*)?=(?!=)")


def _rewritten(cls: ClassV) -> set[str]:
    """The attributes that methods other than `__init__` assign: nobody knows what they hold when another method is entered."""
    names: set[str] = set()
    for method in _methods(cls):
        node = method.node
        if node is not None and not _is_init(method):
            names |= set(_SELF_WRITE.findall(method.source.text, node.start, node.end))
    return names


def enter(m: Machine, function: FuncV, bound: tuple[Value, ...], frame: Frame, budget: _Budget, everything: bool) -> None:
    """Run a function that nothing in sight has called, with unknown arguments, and take back what it wrote."""
    with budget.into(function):
        node = calls.node_of(function)
        if node is None or id(node) in m.entered and not everything and not _left_out(m, function.source, node):
            return
        m.epoch += 1
        epoch = m.epoch
        m.clocks.clear()
        depth = m.journal.depth
        m.journal.begin()
        place = function.place or Place(function.source, node.start, node.end)
        params = node.params[len(bound) :]
        args = [*bound, *(presume.host_value(m, function, p) for p in params if not p.star and not p.kwonly)]
        keywords = {p.name: presume.host_value(m, function, p) for p in params if p.kwonly}
        info = calls.CallInfo(args, keywords, frame, place, [place] * len(args), {}, False, None)
        try:
            m.made.clear()
            result = calls.call_function(m, function, info)
            for inner_node, scope in m.made[:MAX_NESTED]:
                if id(inner_node) not in m.entered and says_compile(function.source.text, inner_node.start, inner_node.end):
                    nested = FuncV(name=f"{function.name}.{inner_node.name}", env=scope, source=function.source, node=inner_node)
                    given = [presume.host_value(m, nested, p) for p in inner_node.params if not p.star and not p.kwonly]
                    calls.call_function(m, nested, calls.CallInfo(given, {}, frame, place, [place] * len(given), {}, False, None))
            if isinstance(result, FuncV) and result.node is not None and id(result.node) not in m.entered:
                inner = [presume.host_value(m, result, p) for p in result.node.params if not p.star and not p.kwonly]
                calls.call_function(m, result, calls.CallInfo(inner, {}, frame, place, [place] * len(inner), {}, False, None))
            if everything:
                target: Value = BoundV(bound[0], function) if bound else function
                made = compiling.make_compiled(
                    m, calls.CallInfo([target], {}, frame, place, [place], {}, False, None), "name", function.name
                )
                if isinstance(made, CompiledV):
                    made.record.shapeless = True
            _finish(m, None, epoch)
        finally:
            m.journal.unwind(depth + 1)
            m.journal.undo()


def _left_out(m: Machine, source: Source, node: ir.FuncDef | ir.Lambda) -> bool:
    """Whether the calls in sight of a function took it past something that it compiles, as a default of `compile=False` does."""
    made = [record.site for record in m.records if record.site.source is source]
    return any(not any(site.start <= at < site.end for site in made) for at in whole_words(source.text, node.start, node.end))


def _finish(m: Machine, budget: _Budget | None, epoch: int) -> None:
    """Trace the compiled functions of an epoch that nothing called."""
    called = {record.site for record in m.records if record.calls or record.differentiated or record.inlined}
    for record in list(m.records):
        if record.epoch != epoch or record.site in called or record.traces or m.compile_disabled:
            continue
        if budget is not None:
            with budget:
                trace_uncalled(m, record)
        else:
            trace_uncalled(m, record)


def trace_uncalled(m: Machine, record: Record) -> None:
    """Trace a compiled function, or each of those that it may be, with what its parameters most likely are."""
    frame = record.frame
    for function in options(record.function):
        trace = compiling.open_trace(m, record)
        try:
            info = presume.arguments(m, function, frame, record.site)
            if info is not None:
                compiling.run_body(m, record, trace, info, function)
        finally:
            compiling.close_trace(m, trace)
