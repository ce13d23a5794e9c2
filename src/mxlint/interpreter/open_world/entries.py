"""Entries besides module level: compiled functions that nothing calls, functions and methods that nothing in sight calls.

A class gets the most general client: an object made with symbolic arguments, then its methods. Parameters are what their annotation, default and
uses say; one of a compiled function of which nothing is known is an array.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Final, TypeAlias

from mxlint.domain.arrays import Array
from mxlint.domain.heap import ALIVE
from mxlint.domain.members import NONE, Bound, Const, External, Ref, Tuple, Value, members, scalar_type
from mxlint.domain.place import Place
from mxlint.facts.values import UnknownValue
from mxlint.finding import Span
from mxlint.interpreter.calls.callables import is_wrapper
from mxlint.interpreter.calls.relevance import Reach, compiling_names
from mxlint.interpreter.compiled import making, sinks, tracing, writes
from mxlint.interpreter.compiled.keys import cache_key
from mxlint.interpreter.containers.builders import any_number, new_list
from mxlint.interpreter.containers.elements import ITEMS
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.generators.awaiting import awaited
from mxlint.interpreter.generators.iterators import POSITION
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import describe, journal
from mxlint.interpreter.machine.reach import arrays_in, each_place
from mxlint.interpreter.objects.annotations import alternatives, named
from mxlint.interpreter.objects.lookup import BASES, class_attribute, fields_of, module_frame, mro
from mxlint.interpreter.open_world import defaults, preparing
from mxlint.interpreter.open_world.presumptions import presume
from mxlint.interpreter.open_world.uses import WORDS, by_use
from mxlint.models.load import bases, kind_of, model
from mxlint.models.load import names as known_names
from mxlint.source import Source
from mxlint.syntax import ir

SCALARS: Final = {"int": "int", "float": "float", "bool": "bool", "str": "str", "bytes": "bytes", "complex": "complex"}


def guarded_run(i: Interpreter, run: object) -> None:
    """Run an entry from the present state, and take back what it wrote."""
    mark = i.heap.mark()
    try:
        with i.contained():
            run()  # type: ignore[operator]
    finally:
        writes.note_kept(i, mark)
        i.heap.undo(mark)
        i.modes.differentiating = False
        i.modes.entered_alone = False
        i.modes.thread = None


def kept_run(i: Interpreter, run: object) -> None:
    """Run something whose effects stay, unless it does not come to its end."""
    mark = i.heap.mark()
    done: list[bool] = []

    def inner() -> None:
        run()  # type: ignore[operator]
        done.append(True)

    delta: list[object] = []

    def keep() -> None:
        inner()
        delta.append(i.heap.changes(mark))

    guarded_run(i, keep)
    if delta:
        i.heap.apply(delta[0])  # type: ignore[arg-type]


def trace_uncalled(i: Interpreter, frame: Frame, known: Collection[int] = ()) -> None:
    """Trace the compiled functions that nothing called so far, with what their parameters most likely are; those in `known` are left for later.
    What another file makes while it is imported is left to the run over that file, which sees its calls."""
    used = {record.object for record in journal(i).records if type(record).__name__ in ("Call", "Trace")}
    used |= {record.object for record in journal(i).records if type(record).__name__ == "Note" and record.object is not None}
    traced = i.ledger.traced_alone
    for number in list(journal(i).compiled):
        if number in used or number in traced or number in known or i.info(number).payload.imported:  # type: ignore[attr-defined]
            continue
        traced.add(number)
        guarded_run(i, partial(_trace, i, number, frame))


def _trace(i: Interpreter, number: int, frame: Frame) -> None:
    function = i.heap.get(number, "fun") or NONE
    ref, bound, names = making.target(i, function)
    if ref is None:
        return
    info = i.info(ref.oid).payload
    assert isinstance(info, FunctionInfo)
    if info.generator or info.is_async:
        return
    place = i.info(number).place
    assert isinstance(place, Place)
    args = arguments(i, ref, info, bound, names, compiled_function=True)
    positional = [param.name for param in info.node.params[bound:] if not param.star and not param.kwonly and param.name not in names]
    journal(i).assumed[number] = {
        name: described
        for name, value in (*zip(positional, args.args), *args.keywords.items())
        if not isinstance(described := describe(i, value), UnknownValue)
    }
    key = cache_key(i, args, False, place, lambda name, given: False)
    tracing.trace_call(i, Ref(number), function, args, key, place, frame)


def call_compiled_alone(i: Interpreter, compiled_object: Ref, turn: int, frame: Frame) -> None:
    """Call a compiled object that nothing in sight calls, with arguments that are other ones in each `turn`."""
    ref, bound, names = making.target(i, i.heap.get(compiled_object.oid, "fun") or NONE)
    place = i.info(compiled_object.oid).place
    info = i.info(ref.oid).payload if ref is not None else None
    if ref is None or not isinstance(info, FunctionInfo) or info.generator or info.is_async or not isinstance(place, Place):
        return
    i.modes.entered_alone = True
    with i.within(("entry", place, turn)):
        i.call(compiled_object, arguments(i, ref, info, bound, names, compiled_function=True), place, frame)


def arguments(
    i: Interpreter, ref: Ref, info: FunctionInfo, bound: int, names: frozenset[str], *, compiled_function: bool = False
) -> Arguments:
    """Arguments for a function that nothing in sight calls."""
    given: list[Value] = []
    places: list[Place] = []
    keywords: dict[str, Value] = {}
    more: dict[str, Value] = {}
    for param in info.node.params[bound:]:
        if param.name in names:
            continue
        place = Place(info.source, param.start, param.end)
        if param.star:
            if not compiled_function:
                more[param.star] = i.symbolic(place, "parameter", param.name, source="parameter")
            continue
        value = presumed(i, ref, info, param, place, compiled_function=compiled_function)
        if param.kwonly:
            keywords[param.name] = value
        else:
            given.append(value)
            places.append(place)
    keyword_places = {name: Place(info.source, info.node.start, info.node.end) for name in keywords}
    return Arguments(given, keywords, more.get("*"), more.get("**"), places, keyword_places)


def presumed(i: Interpreter, ref: Ref, info: FunctionInfo, param: ir.Param, place: Place, *, compiled_function: bool) -> Value:
    """What a parameter is taken to be: by its annotation, else by its default, else an array of a compiled function, or symbolic."""
    default = i.heap.get(ref.oid, ("default", param.name))
    annotated = _annotated(i, ref, param.annotation, param.name, place, default)
    if annotated is not None:
        return annotated
    if default is not None:
        if default in (NONE, Tuple(())):  # who leaves nothing out gives something else
            return choices.any_of(i, (default, i.symbolic(place, "parameter", param.name, source="parameter")), place, default=0)
        if isinstance(default, Const):
            return _of_default(i, default, param.name, place)
        return default
    if not compiled_function and (used := _used(i, ref, info, param.name)) is not None:
        return _by_use(i, used, param, place)
    if compiled_function and param.annotation is None:
        return presume(i, Array(i.ident(place, "parameter"), None, None, None), param.name)
    return i.symbolic(place, "parameter", param.name, source="parameter")


def _used(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> External | None:
    """The same as `by_use`, asked once."""
    if (ref.oid, name) not in i.ledger.uses:
        i.ledger.uses[ref.oid, name] = by_use(i, ref, info, name)
    return i.ledger.uses[ref.oid, name]


def _by_use(i: Interpreter, cls: External, param: ir.Param, place: Place) -> Value:
    """An instance of the class that the uses of a parameter ask for: what is written on it hangs on that presumption."""
    made = some_object(i, cls, place)
    if made is None:
        return i.symbolic(place, "parameter", param.name, source="parameter")
    words = i.ledger.presumed
    for _, _, member in each_place(i, (made,)):
        if isinstance(member, Ref):
            words[member.oid] = f"`{param.name}` is {WORDS[cls]}"
    return made


def _of_default(i: Interpreter, default: Const, name: str, place: Place) -> Value:
    """What somebody gives of the type of a default."""
    kinds = frozenset((type(default.value).__name__,))
    return defaults.keep(i, i.symbolic(place, "parameter", name, kinds, "parameter"), default)


def _annotated(i: Interpreter, ref: Ref, annotation: ir.Expr | None, name: str, place: Place, default: Value | None = None) -> Value | None:
    """What a parameter or field is by its annotation; None if that does not say, or not of each alternative."""
    kinds: list[str] = []
    found: list[Value] = []
    for part in alternatives(i, ref, annotation):
        if isinstance(part, ir.Const) and part.value is None:
            kinds.append("NoneType")
        elif isinstance(part, ir.Name) and part.id in SCALARS:
            kinds.append(SCALARS[part.id])
        elif (value := _instance(i, named(i, ref, part), place)) is not None:
            found.append(value)
        elif (kind := _of_list(i, ref, part)) is not None:
            found.append(
                new_list(i, any_number(i.symbolic(place, "element", kinds=frozenset((kind,)), source="parameter")), place, "parameter")
            )
        elif _is_container(i, ref, part):
            found.append(i.symbolic(place, "container", name, source="parameter"))
        else:
            return None
    if kinds == ["NoneType"]:
        found.append(NONE)
    elif kinds:
        words = " or ".join("None" if kind == "NoneType" else _article(kind) for kind in kinds)
        found.append(defaults.keep(i, i.symbolic(place, "parameter", name, frozenset(kinds), "parameter", f"`{name}` is {words}"), default))
    scalar = isinstance(default, Const) and bool(kinds)
    return choices.any_of(i, found, place, default=len(found) - 1 if scalar else None) if found else None


LISTS: Final = frozenset(("builtins.list", "typing.List"))


def _of_list(i: Interpreter, ref: Ref, annotation: ir.Expr) -> str | None:
    """The kind of the numbers or texts of which an annotation says that a parameter is a list."""
    if not isinstance(annotation, ir.Sub) or not isinstance(annotation.index, ir.Name):
        return None
    head = named(i, ref, annotation.value)
    built_in = head is None and isinstance(annotation.value, ir.Name) and annotation.value.id == "list"
    is_list = built_in or isinstance(head, External) and head.name in LISTS
    return SCALARS.get(annotation.index.id) if is_list else None


ITERABLE: Final = "collections.abc.Iterable"


def _is_container(i: Interpreter, ref: Ref, annotation: ir.Expr) -> bool:
    """Whether an annotation says that a parameter is a container of Python: a class that is made of an iterable, or an abstract one of such."""
    head = annotation.value if isinstance(annotation, ir.Sub) else annotation
    known = named(i, ref, head)
    built_in = f"builtins.{head.id}" if known is None and isinstance(head, ir.Name) else ""
    name = known.name if isinstance(known, External) else built_in
    found = model(name) if name else None
    return found is not None and found.kind == "class" and (bool(found.iterates) or ITERABLE in bases(found.name))


def _instance(i: Interpreter, cls: Value | None, place: Place) -> Value | None:
    """An instance of a class that an annotation names, of which something is known."""
    if isinstance(cls, External) and cls.name == "mlx.core.array":
        return Array(i.ident(place, "parameter"), None, None, None)
    if isinstance(cls, Ref) and _is_protocol(i, cls):
        return i.symbolic(place, "protocol", source="parameter")
    if isinstance(cls, Ref) or isinstance(cls, External) and cls.name.startswith(("mlx.nn.", "mlx.optimizers.")):
        return some_object(i, cls, place)
    return None


PROTOCOLS: Final = frozenset(("typing.Protocol", "typing_extensions.Protocol"))


def _is_protocol(i: Interpreter, cls: Ref) -> bool:
    """Whether a class only says what objects of other classes have."""
    held = i.heap.get(cls.oid, BASES)
    bases = held.items or () if isinstance(held, Tuple) else ()
    return any(isinstance(base, External) and base.name in PROTOCOLS for value in bases for base in members(value))


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def some_object(i: Interpreter, cls: Ref | External, place: Place) -> Value | None:
    """An object of a class, made with symbolic arguments; None if making one ends nowhere."""
    making = i.ledger.making
    samples = i.ledger.samples
    key = cls.oid if isinstance(cls, Ref) else cls.name
    if key in samples:
        return samples[key]
    if key in making:
        return None
    if isinstance(cls, External):
        return _handed_over(i, i.call(cls, Arguments((), {}, star=i.symbolic(place, "argument")), place, _any_frame(i)))
    making.add(key)
    try:
        initializer = class_attribute(i, cls, "__init__")
        args = Arguments()
        if isinstance(initializer, Ref) and isinstance(info := i.info(initializer.oid).payload, FunctionInfo):
            args = arguments(i, initializer, info, 1, frozenset())
        elif fields_of(i, cls):
            args = Arguments((), _fields(i, cls, place), kwstar=i.symbolic(place, "field"))
        mark = i.heap.mark()
        try:
            made = _handed_over(i, i.call(cls, args, place, module_frame(i, Ref(next(iter(i.modules.values()))))))
        except Halt:
            i.heap.undo(mark)
            return None
        i.ledger.given |= {member.oid for member in members(made) if isinstance(member, Ref)}
        return made
    finally:
        making.discard(key)


def _fields(i: Interpreter, cls: Ref, place: Place) -> dict[str, Value]:
    """What the fields of a dataclass or named tuple hold whose defaults or annotations say of which kind they are."""
    found: dict[str, Value] = {}
    written = i.ledger.annotations
    for name, default, takes in fields_of(i, cls):
        with i.within(("field", name)):  # all fields have one place
            value = _field(i, cls, name, default, written, place) if takes else None
        if value is not None:
            found[name] = value
    return found


def _field(
    i: Interpreter, cls: Ref, name: str, default: Value | None, written: Mapping[tuple[int, str], ir.Expr], place: Place
) -> Value | None:
    if isinstance(default, Const) and default.value is not None:
        return _of_default(i, default, name, place)
    for base in mro(i, cls):
        annotation = written.get((base.oid, name)) if isinstance(base, Ref) else None
        if isinstance(base, Ref) and annotation is not None:
            return _annotated(i, base, annotation, name, place, default)
    return None


def _handed_over(i: Interpreter, made: Value) -> Value:
    """An object that somebody out of sight makes: who makes one may compute its arrays before the object is used."""
    for array in arrays_in(i, made):
        sinks.computed(i, array)
    return made


def _any_frame(i: Interpreter) -> Frame:
    return module_frame(i, Ref(next(iter(i.modules.values()))))


Function: TypeAlias = tuple[Ref, Ref | None, Ref | None]
"""A function; the class whose objects are its first argument; the class that is its first argument."""


def functions(i: Interpreter, source: Source, module: int) -> Iterator[Function]:
    """The functions and methods of a file."""
    for field, value in list(i.heap.fields(module).items()):
        if not isinstance(field, str):
            continue
        for member in members(value):
            if isinstance(member, Ref):
                yield from _functions(i, source, member, set())


def _functions(i: Interpreter, source: Source, member: Ref, seen: set[int]) -> Iterator[Function]:
    if member.oid in seen:
        return
    seen.add(member.oid)
    info = i.info(member.oid)
    if info.kind == "function" and isinstance(info.payload, FunctionInfo) and info.payload.source is source:
        yield member, None, None
    elif info.kind == "class" and getattr(info.payload, "source", None) is source:
        for name, value in list(i.heap.fields(member.oid).items()):
            if not isinstance(name, str):
                continue
            for inner in members(value):
                if not isinstance(inner, Ref):
                    continue
                bound = None
                if i.info(inner.oid).kind == "descriptor":
                    bound = i.info(inner.oid).payload
                    setter = i.heap.get(inner.oid, "fset")
                    if isinstance(setter, Ref) and i.info(setter.oid).kind == "function":
                        yield setter, member, None
                    held = i.heap.get(inner.oid, "fget")
                    inner = held if isinstance(held, Ref) else inner
                if i.info(inner.oid).kind == "function" and bound in ("staticmethod", "classmethod"):
                    yield inner, None, member if bound == "classmethod" else None
                elif i.info(inner.oid).kind == "function":
                    yield inner, member, None
                elif i.info(inner.oid).kind == "class":
                    yield from _functions(i, source, inner, seen)
    elif info.kind in ("cached", "partial"):
        held = i.heap.get(member.oid, "__wrapped__") or i.heap.get(member.oid, "func")
        for inner in members(held) if held is not None else ():
            if isinstance(inner, Ref):
                yield from _functions(i, source, inner, seen)


def reaching(i: Interpreter, source: Source, module: int) -> Callable[[ir.Node], bool]:
    """Which functions of a file may make or call something compiled, directly or through other functions, by the names that they call or hand on."""
    found = i.project.symbols(source, i.tracers)
    names = {field for cell in i.heap.cells for field, value in cell.items() if isinstance(field, str) and _holds_compiled(i, value)}
    starts = (*(site.start for site in found.sites), *found.perhaps)
    within = [block for block in found.blocks if any(block.start <= start < block.end for start in starts)]
    making = {(block.start, block.end) for block in within if block.kind != "module"}
    defined = {block.name.rpartition(".")[2] for block in within if block.kind in ("function", "class")}
    names |= defined
    names |= {name for block in within for name in block.writes}
    handed = {name for start, name in found.kept if name and start in starts} | defined
    tracers = frozenset(i.tracers)
    called: dict[tuple[int, int], set[str]] = {}
    for name, value in i.heap.fields(module).items():
        if isinstance(name, str):
            for span in _spans(i, source, value):
                called.setdefault(span, set()).add(name)
            if _is_tracer(value, tracers) or _imports_compiling(i, source, value):
                names.add(name)
    imported = compiling_names(i, source)
    names |= imported.pop(0, set())
    local: list[frozenset[str]] = []
    for number, block in enumerate(found.blocks):
        local.append((local[block.parent] if block.parent >= 0 else frozenset()) | imported.get(number, frozenset()))
    for span in making:
        names |= called.get(span, set())
    changed = True
    while changed:
        changed = False
        for block, here in zip(found.blocks, local):
            span = (block.start, block.end)
            if (block.reads | block.attributes) & names:  # what it gives to a thread runs where that is started
                names.update(*(_starting()[made] for made in block.calls & _starting().keys()))
            if (
                block.kind in ("function", "lambda")
                and span not in making
                and (block.calls & names or block.calls & here or block.hands & handed)
            ):
                making.add(span)
                outer = block
                while outer.parent >= 0 and found.blocks[outer.parent].kind in ("function", "lambda"):
                    outer = found.blocks[outer.parent]
                    making.add((outer.start, outer.end))
                names |= block.writes  # what it made may lie there
                last = outer.name.rpartition(".")[2]
                if not last.startswith("__"):
                    names.add(last)
                    handed.add(last)
                names |= called.get(span, set())
                changed = True
    return lambda node: (node.start, node.end) in making


@cache
def _starting() -> dict[str, frozenset[str]]:
    """The classes of which an object calls later what it is given, by their last names, with the methods that begin it."""
    found: dict[str, frozenset[str]] = {}
    for cls in known_names("threading"):
        made = model(cls)
        if kind_of(cls) == "class" and made is not None and any(call.times == "later" for call in made.calls):
            methods = (name for name in ("start", "run") if (method := model(f"{cls}.{name}")) is not None and method.effect is not None)
            found[cls.rpartition(".")[2]] = frozenset(methods)
    return found


def callers_first(i: Interpreter, source: Source, found: Iterable[Function]) -> list[Function]:
    """The functions of a file, each before those that it names, or whose class it names: what runs in a call is not run alone. What names each
    other is in the order of the text."""
    blocks = i.project.symbols(source, i.tracers).blocks
    named: dict[str, set[str]] = {}
    called: dict[str, set[str]] = {}
    outermost: list[str] = [""]
    for block in blocks[1:]:
        outermost.append(block.name if block.parent == 0 else outermost[block.parent])
        named.setdefault(outermost[-1], set()).update(block.reads)
        called.setdefault(block.name, set()).update(f"{block.name.rpartition('.')[0]}.{name}" for name in block.calls)
    outer, inner = ({name: number for number, name in enumerate(_in_order(graph))} for graph in (named, called))

    def place(function: Function) -> tuple[int, int]:
        name = i.info(function[0].oid).payload.qualname  # type: ignore[attr-defined]
        return outer.get(name.partition(".")[0], len(outer)), inner.get(name, len(inner))

    return sorted(found, key=place)


def _in_order(graph: Mapping[str, Collection[str]]) -> list[str]:
    """Names, each before those that it names."""
    position = {name: number for number, name in enumerate(graph)}
    done: dict[str, None] = {}
    begun: set[str] = set()
    todo = list(graph)
    while todo:
        name = todo[-1]
        if name in begun:
            todo.pop()
            done.setdefault(name)
        else:
            begun.add(name)
            todo += sorted((other for other in graph[name] if other in position and other not in begun), key=position.__getitem__)
    return list(reversed(done))


def _spans(i: Interpreter, source: Source, value: Value) -> Iterator[tuple[int, int]]:
    """Where the functions of a file stand that a value may be."""
    for member in members(value):
        info = i.info(member.oid).payload if isinstance(member, Ref) else None
        if isinstance(info, FunctionInfo) and info.source is source:
            yield info.node.start, info.node.end


def _is_tracer(value: Value, tracers: Collection[str]) -> bool:
    """Whether a value is `mx.compile`, under whatever name."""
    return any(isinstance(member, External) and member.name in tracers for member in members(value))


def _imports_compiling(i: Interpreter, source: Source, value: Value) -> bool:
    """Whether a value is a function or class of another file that comes to something compiled."""
    for member in members(value):
        info = i.info(member.oid) if isinstance(member, Ref) else None
        if info is not None and info.kind in ("function", "class") and getattr(info.payload, "source", source) is not source:
            return Reach(i, (member,)).compiled
    return False


MADE_OF: Final = frozenset(("transform", "partial", "cached"))
"""Kinds of callables that call others which they hold."""


def _holds_compiled(i: Interpreter, value: Value) -> bool:
    """Whether a value is a compiled object, or a callable that is made of one."""
    todo, seen = [value], set[int]()
    while todo:
        for member in members(todo.pop()):
            kind = i.info(member.oid).kind if isinstance(member, Ref) else ""
            if kind == "compiled":
                return True
            if isinstance(member, Ref) and kind in MADE_OF and member.oid not in seen:
                seen.add(member.oid)
                todo += i.heap.fields(member.oid).values()
    return False


def compile_all(i: Interpreter, source: Source, module: int, frame: Frame) -> None:
    """Compile each function and method of a file, and trace it with what its parameters most likely are."""
    for ref, cls, owner in list(functions(i, source, module)):
        info = i.info(ref.oid).payload
        assert isinstance(info, FunctionInfo)
        place = Place(source, info.node.start, info.node.end)

        def run(ref: Ref = ref, cls: Ref | None = cls, owner: Ref | None = owner, place: Place = place) -> None:
            bound: Value = (
                ref if cls is None and owner is None else Bound(owner if owner is not None else i.symbolic(place, "self", "self"), ref)
            )
            making.make(i, Arguments((bound,), places=(place,)), place, frame)
            trace_uncalled(i, frame)

        guarded_run(i, run)


def _unreached(i: Interpreter, function: FunctionInfo, reached: Collection[Span]) -> bool:
    """Whether a function compiles something at a site that no run has come to."""
    sites = i.project.symbols(function.source, i.tracers).sites
    inside = [site for site in sites if site.form != "reference" and function.node.start <= site.start < function.node.end]
    return any(function.source.span(site.start, site.end) not in reached for site in inside)


def enter(i: Interpreter, function: Function, frame: Frame) -> None:
    """Run a function with symbolic arguments: one that nothing has entered, or in which something is compiled that nothing has come to."""
    ref, cls, owner_class = function
    info = i.info(ref.oid).payload
    assert isinstance(info, FunctionInfo)
    entered = i.ledger.entered
    reached = {fact.site.span for fact in journal(i).compiled.values()}
    again = id(info.node) in i.ledger.run
    if id(info.node) in entered or again and not _unreached(i, info, reached) or is_wrapper(i, info):
        return
    entered.add(id(info.node))

    owner: Value | None = None
    if cls is not None and info.node.params and info.name != "__new__":
        owner = sample(i, cls, Place(info.source, info.node.start, info.node.end))
    if not again and (id(info.node) in i.ledger.run or _is_compiled(i, ref, info)):
        return

    known = frozenset(journal(i).compiled)
    i.ledger.counting[id(info.node)] = False
    ended: list[bool] = []

    def run() -> None:
        place = Place(info.source, info.node.start, info.node.end)
        given: list[Value] = [] if owner_class is None else [owner_class]
        if cls is not None and info.node.params and info.name != "__new__":
            given.append(owner if owner is not None else i.symbolic(place, "self", "self"))
        if id(info.node) in i.ledger.prepared and not prepare_owner(i, info, cls, owner, frame, others=True):
            return
        mark = i.heap.mark()
        value = called_alone(i, (ref, info), given, 1, frame)
        ended.append(True)
        i.ledger.counting[id(info.node)] = leaves_another_count(i, mark)
        for member in members(value):
            if isinstance(member, Ref) and i.info(member.oid).kind == "function":
                inner = i.info(member.oid).payload
                if isinstance(inner, FunctionInfo) and id(inner.node) not in entered:
                    entered.add(id(inner.node))
                    i.call(member, arguments(i, member, inner, 0, frozenset()), place, frame)
        trace_uncalled(i, frame, known)

    noted = journal(i).mark()
    guarded_run(i, run)
    if i.spent:
        i.ledger.unfinished.add(id(info.node))
    elif owner is not None and cls is not None and (not ended or journal(i).mark()[:2] == noted[:2]):
        i.ledger.prepared[id(info.node)] = _enough(i, function, info, owner, frame)
        guarded_run(i, run)
    if again:
        journal(i).forget_sites(known, reached)


def _enough(i: Interpreter, function: Function, info: FunctionInfo, owner: Value, frame: Frame) -> int | None:
    """The public method after which alone a method comes to something compiled and to its end, by the identity of its node; None if there is none."""
    ref, cls, _ = function
    assert cls is not None
    found: list[int | None] = []

    def comes() -> bool:
        noted = journal(i).mark()[:2]
        try:
            called_alone(i, (ref, info), (owner,), 1, frame)
        except Halt:
            return False
        return journal(i).mark()[:2] != noted

    def run() -> None:
        found.append(preparing.enough(i, cls, owner, lambda other, its: called_alone(i, (other, its), (owner,), 0, frame), comes))

    checkpoint = i.checkpoint()
    guarded_run(i, run)
    i.forget(checkpoint)
    return found[0] if found else None


def prepare_owner(i: Interpreter, info: FunctionInfo, cls: Ref | None, owner: Value | None, frame: Frame, *, others: bool) -> bool:
    """Run the methods of a class that fill what is empty of the object of another one, where that comes to nothing compiled without them, or to no end.
    `others`: so may those that it takes none of."""
    if cls is None or owner is None or id(info.node) not in i.ledger.prepared:
        return False
    enough = i.ledger.prepared[id(info.node)]
    return preparing.prepare(
        i, cls, owner, info, enough, lambda ref, other: called_alone(i, (ref, other), (owner,), 0, frame), others=others
    )


def _is_compiled(i: Interpreter, ref: Ref, info: FunctionInfo) -> bool:
    """Whether a function, private to its file, is that of a compiled object: who calls that runs it."""
    if not info.name.startswith("_") or info.name.endswith("__") or i.project.named_elsewhere(info.name, info.source):
        return False
    return any(making.target(i, i.heap.get(number, "fun") or NONE)[0] == ref for number in journal(i).compiled)


def leaves_another_count(i: Interpreter, mark: int) -> bool:
    """Whether an object that is older holds another number since, where it held one or nothing; whether the content of a list is another one, or
    an iterator has gone on."""
    before: dict[tuple[int, object], Value | None] = {}
    for (oid, field), value in i.heap.trail[mark:]:
        before.setdefault((oid, field), value)
    made = {oid for (oid, field), value in before.items() if field == ALIVE and value is None}
    return any(
        _counts(value, now) if field != ITEMS and field != POSITION else value is not None
        for (oid, field), value in before.items()
        if oid not in made and i.info(oid).kind in COUNTING and (now := i.heap.get(oid, field)) != value
    )


COUNTING: Final = frozenset(("instance", "class", "dict", "list", "module", "iterator"))
"""Kinds of objects that hold counters."""


def _counts(before: Value | None, now: Value | None) -> bool:
    """Whether a number lies where a number, None or nothing lay."""
    held = before if before is not None and before != NONE else now
    return held is not None and any(scalar_type(member) in ("int", "float") for member in members(held))


def sample(i: Interpreter, cls: Ref, place: Place) -> Value | None:
    """The object of a class that nothing in sight makes: all its methods see the same; None if making one ends nowhere."""
    samples = i.ledger.samples
    if cls.oid not in samples:
        keep: list[Value | None] = []
        kept_run(i, lambda: keep.append(some_object(i, cls, place)))
        samples[cls.oid] = keep[0] if keep else None
    return samples[cls.oid]


def called_alone(
    i: Interpreter, function: tuple[Ref, FunctionInfo], given: Sequence[Value], turn: int, frame: Frame, through: Ref | None = None
) -> Value:
    """Call a function that nothing in sight calls with symbolic arguments, other ones in each `turn`, after those that are `given`; `through`: what is
    called in its place."""
    ref, info = function
    place = Place(info.source, info.node.start, info.node.end)
    i.modes.entered_alone = True
    with i.within(("entry", place, turn)):
        args = arguments(i, ref, info, len(given), frozenset())
        every = Arguments(
            (*given, *args.args), args.keywords, args.star, args.kwstar, ((place,) * len(given)) + args.places, args.keyword_places
        )
        return _to_its_end(i, i.call(through or ref, every, place, frame), place, frame)


def _to_its_end(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    """What a call gives, a generator being iterated and a coroutine awaited: who calls such a function does that."""
    for member in members(value):
        if isinstance(member, Ref) and i.info(member.oid).kind == "generator":
            i.iterate(member, lambda _: None, place, frame)
        elif isinstance(member, Ref) and i.info(member.oid).kind == "coroutine":
            return awaited(i, member, place, frame)
    return value
