"""Calls of MLX: what each does in a trace by the measured table, its result by the shape rules, and handlers for what no data can say.

`mx.compile`, transforms, modules, optimizers and trees have handlers in files of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Literal_
from mxlint.domain.join import join
from mxlint.domain.members import FALSE, NONE, TRUE, Const, External, Member, Ref, Symbolic, Tuple, Value, members, scalar_type
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.compiled import clocks, exports, fallbacks, making, sinks, writes
from mxlint.interpreter.compiled.merging import share_merged
from mxlint.interpreter.compiled.output_only import OUTPUTS
from mxlint.interpreter.compiled.recipes import MadeFunctions
from mxlint.interpreter.compiled.traces import Trace
from mxlint.interpreter.compiled.trees import tree
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import ancestors, throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.framework import Framework
from mxlint.interpreter.machine.journal import call_places, journal, modality, note, qualname, where, wheres
from mxlint.interpreter.machine.locations import ITEMS, LAZY
from mxlint.interpreter.machine.paths import STEPS, Condition
from mxlint.interpreter.machine.reach import arrays_in, each_array
from mxlint.interpreter.mlx import (
    arrays,
    computing,
    constants,
    descriptions,
    kernels,
    kinds,
    layers,
    loading,
    quantizing,
    shapeless,
    transforms,
    unseen,
    updates,
)
from mxlint.interpreter.mlx.freezing import PART_METHODS, freeze_part
from mxlint.interpreter.mlx.trees import tree_flatten, tree_map, tree_unflatten
from mxlint.interpreter.objects.reflection import TakenByName, is_callable
from mxlint.interpreter.open_world import bounded, given_dicts, installed, opaque, presumptions, results
from mxlint.models.load import bases, constant, kind_of, subclasses
from mxlint.models.mlx import dtypes, traits
from mxlint.models.mlx.members import lineage_of
from mxlint.models.mlx.names import DTYPES, canonical
from mxlint.models.mlx.refusals import refusal
from mxlint.models.mlx.results import has
from mxlint.models.mlx.table import Table
from mxlint.syntax.inline import in_one_line

Handler = Callable[[Interpreter, Arguments, Place, Frame], Value]


NUMBERS: Final = frozenset({"int", "float", "bool", "number"})


TAKEN: Final = {f"builtins.{name}" for name in ("int", "float", "str", "dict", "list", "tuple")}
"""The classes of Python, besides None, whose instances mx.compile takes as arguments: those of their subclasses, too."""


class Mlx(Framework):
    """MLX's part of the interpreter."""

    def __init__(self, table: Table, wrappers: Collection[str]) -> None:
        self.table = table
        self.wrappers = {".".join(parts[:count]) for name in wrappers for parts in (name.split("."),) for count in range(1, len(parts) + 1)}

    def has(self, name: str) -> bool:
        """Whether a canonical name is something of MLX, or leads to a function that compiles as `mx.compile` does."""
        return (
            name in self.wrappers
            or name.startswith("mlx.")
            and (self.table.entry(canonical(name)) is not None or canonical(name) in HANDLERS)
        )

    def canonical(self, name: str) -> str:
        """The one name of something that has several."""
        return canonical(name)

    def defines(self, owner: str, name: str) -> bool:
        """Whether something of MLX has an attribute."""
        return self.has(f"{owner}.{name}") or kinds.has_method(owner, name)

    def bases(self, name: str) -> tuple[str, ...]:
        """What a class of layers or an optimizer inherits from."""
        return kinds.bases(name)

    def lineage(self, name: str) -> tuple[str, ...]:
        """A class of MLX and all that it inherits from; empty where it is none."""
        return lineage_of(name)

    def is_dtype(self, name: str) -> bool:
        return self.dtype(name) is not None

    def dtype(self, name: str) -> str | None:
        """The name of a dtype, as MLX prints it."""
        last = name.removeprefix("mlx.core.")
        return last.rstrip("_") if name.startswith("mlx.core.") and last in DTYPES else None

    def member(self, i: Interpreter, owner: str, name: str, place: Place, frame: Frame) -> Value | None:
        """`owner.name`, by canonical name; None for what is not of MLX."""
        if not (owner == "mlx" or owner.startswith("mlx.")):
            return None
        if name == "size" and (dtype := self.dtype(owner)) is not None:
            return Const(dtypes.item_size(dtype))
        full = canonical(f"{owner}.{name}")
        return Const(traits.constants()[full]) if full in traits.constants() else External(full)

    def instance_attribute(self, i: Interpreter, owner: Value, cls: Value, name: str, place: Place, frame: Frame) -> Value | None:
        """An attribute that MLX gives to layers, modules and optimizers."""
        return layers.attribute(i, owner, cls, name, place, frame)

    def object_kind(self, i: Interpreter, ref: Ref) -> str | None:
        """`module` or `optimizer` for an instance that is one."""
        return kinds.kind(i, ref)

    def entries(self, i: Interpreter, ref: Ref) -> Mapping[str, Value]:
        """What a module holds as the dict that it is, by the keys."""
        return kinds.entries(i, ref)

    def assigned(self, i: Interpreter, oid: int, field: object, value: Value, place: Place, frame: Frame) -> None:
        """An attribute of an object was assigned."""
        layers.assigned(i, oid, field, value, place, frame)

    def class_kind(self, i: Interpreter, cls: Value) -> str | None:
        """`module` or `optimizer` for a class that is one."""
        return kinds.class_kind(i, cls)

    def tree(self, i: Interpreter, member: Member) -> str:
        """`list` or `dict` for what MLX takes for one; "" for others."""
        return tree(i, member)

    def refused_name(self, name: str) -> str:
        """The type of something of a library as an argument that MLX refuses; "" if it takes it, or that is not known."""
        if self.is_dtype(name):
            return "dtype"
        if name.startswith("mlx."):
            entry = self.table.entry(canonical(name))
            if entry is None:
                return "module" if canonical(name) in self.table.modules else ""
            return _REFUSED.get(entry.kind, "")
        return _REFUSED.get(kind_of(name) or "", "") if constant(name) is None else ""

    def refused(self, i: Interpreter, ref: Ref) -> str:
        """The type of an instance as an argument that MLX refuses; "" if it takes it, or that is not known."""
        what = kinds.kind(i, ref)
        if what == "module":
            return "nn.Module"
        cls = i.heap.get(ref.oid, ("#", "class"))
        if what == "optimizer":
            return "optimizer"
        names = ancestors(i, cls) if cls is not None else {None}
        if None in names or names & TAKEN:
            return ""
        if any(isinstance(name, str) and name.startswith("enum.") for name in names):
            return "enum member"
        if isinstance(cls, External):
            return self.refused_class(cls.name)
        return i.info(cls.oid).label if isinstance(cls, Ref) else ""

    def refused_class(self, name: str) -> str:
        """The class of a library whose instances MLX refuses; "" if it takes some of them, as those of a subclass, or that is not known."""
        if not bases(name) or any(TAKEN.intersection(bases(cls)) for cls in (name, *subclasses(name))):
            return ""
        return {"numpy.ndarray": "numpy array"}.get(name, name if name.startswith("numpy.") else name.rpartition(".")[2])

    def effect(self, i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        """A call of a library that does something to the world, or gives something else each time: in a trace it happens once."""
        if i.trace is not None and not i.modes.memoised and isinstance(args.args[0], Const):
            why = args.args[1].value if len(args.args) > 1 and isinstance(args.args[1], Const) else ""
            if why in OUTPUTS:
                i.trace.scalars.outputs.append(where(place))
            sinks.event(i, "effect", place, str(args.args[0].value), frame, note_=str(why))
        return NONE

    def source(self, i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        """A call of a library that gives something else each time. In a trace it is frozen, which matters if the trace computes with it."""
        name, why, result = args.args
        if i.modes.memoised:
            return NONE
        if i.trace is None:
            if why == Const("clock"):
                clocks.read(i, place)
            return NONE
        fact = sinks.prepared_event(
            i, "effect", place, str(name.value) if isinstance(name, Const) else "", frame, str(why.value) if isinstance(why, Const) else ""
        )
        if fact is not None and all(
            isinstance(member, Symbolic) and member.kinds is not None and member.kinds <= NUMBERS for member in members(result)
        ):
            i.trace.sources[place] = fact
        elif fact is not None:
            note(i, fact)
        return NONE

    def set_member(self, i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        """`owner.name = value` of what is no object of the program. True if MLX itself gives that a meaning."""
        owner, name = args.args[0], args.args[1]
        if isinstance(owner, External) and owner.name == "mlx.core.random" and name == Const("state"):
            note(i, events.Note("random state assigned", where(place), "", None, modality(i, len(i.path)) or events.Modality()))
            return TRUE
        if isinstance(owner, Symbolic) and name == Const("__call__"):
            for member in members(args.args[2]):
                # What is compiled is the owner's own method, bound: so the owner is an instance, and no class.
                if isinstance(member, Ref) and i.info(member.oid).kind == "compiled" and _is_part(i.heap.get(member.oid, "fun"), owner):
                    note(i, events.Note("call on an instance", where(place), "", member.oid, events.Modality()))
        return NONE

    def looped(self, i: Interpreter, trace: Trace, rounds: int, operations: int, begun: int, place: Place, frame: Frame) -> None:
        """A loop of a traced body has ended: so many rounds made so many arrays. `begun`: how many operations of the trace were kept before it."""
        m = modality(i, trace.path)
        if operations and m is not None:
            calls, around = wheres(call_places(i, trace.depth + 1)), wheres(trace.loops)
            merged = round(operations * share_merged(trace.computed[begun:] or trace.computed))
            note(i, events.Loop(trace.oid, trace.number, where(place), qualname(frame), calls, around, rounds, operations, merged, m))

    def set_item(self, i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        """`owner[index] = value` of what is no object of the program."""
        owner, index, value = args.args
        handler = _ITEMS_SET.get(owner.name) if isinstance(owner, External) else None
        if handler is not None:
            handler(i, index, value, place, frame)
        return NONE

    def given(self, i: Interpreter, values: Iterable[Value]) -> None:
        """A library is given values: it may keep the compiled objects among them where nobody sees it."""
        for value in values:
            writes.escaping(i, value, into=journal(i).handed)

    def handed(self, i: Interpreter, values: Sequence[Value], place: Place, frame: Frame) -> None:
        """Something that is not followed is given values: it may keep compiled objects, and keep or compute arrays."""
        for value in values:
            writes.escaping(i, value)
        self.given(i, values)
        if i.trace is not None:
            given_dicts.handed_on(i, values)
            for value in values:
                sinks.array_use(i, value)
                layers.weights_read(i, value, place, frame)
            if any(i.trace.holds(array.trace) for value in values for array in arrays_in(i, value)):
                sinks.event(i, "escape", place, "", frame)
            return
        clocks.forced(i)
        for value in values:
            for array in arrays_in(i, value):
                i.heap.drop(array.ident, LAZY)

    def put_into(self, i: Interpreter, owner: Symbolic) -> None:
        """Something is put into what nobody in sight gives, under an index or key."""
        if i.trace is None:
            fallbacks.put_into(i, owner.identity)

    def called(self, i: Interpreter, function: Symbolic, args: Arguments, place: Place, frame: Frame) -> Value | None:
        """Something symbolic is called: a schedule gives an array, what has a method `.update(model, gradients)` may be an optimizer,
        and `.update_modules(…)` puts layers into what has it."""
        results.demanded(i, function, place, frame)
        if i.trace is None:
            fallbacks.calls(i, function, args, place)
        maker = i.ledger.of(MadeFunctions).by.get(function.identity)
        if maker is not None:
            entry = self.table.entry(maker[0])
            if entry is not None and entry.random:
                _drawn(i, _short(maker[0]), True, place, frame)
            _call_what_made_it(i, *maker, args, place, frame)
            found = constants.scheduled(i, function, args, place)
            return computing.compute(i, maker[0], args.args, args.keywords, place, frame, outer=maker[1]) if found is None else found
        if self._computes(i, function, args):
            made = i.symbolic(place, "call", function.label)
            results.gave(i, function, made, args, place, frame)
            return computing.results(i, None, "getattr", (made,), {}, place)
        if (array := results.array_of(i, function)) is not None:
            given = Arguments((array, *args.args), args.keywords, args.star, args.kwstar, (place, *args.places), args.keyword_places)
            return self.call(i, f"{descriptions.ARRAY}{function.identity[0]}", given, place, frame)
        bounded.method_called(i, function, args, place)
        method = function.identity[0] if isinstance(function.identity, tuple) else None
        if method in PART_METHODS and isinstance(function.identity[1], tuple):
            freeze_part(i, function.identity[1], PART_METHODS[method], place, frame)
        if method == ".update_modules":
            opaque.put_in(i, function.identity, place, frame)
            installed.put(i, function.identity, join(args.values) if args.values else NONE, place)
        if (
            method == ".update"
            and len(args.args) > 1
            and (unseen.is_model(i, args.args[0]) or any(kinds.kind(i, m) == "module" for m in members(args.args[0]) if isinstance(m, Ref)))
        ):
            part = function.identity[1]
            optimizer = Symbolic(part) if isinstance(part, tuple) else NONE
            given = Arguments((optimizer, *args.args), args.keywords, places=(place, *args.places))

            def update() -> Value:
                return layers.call(i, "mlx.optimizers.Optimizer.update", given, place, frame) or NONE

            kind = (STEPS, function.identity)
            is_one, is_none = (Condition("open", place, Literal_(kind, outcome)) for outcome in (True, False))
            i.fork([((is_one,), update), ((is_none,), lambda: NONE)])
        return None

    def _computes(self, i: Interpreter, function: Symbolic, args: Arguments) -> bool:
        """Whether a function of MLX, under a name that nobody in sight says, is given a placeholder: what it gives is computed from that."""
        owners = i.ledger.of(TakenByName).owners.get(function.identity)
        trace = i.trace
        if trace is None or not owners or not all(name == "mlx" or name.startswith("mlx.") for name in owners):
            return False
        given = (member for value in args.values for member in members(value))
        return any(isinstance(member, Array) and trace.holds(member.trace) for member in given)

    def gave(self, i: Interpreter, function: Symbolic, result: Symbolic, args: Arguments, place: Place, frame: Frame) -> None:
        """Something symbolic was called and gave a result."""
        results.gave(i, function, result, args, place, frame)

    def works(self, i: Interpreter, name: str, args: Arguments) -> bool:
        if args.star is not None or args.kwstar is not None:
            return False
        return traits.has_trait(name, "probes") and all(_is_data(i, value) for value in args.values) or _surely_works(i, name, args)

    def call(self, i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value | None:
        """Call something of MLX."""
        if name in i.wrappers:
            return _wrapped(i, name, args, place, frame)
        full = canonical(name)
        handler = HANDLERS.get(full)
        if handler is not None:
            return handler(i, args, place, frame)
        found = layers.call(i, full, args, place, frame)
        if found is not None:
            return found
        if full.startswith(f"{descriptions.ARRAY}."):
            _use_numbers(i, full, f".{full.rpartition('.')[2]}()", args, place, frame)
            return arrays.method(i, full, args, place, frame)
        return function(i, full, args, place, frame)


def _surely_works(i: Interpreter, name: str, args: Arguments) -> bool:
    """Whether what a call is given is nothing but what its function takes without raising anything."""
    takes = traits.surely_works(name)
    by_place = dict(takes.values())
    given = [(by_place.get(place), value) for place, value in enumerate(args.args)]
    given += [(takes[key][1] if key in takes else None, value) for key, value in args.keywords.items()]
    first = next(iter(takes), None)
    return (
        first is not None
        and (bool(args.args) or first in args.keywords)
        and all(kind is not None and _IS_GIVEN[kind](i, value) for kind, value in given)
    )


def _is_bool(i: Interpreter, value: Value) -> bool:
    return all(scalar_type(member) == "bool" for member in members(value))


def _is_number(i: Interpreter, value: Value) -> bool:
    """Whether a value is a number that an array can be made of: of integers that are not known nobody knows that."""
    return all(
        scalar_type(member) in ("bool", "float")
        or isinstance(member, Const)
        and type(member.value) is int
        and member.value.bit_length() < INTEGER_BITS
        for member in members(value)
    )


INTEGER_BITS: Final = 64
"""The bits of an integer of MLX, with its sign."""
_IS_GIVEN: Final[Mapping[traits.Given, Callable[[Interpreter, Value], bool]]] = {
    "callable": is_callable,
    "bool": _is_bool,
    "number": _is_number,
    "anything": lambda i, value: True,
}


def _is_data(i: Interpreter, value: Value) -> bool:
    """Whether a value is a constant, a dtype, or an array that is made of constants alone."""
    if isinstance(value, Tuple) and value.items is not None:
        return all(_is_data(i, item) for item in value.items)
    return (
        isinstance(value, (Const, External)) or isinstance(value, Array) and value.trace is None and i.heap.get(value.ident, LAZY) == FALSE
    )


def _is_part(value: Value | None, owner: Symbolic) -> bool:
    """Whether a value is an attribute of something that nobody in sight gives."""
    return any(
        isinstance(member, Symbolic) and any(part in (owner, owner.identity) for part in member.identity)
        for member in members(value or NONE)
    )


def _set_random_state(i: Interpreter, index: Value, value: Value, place: Place, frame: Frame) -> None:
    """An item of `mx.random.state` is set."""
    note(i, events.Note("random state assigned", where(place), "item", None, modality(i, len(i.path)) or events.Modality()))


def _set_variable(i: Interpreter, index: Value, value: Value, place: Place, frame: Frame) -> None:
    """A variable of the environment is set: once per trace, in one. MLX_DISABLE_COMPILE counts at the first compiled call, whatever it holds."""
    if i.trace is not None:
        sinks.event(i, "effect", place, f"{in_one_line(place.text)} = …", frame, note_="configures")
        return
    if index != Const("MLX_DISABLE_COMPILE"):
        return
    kind = ""
    if any(type(record) is events.Call for record in journal(i).records):
        kind = "environment set late"
    elif isinstance(value, Const) and value.value in ("0", "", "false", "False"):
        kind = "environment set to off"
    if kind:
        note(i, events.Note(kind, where(place), "MLX_DISABLE_COMPILE", None, modality(i, 0) or events.Modality()))


_ITEMS_SET: Final[Mapping[str, Callable[[Interpreter, Value, Value, Place, Frame], None]]] = {
    "os.environ": _set_variable,
    "mlx.core.random.state": _set_random_state,
}
"""What follows where an item is set of something that is no object of the program, by its canonical name."""


def function(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value | None:
    """A function of MLX, by the table; a static method of a layer, by what it makes."""
    entry = i.table.entry(name)
    if entry is None:
        return computing.compute(i, name, args.args, args.keywords, place, frame, star=args.starred) if has(name) else None
    short = _short(name)
    if entry.evaluates:
        for value in args.values:
            for array in each_array(i, value):
                sinks.use(i, "evaluates" if entry.returns == "none" else "convert", array, f"{short}()", place, frame)
    _use_numbers(i, name, short, args, place, frame)
    if entry.random and entry.returns != "function":
        key = args.keywords.get("key")
        if key is None and entry.key is not None and entry.key < len(args.args):
            key = args.args[entry.key]
        _drawn(i, short, (key is None or key == NONE) and args.kwstar is None and args.star is None, place, frame)
    if entry.returns == "none":
        return NONE
    if entry.returns == "python":
        kind = entry.python if entry.python in ("int", "float", "bool", "str") else None
        return i.symbolic(place, name, kinds=frozenset((kind,)) if kind else None)
    if entry.returns == "function":
        made = i.symbolic(place, name)
        i.ledger.of(MadeFunctions).by[made.identity] = (name, args)
        return made
    if entry.returns in ("array", "arrays", "tree"):
        return computing.compute(i, name, args.args, args.keywords, place, frame, star=args.starred)
    return i.symbolic(place, name)


def _call_what_made_it(i: Interpreter, maker: str, made_of: Arguments, args: Arguments, place: Place, frame: Frame) -> None:
    """Functions of which MLX has made another run where that is called: `optim.join_schedules([linear, mine], [100])`."""
    at = traits.calls_of_made(maker)
    for held in members(made_of.args[at]) if at is not None and at < len(made_of.args) else ():
        aspects.contents(i, held, place, frame)
        for function in known_items(i, held) or ():
            i.call(function, args, place, frame)


def _short(name: str) -> str:
    """The name of a function as programs write it."""
    return f"mx.{name.removeprefix('mlx.core.')}" if name.startswith("mlx.core.") else name.removeprefix("mlx.")


def _drawn(i: Interpreter, what: str, unkeyed: bool, place: Place, frame: Frame) -> None:
    """Random numbers are drawn: in a trace from the global state, unless a key is given."""
    if i.trace is None:
        return
    i.trace.operations += 1  # random bits, and what is made of them
    if unkeyed and sinks.draws(i):
        sinks.event(i, "draw", place, f"{what}()", frame)


def _use_numbers(i: Interpreter, name: str, short: str, args: Arguments, place: Place, frame: Frame) -> None:
    """Note arrays where a call wants Python numbers. A number alone in place of a shape is no array of numbers."""
    if name == f"{descriptions.ARRAY}.reshape" and len(args.args) > 2:
        presumptions.refuted(i, args.args[1:])  # sizes one by one are Python integers
        return
    for parameter, position in traits.numbers_at(name).items():
        value = args.get(position, parameter)
        for member in i.each(value) if value is not None else ():
            ranked = isinstance(member, Array) and member.shape is not None and len(member.shape) == 1
            for part in (member, *_parts_of(i, member)) if ranked or parameter != "shape" else _parts_of(i, member):
                if isinstance(part, Array):
                    sinks.use(i, "index", part, f"{parameter}{events.PARAMETER_OF}{short}", place, frame)


def _parts_of(i: Interpreter, shape: Member) -> Iterator[Member]:
    """The numbers that a shape is made of."""
    content = i.heap.get(shape.oid, ITEMS) if isinstance(shape, Ref) and i.info(shape.oid).kind == "list" else shape
    for part in (content.items or ()) if isinstance(content, Tuple) else ():
        yield from i.each(part)


def _array(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`mx.array(value)`: data, which is never lazy."""
    made = computing.compute(i, "mlx.core.array", args.args, args.keywords, place, frame)
    if isinstance(made, Array) and not any(True for value in args.args for _ in arrays_in(i, value)):
        i.heap.set(made.ident, LAZY, Const(False))
    return made


def _evaluate(name: str) -> Handler:
    waits = name != "async_eval"

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        results.evaluated(i, args.values, f"mx.{name}()", place, frame)
        for value in args.values:
            for array in chain(each_array(i, value), _perhaps_arrays(i, value, place)):  # each on its path
                if i.trace is not None and (array.trace == -1 or i.trace.holds(array.trace)):
                    sinks.use(i, "evaluates", array, f"mx.{name}()", place, frame)
            before = clocks.so_far(i)
            arrays.evaluated(i, value)
            if not waits:
                clocks.waits_for_nothing(i, before)
        if waits:
            clocks.forced(i)
        return NONE

    return run


def _perhaps_arrays(i: Interpreter, value: Value, place: Place) -> Iterator[Array]:
    """The placeholders that arguments of a trace are of which nobody says whether they are arrays, if they are."""
    for member in members(value) if i.trace is not None else ():
        if isinstance(member, Symbolic) and member.source == "argument" and member.kinds is None:
            made_of = presumptions.given(i, member, place)
            yield Array(i.ident(place, ("evaluated", member.identity)), i.trace.number, None, None, made_of)  # type: ignore[union-attr]


def _compile(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return making.make(i, args, place, frame)


def _wrapped(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value:
    """A call of a function that compiles as `mx.compile` does, or without a function gives a decorator that does."""
    if args.get(0, "fun") is None and args.node is not None:
        given = Arguments((External(name), *args.args), args.keywords, keyword_places=args.keyword_places, node=args.node)
        return i.operations.external(i, "functools.partial", given, place, frame)
    return making.make(i, args, place, frame, "wrapper")


def _switch(off: bool) -> Handler:
    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        i.heap.set(0, "compile disabled", Const(off))
        note(i, events.Note("compile disabled" if off else "compile enabled", where(place), "", None, modality(i, 0) or events.Modality()))
        return NONE

    return run


def _seed(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    if i.trace is not None:
        i.trace.seeded = True
    return NONE


def _indexed_at(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`array.at[index]`."""
    array, _ = updates.parts(i, args.args[0])
    return i.split(array, lambda member: updates.at(i, member, place, args.args[1]) if isinstance(member, Array) else member)


def _updated_at(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`array.at[index].add(value)`: a new array of the shape and dtype of the array."""
    array, index = updates.parts(i, args.args[0])
    if index is None:
        throw_named(i, "builtins.ValueError", place)
    name = f"{descriptions.ARRAY}.at"
    given = (array, index, args.get(1, "value") or NONE)
    described = [descriptions.describe(i, array), descriptions.described_key(i, index), descriptions.describe(i, given[2])]
    computing.refuses(i, refusal(name, described, {}), place, frame)
    for member in members(array):
        shapeless.operation(i, f"{name}[{shapeless.form_of(index)}]", member, place, in_one_line(place.text), frame, given)
    return computing.results(i, descriptions.describe(i, array), name, given, {}, place)


def _condition(name: str) -> Handler:
    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        return computing.compute(i, name, args.args, args.keywords, place, frame)

    return run


def _synchronize(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    clocks.forced(i)
    return NONE


def _stream(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return i.symbolic(place, "stream")


def _default(name: str) -> Handler:
    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        sinks.event(i, "effect", place, name, frame, note_="configures")
        return NONE

    return run


_REFUSED: Final = {
    "function": "function",
    "transform": "function",
    "class": "class",
    "layer": "class",
    "optimizer": "class",
    "module": "module",
}
"""What is refused as an argument, by its kind."""
HANDLERS: Final[dict[str, Handler]] = {
    "mlx.core.array": _array, "mlx.core.compile": _compile, "mlx.core.disable_compile": _switch(True), "mlx.core.enable_compile": _switch(False),
    "mlx.core.random.seed": _seed, "mlx.core.synchronize": _synchronize, "mlx.core.stream": _stream, "mlx.core.new_stream": _stream,
    "mlx.core.set_default_device": _default("mx.set_default_device()"), "mlx.core.set_default_stream": _default("mx.set_default_stream()"),
    "mlx.utils.tree_map": tree_map, "mlx.utils.tree_flatten": tree_flatten,
    "mlx.utils.tree_map_with_path": partial(tree_map, named=True), "mlx.utils.tree_unflatten": tree_unflatten,
    **{f"mlx.core.{name}": _evaluate(name) for name in ("eval", "async_eval", "save", "savez", "savez_compressed", "save_safetensors", "save_gguf")},
    **{f"mlx.core.{name}": _condition(f"mlx.core.{name}") for name in ("array_equal", "allclose")},
    f"{updates.AT}.__getitem__": _indexed_at,
    **{f"{updates.AT}.{name}": _updated_at for name in updates.UPDATES},
    **transforms.HANDLERS,
    **kernels.HANDLERS,
    **exports.HANDLERS,
    **loading.HANDLERS,
    "mlx.nn.quantize": quantizing.quantize,
}  # fmt: skip
