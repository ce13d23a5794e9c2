"""Which functions of a file are entered, and in which order: those that may make or call something compiled, directly or through others.

Names decide: a function that calls `step` is a candidate if something compiled is found under the name `step`. Callers run before the functions that they call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from mxlint.domain.members import UNBOUND, External, Member, Ref, Tuple, Value, members
from mxlint.domain.parts import each_part
from mxlint.interpreter.calls.activations import Ran
from mxlint.interpreter.calls.relevance import compiling_names, reach_of
from mxlint.interpreter.machine.constructors import CONSTRUCTORS
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import FrameInfo
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.objects.lookup import CLASS, class_attribute, fields_of, mro
from mxlint.interpreter.objects.wrappers import implementations
from mxlint.interpreter.open_world import implicit_calls
from mxlint.interpreter.open_world.implicit_calls import ELSEWHERE, Span, Way, spans
from mxlint.models.load import kind_of, model
from mxlint.models.load import names as known_names
from mxlint.source import Source
from mxlint.syntax import ir
from mxlint.syntax.index import ANY, Block

Function: TypeAlias = tuple[Ref, Ref | None, Ref | None]
"""A function; the class whose objects are its first argument; the class or object that is its first argument."""


def functions(i: Interpreter, source: Source, module: int) -> Iterator[Function]:
    """The functions and methods of a file."""
    for field, value in list(i.heap.fields(module).items()):
        if not isinstance(field, str):
            continue
        for member in members(value):
            if isinstance(member, Ref):
                yield from _functions(i, source, member, set())


def classes(i: Interpreter, source: Source, module: int) -> list[Ref]:
    """The classes of a file, also those in others."""
    found: dict[Ref, None] = {}
    todo = [module]
    while todo:
        for name, value in i.heap.fields(todo.pop()).items():
            for member in members(value) if isinstance(name, str) else ():
                info = i.info(member.oid) if isinstance(member, Ref) and member not in found else None
                if (
                    isinstance(member, Ref)
                    and info is not None
                    and info.kind == "class"
                    and getattr(info.payload, "source", None) is source
                ):
                    found[member] = None
                    todo.append(member.oid)
    return list(found)


def decorated(i: Interpreter, source: Source, module: int) -> Iterator[Function]:
    """What decorators have put in the place of functions of a file, by the names that hold it: functions of other files that close over one of them, and
    objects that hold one of them and are called."""
    held = (member for field, value in i.heap.fields(module).items() if isinstance(field, str) for member in members(value))
    for member in dict.fromkeys(member for member in held if isinstance(member, Ref)):
        info = i.info(member.oid)
        if (
            info.kind == "function"
            and isinstance(info.payload, FunctionInfo)
            and info.payload.source is not source
            and is_closure(i, member)
        ):
            around = members(i.heap.get(member.oid, ("#", "parent")) or UNBOUND)
            if any(_holds_function(i, source, env) for env in around):
                yield member, None, None
        elif info.kind == "instance" and _holds_function(i, source, member):
            for cls in members(i.heap.get(member.oid, CLASS) or UNBOUND):
                method = class_attribute(i, cls, "__call__") if isinstance(cls, Ref) and i.info(cls.oid).kind == "class" else None
                if isinstance(method, Ref) and isinstance(i.info(method.oid).payload, FunctionInfo):
                    yield method, None, member


def _holds_function(i: Interpreter, source: Source, holder: Member) -> bool:
    """Whether an object or activation holds a function of a file."""
    values = i.heap.fields(holder.oid).values() if isinstance(holder, Ref) else ()
    return any(True for value in values for _ in spans(i, source, value))


def wraps_unrun(i: Interpreter, holder: Ref) -> bool:
    """Whether a function that an activation has made closes over a function of the program that nothing has run, or an object holds one."""
    around = members(i.heap.get(holder.oid, ("#", "parent")) or UNBOUND) if i.info(holder.oid).kind == "function" else (holder,)
    held = (value for env in around if isinstance(env, Ref) for value in i.heap.fields(env.oid).values())
    found = (i.info(member.oid).payload for value in held for member in members(value) if isinstance(member, Ref))
    return any(isinstance(info, FunctionInfo) and id(info.node) not in i.ledger.of(Ran).functions for info in found)


def calling_methods_elsewhere(i: Interpreter, source: Source, found: Iterable[Function]) -> Iterator[Function]:
    """The functions of a file that call methods of classes of other files in which something is compiled, or which call such a one of a third file, as far as
    they can come to one."""
    elsewhere = _compiling_elsewhere(i, source)
    calls = {(block.start, block.end): block.calls for block in i.project.symbols(source, i.tracers).blocks}
    for function in found if elsewhere else ():
        info = i.info(function[0].oid).payload
        its = calls.get((info.node.start, info.node.end), frozenset()) if isinstance(info, FunctionInfo) else frozenset[str]()
        if not elsewhere.isdisjoint(its) and reach_of(i, (function[0], *(cls for cls in function[1:] if cls is not None))).compiled:
            yield function


def _compiling_elsewhere(i: Interpreter, source: Source) -> frozenset[str]:
    """The names of methods of other files in which something is compiled, and of the functions there that call one by such a name: of an object that they are
    given, they need not import the class."""
    others = [info.source for module in i.modules.values() if isinstance(info := i.info(module).payload, FrameInfo)]
    others = [other for other in dict.fromkeys(others) if other is not source]
    names = {block.name.rpartition(".")[2] for other in others for block in _compiling_methods(i, other)}
    blocks = [block for other in others if names for block in i.project.symbols(other, i.tracers).blocks if block.kind == "function"]
    known = None
    while known != (known := len(names)):
        names.update(
            name for block in blocks if not block.calls.isdisjoint(names) and not (name := block.name.rpartition(".")[2]).endswith("__")
        )
    return frozenset(names)


def _compiling_methods(i: Interpreter, source: Source) -> list[Block]:
    """The methods of a file in which something is compiled, but for those that are called by no name."""
    symbols = i.project.symbols(source, i.tracers)
    return [
        block
        for block in symbols.blocks
        if block.kind == "function"
        and block.parent >= 0
        and symbols.blocks[block.parent].kind == "class"
        and not block.name.endswith("__")
        and any(block.start <= site.start < block.end for site in symbols.sites)
    ]


def is_closure(i: Interpreter, function: Ref) -> bool:
    """Whether an activation has made a function: another one makes another one of it."""
    around = members(i.heap.get(function.oid, ("#", "parent")) or UNBOUND)
    return any(isinstance(env, Ref) and i.info(env.oid).kind == "frame" for env in around)


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
                if name == "__init_subclass__":
                    bound = "classmethod"  # Python makes one of it
                if i.info(inner.oid).kind == "function" and bound in ("staticmethod", "classmethod"):
                    yield inner, None, member if bound == "classmethod" else None
                elif i.info(inner.oid).kind == "function":
                    yield inner, member, None
                elif i.info(inner.oid).kind == "class":
                    yield from _functions(i, source, inner, seen)
                else:
                    yield from ((function, member, None) for function in implementations(i, inner))
    elif info.kind in ("cached", "partial"):
        held = i.heap.get(member.oid, "__wrapped__") or i.heap.get(member.oid, "func")
        for inner in members(held) if held is not None else ():
            if isinstance(inner, Ref):
                yield from _functions(i, source, inner, seen)


def reaching(i: Interpreter, source: Source, module: int, held: Holding) -> Callable[[ir.Node], bool]:
    """Which functions of a file may make or call something compiled, directly or through other functions, by the names that they call or hand on; by
    those that they read, where they call what a name or attribute of their own holds. `held`: the names under which something compiled is found."""
    found = i.project.symbols(source, i.tracers)
    names = {*held.itself, *held.fields}
    starts = (*(site.start for site in found.sites), *found.perhaps)
    within = [block for block in found.blocks if any(block.start <= start < block.end for start in starts)]
    making = {ELSEWHERE, *((block.start, block.end) for block in within if block.kind != "module")}
    defined = {block.name.rpartition(".")[2] for block in within if block.kind in ("function", "class")}
    names |= defined
    names |= {name for block in within for name in block.writes}
    handed = {name for start, name in found.kept if name and start in starts} | defined | held.itself
    tracers = frozenset(i.tracers)
    called: dict[tuple[int, int], set[str]] = {}
    for name, value in i.heap.fields(module).items():
        if isinstance(name, str):
            for span in spans(i, source, value):
                called.setdefault(span, set()).add(name)
            if _is_tracer(i, value, tracers) or imports_compiling(i, source, value):
                names.add(name)
    for name, span in _closed_over(i, source, module):
        called.setdefault(span, set()).add(name)
    imported = compiling_names(i, source)
    names |= imported.pop(0, set())
    names |= set(_methods_of_imported(i, source, module))
    local: list[frozenset[str]] = []
    for number, block in enumerate(found.blocks):
        local.append((local[block.parent] if block.parent >= 0 else frozenset()) | imported.get(number, frozenset()))
    for span in making:
        names |= called.get(span, set())
    classes = _called_classes(i, source, module)
    asking = frozenset(block.name.rpartition(".")[2] for block in found.blocks if not block.called.isdisjoint(block.params))
    known = _Known(making, names, handed, set(), held, set(), asking, _ways(i, source, module, found.blocks), _makers(i, source, module))
    changed = True
    while changed:
        changed = _gather_objects(found.blocks, known)
        put = {name for start, callee, name in found.put if start in starts or callee in names}
        names |= {target for target, holder in found.taken if holder in put | held.containers}
        known.lying = held.itself | handed | put
        for block, here in zip(found.blocks, local):
            span = (block.start, block.end)
            if (block.reads | block.attributes) & names:  # what it gives to a thread runs where that is started
                names.update(*(_starting()[made] for made in block.calls & _starting().keys()))
            if block.kind in ("function", "lambda") and span not in making and _reaches(block, here, known):
                making.add(span)
                outer = block
                while outer.parent >= 0 and found.blocks[outer.parent].kind in ("function", "lambda"):
                    outer = found.blocks[outer.parent]
                    making.add((outer.start, outer.end))
                names |= block.writes  # what it made may lie there
                last = outer.name.rpartition(".")[2]
                if last not in CONSTRUCTORS:
                    names.add(last)
                    handed.add(last)
                names |= called.get(span, set())
                known.called_objects |= classes.get(span, set())
                changed = True
    return lambda node: (node.start, node.end) in making


def _methods_of_imported(i: Interpreter, source: Source, module: int) -> Iterator[str]:
    """The names of methods that a file calls, of classes of other files that it imports, where these reach something compiled: a parameter may be such an
    object, as its annotation may say."""
    called = frozenset().union(*(block.calls for block in i.project.symbols(source, i.tracers).blocks))
    held = (member for value in i.heap.fields(module).values() for member in members(value) if isinstance(member, Ref))
    for cls in dict.fromkeys(held):
        if i.info(cls.oid).kind == "class" and getattr(i.info(cls.oid).payload, "source", source) is not source:
            for name in sorted(called - CONSTRUCTORS):
                method = class_attribute(i, cls, name)
                if isinstance(method, Ref) and i.info(method.oid).kind == "function" and reach_of(i, (method, cls)).compiled:
                    yield name


def _closed_over(i: Interpreter, source: Source, module: int) -> Iterator[tuple[str, Span]]:
    """The names by which the wrappers of decorators call the functions of a file that they have taken the place of, with where these stand."""
    for function, _, _ in functions(i, source, module):
        around = members(i.heap.get(function.oid, ("#", "parent")) or UNBOUND) if is_closure(i, function) else ()
        for env in around:
            for name, value in i.heap.fields(env.oid).items() if isinstance(env, Ref) else ():
                if isinstance(name, str):
                    yield from ((name, span) for span in spans(i, source, value))


@dataclass(slots=True)
class _Known:
    """What is known to reach something compiled so far, while the fixpoint of `reaching` is computed."""

    making: set[Span]
    """The functions that may make or call something compiled."""
    names: set[str]
    """The names by which such a function, or what it made, is called."""
    handed: set[str]
    """The names under which such a function, or something compiled, is handed on."""
    lying: set[str] | frozenset[str]
    """The names that hold something compiled, or such a function."""
    held: Holding
    called_objects: set[str]
    """The names of classes whose objects reach something compiled where they are called, of functions that may give such an object, and of the module under
    which one may lie, alone or among others."""
    asking: frozenset[str]
    """The names of functions that call a parameter."""
    objects: Mapping[Span, Sequence[Way]]
    """By function, how it may come to methods that it does not name."""
    makers: Mapping[Span, tuple[str, str]]
    """By class method, the name by which it calls its class, and that of the class."""


def _reaches(block: Block, here: frozenset[str], known: _Known) -> bool:
    """Whether a function may make or call something compiled, by what is known of others. `here`: names that compile, imported in it or around it."""
    reads = block.reads | block.attributes
    itself, containers, _ = known.held
    own, cls = known.makers.get((block.start, block.end), ("", ""))
    return bool(
        block.calls & known.names
        or block.calls & here
        or own in block.calls
        and cls in known.names
        or any(way.method in known.making and way.is_taken(block) for way in known.objects.get((block.start, block.end), ()))
        or block.hands & known.handed
        or _calls_its_own(block)
        and reads & known.lying
        or (ANY in reads and "" in block.called and (containers or itself))
        or reads & containers
        and (_calls_its_own(block) or "" in block.hands or block.hands & containers)
        or _calls_its_own(block)
        and not (block.calls | reads).isdisjoint(known.called_objects)
        or block.calls & known.asking
        and _has_objects(block, known)
    )


def _has_objects(block: Block, known: _Known) -> bool:
    """Whether a block may make objects that reach something compiled where they are called, or is given them by a function."""
    own, cls = known.makers.get((block.start, block.end), ("", ""))
    objects = known.called_objects
    return bool(
        block.calls & objects or own in block.calls and cls in objects or "" in block.called and not block.reads.isdisjoint(objects)
    )


def _gather_objects(blocks: Iterable[Block], known: _Known) -> bool:
    """Add by which further names such objects are had: of functions that have some, and of the module where it puts them. Whether there are any."""
    before = len(known.called_objects)
    for block in blocks:
        if _has_objects(block, known):
            known.called_objects |= block.assigns if block.kind == "module" else frozenset()
            name = block.name.rpartition(".")[2]
            if block.kind == "function" and name not in CONSTRUCTORS:
                known.called_objects.add(name)
    return before != len(known.called_objects)


class Holding(NamedTuple):
    """Under which names something compiled is found: those that hold it, or a callable that is made of it; those that hold a container in which it lies, also
    in others; the fields of the named tuples among these."""

    itself: frozenset[str]
    containers: frozenset[str]
    fields: frozenset[str]


def _bound_tracers(i: Interpreter) -> Iterator[int]:
    """The objects that are `mx.compile` with some of its arguments: whoever calls one has something compiled."""
    tracers = frozenset(i.tracers)
    for number, info in enumerate(i.heap.infos):
        if info.kind == "partial" and i.heap.exists(number) and _is_tracer(i, Ref(number), tracers):
            yield number


def holding(i: Interpreter) -> Holding:
    """Under which names the objects and modules that there are now hold something compiled."""
    itself, containers, fields = set[str](), set[str](), set[str]()
    todo = [(number, True) for number in (*journal(i).compiled, *_bound_tracers(i))]
    seen = {number for number, _ in todo}
    while todo:
        number, directly = todo.pop()
        for holder, field in i.heap.holders(number):
            kind, value = i.info(holder).kind, i.heap.get(holder, field) or UNBOUND
            alone = directly and any(isinstance(member, Ref) and member.oid == number for member in members(value))
            if isinstance(field, str):
                (itself if alone else containers).add(field)
                if not alone:
                    fields.update(name for part in each_part(value, Tuple) for name in _fields(i, part))
            if (kind in MADE_OF or kind in CONTAINERS) and holder not in seen:
                seen.add(holder)
                todo.append((holder, alone and kind in MADE_OF))
                fields.update(name for part in each_part(value, Tuple) for name in _fields(i, part))
    return Holding(frozenset(itself), frozenset(containers), frozenset(fields))


def _fields(i: Interpreter, part: Member) -> list[str]:
    """The names of the items of a named tuple."""
    return [name for name, _, _ in fields_of(i, Ref(part.cls))] if isinstance(part, Tuple) and part.cls is not None else []


CONTAINERS: Final = frozenset(("dict", "iterator", "list", "set"))


def _ways(i: Interpreter, source: Source, module: int, blocks: Iterable[Block]) -> Mapping[Span, Sequence[Way]]:
    """How the functions of a file may come to methods that they do not name."""
    of_file = ((ref, cls) for ref, cls, _ in functions(i, source, module))
    return implicit_calls.by_function(i, source, module, of_file, classes(i, source, module), blocks)


def _makers(i: Interpreter, source: Source, module: int) -> dict[Span, tuple[str, str]]:
    """The class methods of a file, with the name of their first parameter, by which they make objects, and that of the class."""
    found: dict[Span, tuple[str, str]] = {}
    for ref, _, cls in functions(i, source, module):
        info = i.info(ref.oid).payload
        if cls is not None and isinstance(info, FunctionInfo) and info.node.params:
            found[info.node.start, info.node.end] = info.node.params[0].name, i.info(cls.oid).label
    return found


def _called_classes(i: Interpreter, source: Source, module: int) -> dict[Span, set[str]]:
    """The names of the classes of a file whose objects are called, and of containers that hold such a class, by where the method stands that runs then: a
    function that reads the name may make one and call it."""
    found: dict[Span, set[str]] = {}
    for name, value in i.heap.fields(module).items():
        for member in _contents(i, value):
            if isinstance(name, str) and i.info(member.oid).kind == "class":
                for span in _calling(i, source, member):
                    found.setdefault(span, set()).add(name)
    return found


def _contents(i: Interpreter, value: Value) -> Iterator[Ref]:
    """The objects that a value may be or hold, and what lies in those of them that are containers."""
    for member in each_part(value):
        if isinstance(member, Ref):
            yield member
            for item in i.heap.fields(member.oid).values() if i.info(member.oid).kind in CONTAINERS else ():
                yield from (inner for inner in each_part(item) if isinstance(inner, Ref))


def _calling(i: Interpreter, source: Source, cls: Value | None) -> Iterator[Span]:
    """Where the methods of a file stand that a call of an object of a class comes to."""
    method = class_attribute(i, cls, "__call__") if isinstance(cls, Ref) and i.info(cls.oid).kind == "class" else None
    yield from spans(i, source, method) if method is not None else ()


def _calls_its_own(block: Block) -> bool:
    """Whether a block calls what a name holds that it binds itself, also in a comprehension, or an attribute that it sets, or what an expression gives: that
    may be anything that it reads."""
    return "" in block.called or not block.called.isdisjoint(block.binds | block.loops) or not block.calls.isdisjoint(block.writes)


@cache
def _starting() -> dict[str, frozenset[str]]:
    """The classes of which an object calls later what it is given, by their last names, with the methods that begin it."""
    found: dict[str, frozenset[str]] = {}
    for cls in known_names("threading"):
        made = model(cls)
        if kind_of(cls) == "class" and made is not None and any(call.times in ("later", "beside") for call in made.calls):
            methods = (name for name in ("start", "run") if (method := model(f"{cls}.{name}")) is not None and method.effect is not None)
            found[cls.rpartition(".")[2]] = frozenset(methods)
    return found


def callers_first(i: Interpreter, source: Source, found: Iterable[Function]) -> list[Function]:
    """The functions of a file, each before those that it names, or whose class it names: what runs in a call is not run alone. What names each
    other is in the order of the text."""
    blocks = i.project.symbols(source, i.tracers).blocks
    named: dict[str, set[str]] = {}
    called = calls_by_name(blocks)
    outermost: list[str] = [""]
    for block in blocks[1:]:
        outermost.append(block.name if block.parent == 0 else outermost[block.parent])
        named.setdefault(outermost[-1], set()).update(block.reads)
    outer, inner = ({name: number for number, name in enumerate(_in_order(graph))} for graph in (named, called))

    def place(function: Function) -> tuple[int, int]:
        name = i.info(function[0].oid).payload.qualname  # type: ignore[attr-defined]
        return outer.get(name.partition(".")[0], len(outer)), inner.get(name, len(inner))

    return sorted(found, key=place)


def calls_by_name(blocks: Sequence[Block]) -> dict[str, set[str]]:
    """The functions beside each one that it calls by their last names, by qualified names."""
    called: dict[str, set[str]] = {}
    for block in blocks[1:]:
        called.setdefault(block.name, set()).update(f"{block.name.rpartition('.')[0]}.{name}" for name in block.calls)
    return called


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


def _is_tracer(i: Interpreter, value: Value, tracers: Collection[str]) -> bool:
    """Whether a value is `mx.compile`, under whatever name, also where some of its arguments are bound already."""
    for member in members(value):
        if isinstance(member, Ref) and i.info(member.oid).kind == "partial":
            bound = i.heap.get(member.oid, "func")
            if bound is not None and _is_tracer(i, bound, tracers):
                return True
        elif isinstance(member, External) and member.name in tracers:
            return True
    return False


def imports_compiling(i: Interpreter, source: Source, value: Value) -> bool:
    """Whether a value is a function or class of another file that reaches something compiled, or a class that inherits from such a one."""
    for member in members(value):
        kind = i.info(member.oid).kind if isinstance(member, Ref) else ""
        if isinstance(member, Ref) and kind in ("function", "class"):
            lying = mro(i, member) if kind == "class" else (member,)
            elsewhere = [
                each for each in lying if isinstance(each, Ref) and getattr(i.info(each.oid).payload, "source", source) is not source
            ]
            if any(reach_of(i, (each,)).compiled for each in elsewhere):
                return True
    return False


MADE_OF: Final = frozenset(("transform", "partial", "cached", "descriptor"))
"""Kinds of callables that call others which they hold, static methods among them."""
