"""What a name can hold. The domain of the static tracer: small, finite, and honest about what it does not know.

Mutable things (frames, lists, dicts, instances, arrays) are `Heap` objects: their content stands in `fields` and is changed only through
`heap.store`, so that a branch can be undone and joined. Everything else is immutable.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mxlint.syntax import ir

_serial = itertools.count(1)
_OLD = 1 << 62

_old: list[int] = []


def now() -> int:
    """The next serial number: objects and traces are ordered by it. Negative ones are older than the program, 0 is that of its modules."""
    return next(_serial) - _OLD if _old else next(_serial)


def made_since(since: int, born: int) -> bool:
    """Whether something was made later than `since`, and not before the program if that was after its start."""
    return since < born if since > 0 else since < born < 0


@contextmanager
def as_old() -> Iterator[None]:
    """What is made in here is as old as the program: globals and defaults that are only made when they are asked for."""
    _old.append(1)
    try:
        yield
    finally:
        _old.pop()


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a file, as offsets into its text."""

    source: Any
    start: int
    end: int

    def __hash__(self) -> int:
        return hash((id(self.source), self.start, self.end))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.source is other.source and self.start == other.start and self.end == other.end

    @property
    def text(self) -> str:
        text: str = self.source.text[self.start : self.end]
        return text


@dataclass(frozen=True, slots=True)
class Step:
    """One link of the chain from a parameter or a state to an expression: this value was made here, from `origin`."""

    place: Place
    note: str
    origin: Step | None = None

    def steps(self) -> Iterator[Step]:
        """From the parameter to the expression."""
        links: list[Step] = []
        link: Step | None = self
        while link is not None and len(links) < 32:
            links.append(link)
            link = link.origin
        return reversed(links)


class _Missing:
    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()
"""The content of a scalar whose value is not known, and of a field that is not there."""

Axis = tuple[int, int | None]
"""A dimension by origin: number of the compiled function's array argument, axis (negative when the rank is unknown, None: all of them)."""

NO_AXES: frozenset[Axis] = frozenset()


@dataclass(frozen=True, slots=True)
class Scalar:
    """A Python number, string, bool or None. `kind` is its type's name; `content` the value, or MISSING.

    `axes`: the dimensions of traced arrays it was computed from. `param`: it depends on a Python argument (or a shape, rank or dtype of
    an array argument) of the compiled function, so another call may bring another value. `varies`: seen to differ between iterations.
    `numpy`: a scalar of numpy, as np.sqrt of a number gives. `clock`: where the clock was read that it comes from. `few`: it takes few values.
    """

    kind: str
    content: Any = MISSING
    axes: frozenset[Axis] = NO_AXES
    param: bool = False
    varies: bool = False
    numpy: bool = False
    clock: Place | None = None
    few: bool = False

    @property
    def known(self) -> bool:
        return self.content is not MISSING


def const(content: object) -> Scalar:
    return Scalar("None" if content is None else type(content).__name__, content)


NONE = const(None)


@dataclass(frozen=True, slots=True, eq=False)
class Tup:
    """A tuple of known length. `cls` is the NamedTuple class, if any."""

    items: tuple[Value, ...]
    cls: ClassV | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tup) and _equal(self, other, {})

    def __hash__(self) -> int:
        return hash((len(self.items), self.cls))


@dataclass(frozen=True, slots=True)
class RangeV:
    """`range(start, stop, step)`, any of which may be unknown."""

    start: Scalar
    stop: Scalar
    step: Scalar


@dataclass(frozen=True, slots=True)
class SliceV:
    lower: Value
    upper: Value
    step: Value


@dataclass(frozen=True, slots=True)
class External:
    """Something of a library, by its canonical dotted name: `mlx.core.exp`, `builtins.print`, `numpy.float32`."""

    name: str


@dataclass(frozen=True, slots=True)
class NumpyV:
    """A numpy value: "array", or a scalar by its type's name ("float32")."""

    kind: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """A Python value of a known type that is neither number nor container: set, generator, enum member, dtype, bytes …

    `element` stands for each of what it gives; `items`: all of it in order, where that is known; `counted`: a range of numbers makes them.
    """

    kind: str
    element: Value | None = None
    items: tuple[Value, ...] | None = None
    counted: bool = False


@dataclass(frozen=True, slots=True)
class ShapeV:
    """The shape of an array of unknown rank; `of` are the argument numbers whose dimensions it has (all of them in the same order).

    `near`: it was asked for in the compiled function itself or in a helper that it calls.
    """

    of: frozenset[int]
    near: bool = True


@dataclass(frozen=True, slots=True)
class StateV:
    """A live container of the arrays of `owner`: `model.state`, `optimizer.state`; `bound`: which of those that were assigned to it."""

    owner: Heap
    bound: int = 0


@dataclass(frozen=True, slots=True)
class AttributesV:
    """`object.__dict__`: what is written to it is an attribute."""

    owner: Heap


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A fresh tree of the arrays of `owner` (`model.parameters()`): not live."""

    owner: Heap
    method: str


@dataclass(frozen=True, slots=True)
class BoundV:
    """A method with its object."""

    owner: Value
    function: Value


@dataclass(frozen=True, slots=True)
class PartialV:
    """`functools.partial(function, …)`. `nodes`: place and expression of each keyword, for captures."""

    function: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    nodes: tuple[tuple[str, Any], ...] = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class TransformV:
    """`mx.grad(f)` and the like: `kind` is the canonical name's last part; calling it runs `function` under the transform."""

    kind: str
    function: Value
    place: Place
    owner: Value | None = None


@dataclass(frozen=True, slots=True)
class SuperV:
    owner: Value
    cls: ClassV


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values: nothing is known of which."""

    options: tuple[Value, ...]


@dataclass(slots=True, eq=False, repr=False)
class Heap:
    """An object with identity. `born` tells whether it is older than a trace."""

    fields: dict[Any, Any] = field(default_factory=dict)
    born: int = field(default_factory=now)


@dataclass(slots=True, eq=False, repr=False)
class Array(Heap):
    """An mx.array. Fields: see the properties. `tree`: a tree of arrays of unknown form, such as gradients."""

    tree: bool = False

    @property
    def traced(self) -> bool | None:
        """True: a placeholder of a running trace; False: a constant, as all placeholders are once their trace has ended; None: not known."""
        trace = self.fields.get("trace")
        return trace.active if trace is not None else self.fields.get("traced")

    @property
    def shape(self) -> tuple[Scalar, ...] | None:
        return self.fields.get("shape")

    @property
    def like(self) -> frozenset[int]:
        """Where the rank is unknown: the argument numbers whose shape it has."""
        like: frozenset[int] = self.fields.get("like", frozenset())
        return like

    @property
    def sure(self) -> bool:
        """Whether it is known to be an array at all (a parameter without a call in sight may be a number)."""
        return bool(self.fields.get("sure", True))

    @property
    def chain(self) -> Step | None:
        return self.fields.get("chain")

    @property
    def dtype(self) -> str | None:
        return self.fields.get("dtype")


def array(
    traced: bool | None,
    shape: tuple[Scalar, ...] | None = None,
    chain: Step | None = None,
    *,
    trace: Any = None,
    like: frozenset[int] = frozenset(),
    sure: bool = True,
    tree: bool = False,
    dtype: str | None = None,
) -> Array:
    facts = {
        "traced": traced,
        "trace": trace if traced else None,
        "shape": shape,
        "chain": chain,
        "like": like,
        "sure": sure,
        "dtype": dtype,
    }
    return Array(facts, tree=tree)


@dataclass(slots=True, eq=False, repr=False)
class ListV(Heap):
    """A list: `fields["items"]` its values, or None when the length is unknown; then `fields["element"]` stands for each of them."""

    @property
    def items(self) -> tuple[Value, ...] | None:
        return self.fields["items"]  # type: ignore[no-any-return]

    @property
    def element(self) -> Value:
        return self.fields.get("element", UNKNOWN)  # type: ignore[no-any-return]


def list_of(items: tuple[Value, ...]) -> ListV:
    return ListV({"items": items})


def list_like(element: Value) -> ListV:
    """A list of unknown length whose elements are like `element`."""
    return ListV({"items": None, "element": element})


@dataclass(slots=True, eq=False, repr=False)
class DictV(Heap):
    """A dict: fields maps constant keys ("k", key) to values; "open": other keys may be there, each like fields["element"]."""

    def entry(self, key: object) -> Value | None:
        return self.fields.get(("k", key))

    @property
    def keys(self) -> tuple[object, ...]:
        return tuple(k[1] for k in self.fields if isinstance(k, tuple))

    @property
    def open(self) -> bool:
        return bool(self.fields.get("open", False))

    @property
    def element(self) -> Value:
        return self.fields.get("element", UNKNOWN)  # type: ignore[no-any-return]


@dataclass(slots=True, eq=False, repr=False)
class Opaque(Heap):
    """An unknown object with identity; attributes are made when they are asked for. `label` is how the program calls it."""

    label: str = "?"


@dataclass(slots=True, eq=False, repr=False)
class Instance(Heap):
    """An object of a class of the project (`cls` a ClassV) or of a library (`cls` an External); `args`: what it was made with."""

    cls: ClassV | External = External("builtins.object")
    args: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False, repr=False)
class ClassV(Heap):
    """A class of the project; fields are its attributes; `bases` its base values."""

    name: str = ""
    bases: tuple[Value, ...] = ()
    dataclass: bool = False
    place: Place | None = None


@dataclass(slots=True, eq=False, repr=False)
class ModuleV(Heap):
    """A module of the project; its globals are the fields of `frame`."""

    name: str = ""
    frame: Frame | None = None


@dataclass(slots=True, eq=False, repr=False)
class Lazy(Heap):
    """A global that is made when it is first asked for.

    `origin`: the module and level of the import that binds it; `decorated`: it is a class with decorators, such as a dataclass.
    """

    make: Any = None
    origin: tuple[str, int] | None = None
    decorated: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Frame(Heap):
    """The names of one activation of a function, comprehension, class body or module.

    `parent` is the lexically enclosing frame; `caller` the frame that called, `called_at` where. `loop_base`, `guard_base`: how many loops and
    unknown conditions that stands in. `yields` are the values of a generator, and all of them in order if it is `listed`, `counted` if a range makes them.
    """

    source: Any = None
    qualname: str = ""
    scope: ir.Scope | None = None
    parent: Frame | None = None
    module: Frame | None = None
    caller: Frame | None = None
    called_at: Place | None = None
    kind: str = "function"
    cls: ClassV | None = None
    loop_base: int = 0
    guard_base: int = 0
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    listed: bool = True
    counted: bool = False
    leavings: list[dict[Any, Any]] = field(default_factory=list)
    depth: int = 0
    function: FuncV | None = None


@dataclass(slots=True, eq=False, repr=False)
class FuncV(Heap):
    """A function of the project: `node` is its definition (or lambda), looked into on demand by `lower`."""

    name: str = ""
    env: Frame | None = None
    source: Any = None
    node: ir.FuncDef | ir.Lambda | None = None
    lower: Any = None
    defaults: dict[str, Value] = field(default_factory=dict)
    cls: ClassV | None = None
    wrapper: str = ""
    place: Place | None = None


@dataclass(slots=True, eq=False, repr=False)
class CompiledV(Heap):
    """A compiled object; `record` is its history (see events.Record)."""

    record: Any = None


UNKNOWN = Opaque(label="unknown")

Value = (
    Scalar | Tup | RangeV | SliceV | External | NumpyV | Foreign | ShapeV | StateV | AttributesV | Snapshot | BoundV | PartialV | TransformV | SuperV
    | Choice | Array | ListV | DictV | Opaque | Instance | ClassV | ModuleV | FuncV | CompiledV | Heap
)  # fmt: skip


MAX_OPTIONS = 4
"""Values that something may be, where paths have come to them: more are unknown."""
MAX_WRITTEN = 8
"""The same where they are written out beside each other, as the choices of an option are."""


def same(a: Value, b: Value) -> bool:
    """Whether two values are surely the same object or the same constant."""
    return _same(a, b, {})


def _same(a: Value, b: Value, known: dict[tuple[int, int], bool]) -> bool:
    """`known`: the answer for pairs of tuples that have been compared."""
    if a is b:
        return True
    if isinstance(a, Heap) or isinstance(b, Heap):
        return False
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.known and b.known and a.kind == b.kind and (a.content == b.content or a.content is b.content)
    if isinstance(a, Tup) and isinstance(b, Tup):
        pair = id(a), id(b)
        if pair not in known:
            known[pair] = len(a.items) == len(b.items) and all(_same(x, y, known) for x, y in zip(a.items, b.items))
        return known[pair]
    return type(a) is type(b) and a == b


def _equal(a: Tup, b: Tup, known: dict[tuple[int, int], bool]) -> bool:
    """Equality of all that two tuples hold. `known`: the answer for pairs that have been compared."""
    pair = id(a), id(b)
    if pair not in known:
        known[pair] = (
            len(a.items) == len(b.items)
            and a.cls == b.cls
            and all(
                x is y or (_equal(x, y, known) if isinstance(x, Tup) and isinstance(y, Tup) else x == y) for x, y in zip(a.items, b.items)
            )
        )
    return known[pair]


COMPARED_DEPTH = 4
"""How many sequences deep two values are compared."""


def differ(a: Any, b: Any) -> bool:
    """Whether two Python values, or what two sequences hold, are surely not the same: a trace of the one computes something else than one of
    the other.
    """
    seen: set[tuple[int, int]] = set()
    level = [(a, b)]
    for _ in range(COMPARED_DEPTH + 1):
        below: list[tuple[Any, Any]] = []
        for x, y in level:
            if (id(x), id(y)) in seen:
                continue
            seen.add((id(x), id(y)))
            if isinstance(x, (Tup, ListV)) and isinstance(y, (Tup, ListV)) and x.items is not None and y.items is not None:
                if len(x.items) != len(y.items):
                    return True
                below += zip(x.items, y.items)
            elif _differ(x, y):
                return True
        level = below
    return False


def _differ(a: Any, b: Any) -> bool:
    """The same for values that hold nothing else."""
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.known and b.known and a.content != b.content
    functions = _code(a), _code(b)
    return None not in functions and functions[0] != functions[1] and not _encloses(b, functions[0])


def _code(value: Any) -> Any:
    """What tells a function from others: its name in a library, or its definition in the project. None for anything else."""
    if isinstance(value, BoundV):
        value = value.function
    if isinstance(value, FuncV):
        where = value.node or value.place
        return None if where is None else (value.source, where.start)
    return value.name if isinstance(value, External) else None


def _encloses(value: Any, code: Any) -> bool:
    """Whether a function was made around another, to do more than that or the same."""
    env = value.env if isinstance(value, FuncV) else None
    return env is not None and env.kind == "function" and any(_code(item) == code for item in list(env.fields.values()))


def join(a: Value, b: Value) -> Value:
    """The least value that stands for both; unknown beyond a few options."""
    return _join(a, b, {}, {})


def _join(a: Value, b: Value, equal: dict[tuple[int, int], bool], known: dict[tuple[int, int], Value]) -> Value:
    """`equal` and `known`: which pairs of tuples are the same, and what those that are not have been joined to."""
    if _same(a, b, equal):
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar) and a.kind != "None" and b.kind != "None":
        kind = a.kind if a.kind == b.kind else "number" if {a.kind, b.kind} <= {"int", "float", "number"} else "scalar"
        return Scalar(kind, MISSING, a.axes | b.axes, a.param or b.param, a.varies or b.varies, a.numpy and b.numpy)
    if isinstance(a, Array) and isinstance(b, Array):
        shape = None
        if a.shape is not None and b.shape is not None and len(a.shape) == len(b.shape):
            shape = tuple(
                x if same(x, y) else Scalar("int", MISSING, x.axes | y.axes, x.param or y.param, x.varies or y.varies)
                for x, y in zip(a.shape, b.shape)
            )
        return array(
            a.traced if a.traced == b.traced else None, shape, a.chain or b.chain, trace=a.fields.get("trace") or b.fields.get("trace"),
            like=a.like & b.like, sure=a.sure and b.sure, tree=a.tree or b.tree, dtype=a.dtype if a.dtype == b.dtype else None,
        )  # fmt: skip
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items):
        pair = id(a), id(b)
        if pair not in known:
            items = tuple(_join(x, y, equal, known) for x, y in zip(a.items, b.items))
            known[pair] = Tup(items, a.cls if a.cls is b.cls else None)
        return known[pair]
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    found: list[Value] = []
    for value in (*options(a), *options(b)):
        if not any(same(value, other) for other in found):
            found.append(value)
    return Choice(tuple(found)) if len(found) <= MAX_OPTIONS else UNKNOWN


def options(value: Value) -> tuple[Value, ...]:
    """What a value may be."""
    return value.options if isinstance(value, Choice) else (value,)


def one_of(values: Iterable[Value]) -> Value:
    """One of several values that are written out, of which there may be more than paths make; unknown beyond that."""
    found: list[Value] = []
    for value in values:
        if not any(same(value, other) for other in found):
            found.append(value)
    return UNKNOWN if not found or UNKNOWN in found or len(found) > MAX_WRITTEN else found[0] if len(found) == 1 else Choice(tuple(found))


def listed(value: Any) -> tuple[Any, ...]:
    """The items of a tuple or a list, where they are known."""
    return value.items or () if isinstance(value, (Tup, ListV)) else ()


def contents(value: Any) -> tuple[Any, ...]:
    """What a container holds: its items, or what stands for each of them. Nothing for anything else."""
    if isinstance(value, tuple):
        return value
    if isinstance(value, (Tup, ListV)) and value.items is not None:
        return value.items
    if isinstance(value, ListV):
        return (value.element,)
    if isinstance(value, DictV):
        return tuple(item for key, item in value.fields.items() if isinstance(key, tuple) or key == "element")
    return ()


def attributes(value: Heap) -> tuple[Any, ...]:
    """What the attributes of an object hold. Fields whose names no attribute can have are notes of the tracer; some lead back to an owner."""
    return tuple(item for key, item in value.fields.items() if not (isinstance(key, str) and key.startswith("#")))


def without_none(value: Value) -> Value:
    """The value where it is known not to be None."""
    if isinstance(value, Choice):
        rest = tuple(v for v in value.options if not (isinstance(v, Scalar) and v.kind == "None"))
        return rest[0] if len(rest) == 1 else Choice(rest) if rest else UNKNOWN
    return value
