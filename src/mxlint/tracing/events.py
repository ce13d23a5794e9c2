"""The vocabulary of the static tracer: what can happen while MLX traces a function, and around it.

A `Record` is the whole history of one compiled object, both modes together and in order. It is what rules read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mxlint.tracing.values import Axis, Heap, Place, Scalar, Step, Value

Kind = Literal[
    "format",  # a traced array becomes text: print, str, f-string, …
    "log",  # a traced array is a %-argument of a logging call that is enabled
    "evaluate",  # mx.eval, mx.save, pickle of a traced array
    "convert",  # .item(), float(), np.array of a traced array
    "truth",  # the truth of a traced array
    "index",  # a traced array where Python wants an integer
    "draw",  # random numbers from the global state
    "raise",  # a raise or assert whose condition depends on an argument
    "bake",  # a shape value of a traced array becomes a constant of a shapeless trace
    "branch",  # control flow on a shape in a shapeless trace
    "unsupported",  # an operation that cannot infer its output shape
    "unsafe",  # an operation that is wrong when a shape changes
    "frozen",  # a call that gives another value every time, run once per trace
    "mutate",  # an argument is changed in place
    "return",  # what is returned holds placeholders where MLX does not look for arrays
    "kernel",  # a custom kernel whose size comes from a shape
    "update",  # an optimizer changes its state
    "fill",  # what may be ("traced": surely is) a placeholder, or is computed from what the weights were ("once"), or an
    # argument as it came in ("argument"), becomes the weights of a module
    "refill",  # something else is
    "rebind",  # the weights of a module are put into it anew, as nn.value_and_grad does
]


@dataclass(frozen=True, slots=True)
class Effect:
    """A way in which an operation of a shapeless trace fails: `first` (raises at the first call), or when one of the dimensions `axes`
    changes `raises`, `wrong` (values) or `crash` (memory out of bounds); of which dimension is not known where there are none.

    `when`: a change of every dimension does that (`every`), of some of them (`one`), or one between 1 and another size (`unit`; `seen` if the calls in sight bring that about).
    `versions` are those of MLX with that effect, out of those that the run judges for. `right_on`: devices on which that was measured to go well.
    """

    way: str
    axes: frozenset[Axis]
    when: str
    versions: tuple[str, ...]
    judged: tuple[str, ...]
    right_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at `place` while a compiled function was traced.

    `what` names the construct (`print`, `.item()`, `mx.topk`), `chain` leads from the parameter to the expression, `calls` are the call
    sites between the compiled function and the place, outermost first. `axes` are the dimensions involved, for shape events.
    `guarded` is true when the trace reaches it only under a condition that is not known, `swallowed` where a handler in the body catches what
    MLX raises. `effects`: what comes of it, for shape events.
    """

    kind: Kind
    place: Place
    what: str
    object: str
    chain: Step | None = None
    calls: tuple[Place, ...] = ()
    axes: frozenset[Axis] = frozenset()
    guarded: bool = False
    target: Value | None = None
    note: str = ""
    swallowed: bool = False
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """A trace read a location that is older than itself: field `key` (item `index`) of `target` held `value`.

    Without an index the items of a list were counted: `value` is the tuple of them.

    `absent`: the field was not there, and `value` is its default (a class attribute, a mode never set). `test`: all that the trace made of
    the value, where it only compares it with a constant.
    """

    target: Heap
    key: Any
    index: int | None
    value: Any
    place: Place
    name: str
    object: str
    calls: tuple[Place, ...] = ()
    absent: bool = False
    test: Callable[[Any], Any] | None = None

    def tells_apart(self, a: Any, b: Any) -> bool:
        """Whether the trace would have been another one with `b` in the place of `a`."""
        if self.test is None or not all(isinstance(value, Scalar) and value.known for value in (a, b)):
            return True
        return bool(self.test(a.content) != self.test(b.content))


@dataclass(frozen=True, slots=True)
class Write:
    """A trace wrote a location that is older than itself. `traced`: what it wrote holds placeholders. `how`: assignment, append, … `new`: the
    field was not there before. `index`: the item of a list, if one that is known.
    """

    target: Heap
    key: Any
    value: Any
    place: Place
    name: str
    how: str
    object: str
    traced: bool
    calls: tuple[Place, ...] = ()
    guarded: bool = False
    new: bool = False
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Uncomputed:
    """A trace read an array, or the weights of a layer, that nothing has computed so far. `module`: the call of the outermost module that the
    layer is part of."""

    place: Place
    target: Heap
    module: Place | None = None


@dataclass(frozen=True, slots=True)
class Stale:
    """Between two calls of a compiled object a location that its trace had read was written at `written`; `again` is the later call, which
    finds `present` there.
    """

    read: Read
    present: Any
    written: Place | None
    again: Place
    straight: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the compiled object from host code.

    `given`: every argument that is written out, by position or name; `frame`: the function that the call stands in, `around`: the loops around it.
    `shapes`: per flat array argument its shape, or None; `scalars`, `arrays`: the arguments that are Python values and arrays themselves,
    by position or name, and where they stand; `loops`: how many loops it stands in, `loop` the innermost; `exact` tells argument trees apart as Python does, `flat` as
    the cache does.
    """

    place: Place
    loops: int
    epoch: int
    shapes: tuple[tuple[Any, ...] | None, ...] = ()
    scalars: Mapping[int | str, tuple[Place, Any]] = field(default_factory=dict)
    arrays: Mapping[int | str, tuple[Place, tuple[Any, ...] | None]] = field(default_factory=dict)
    loop: Any = None
    exact: Any = None
    flat: Any = None
    guarded: bool = False
    given: Mapping[int | str, tuple[Place, Any]] = field(default_factory=dict)
    frame: Any = None
    around: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class BadArgument:
    """A call handed over something that is neither a tree of arrays nor a constant, in `versions` of MLX out of those judged. `inside`: it
    stands in a container that is handed over.
    """

    place: Place
    argument: str
    type: str
    inside: bool
    call: Place
    versions: tuple[str, ...]
    judged: tuple[str, ...]


@dataclass(slots=True)
class Trace:
    """One run of the body with placeholders.

    `reach_in`, `reach_out`: identities of the containers under inputs= and outputs=. `leaves`: identities of the arrays that stand in a
    captured list or dict, and where it is captured. `seen`: what has been noted already. `root`: the frame of the compiled function. `muted`: the program says that
    it expects an exception here. `weights`: the same as `leaves` for the arrays of captured modules. `arguments`: by identity of what the body
    sees, the argument that it stands for. `lazy`: what the body reads that was never
    computed, and where; `lost`: how much could not be followed; `computed`: how many arrays the body has made; `returned`: what it gave back, None if it did not come to its end; `seeded`: the body has seeded the random state; `raised`: the body ends in a raise, so that nothing is cached. `parted`: outputs= holds an array that inputs= holds in
    another container; `before`: what older locations held when it first wrote there; `certain`: those that it wrote whatever its
    arguments; `counted`: what it read and wrote, and nothing else had written when it was
    used again; `clocked`: the clock readings that it computes with; `filled`: identities of the modules whose weights it has set itself; `shared`: the arrays, by number, that
    captured modules share with others, and `aliased` the identities of those others that it has read; `decided`: what the conditions on shapes came to.
    """

    record: Record
    started: int
    events: list[Event] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    reach_in: frozenset[int] = frozenset()
    reach_out: frozenset[int] = frozenset()
    leaves: dict[int, Place] = field(default_factory=dict)
    weights: dict[int, Place] = field(default_factory=dict)
    arguments: dict[int, Heap] = field(default_factory=dict)
    held: list[Any] = field(default_factory=list)
    lazy: list[Uncomputed] = field(default_factory=list)
    computed: int = 0
    lost: int = 0
    returned: Any = None
    raised: bool = False
    seeded: bool = False
    random_in: bool = False
    random_out: bool = False
    before: dict[tuple[int, Any], Any] = field(default_factory=dict)
    certain: set[tuple[int, Any]] = field(default_factory=set)
    counted: set[Any] = field(default_factory=set)
    clocked: set[Place] = field(default_factory=set)
    decided: dict[Place, tuple[Any, ...]] = field(default_factory=dict)
    filled: set[int] = field(default_factory=set)
    shared: set[int] = field(default_factory=set)
    aliased: set[int] = field(default_factory=set)
    seen: set[Any] = field(default_factory=set)
    epoch: int = 0
    active: bool = True
    root: Any = None
    outside: Any = None
    muted: bool = False
    parted: bool = False


@dataclass(frozen=True, slots=True)
class Capture:
    """inputs= or outputs= of a site: the value, where the argument stands, and its expression."""

    value: Value
    place: Place
    text: str
    literal: bool
    elements: tuple[tuple[Value, Place], ...] = ()


@dataclass(slots=True, eq=False)
class Record:
    """The history of one compiled object. `decisions`: by shapes of the arguments, what conditions on shapes came to."""

    site: Place
    form: str
    function: Value
    compiled: str
    inputs: Capture | None
    outputs: Capture | None
    shapeless: bool | None
    object: str
    frame: Any
    loops: tuple[Any, ...]
    callers: tuple[Any, ...]
    epoch: int
    order: int
    method_of: str | None = None
    decorates: Place | None = None
    calls: list[Call] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)
    misfits: list[Place] = field(default_factory=list)
    bad_arguments: list[BadArgument] = field(default_factory=list)
    rebound: list[tuple[Place, Place]] = field(default_factory=list)
    fallbacks: list[tuple[Place, Place]] = field(default_factory=list)
    keys: dict[Any, tuple[int, Value, Trace]] = field(default_factory=dict)
    decisions: dict[Any, dict[Place, tuple[Any, ...]]] = field(default_factory=dict)
    threads: list[tuple[Place, int]] = field(default_factory=list)
    escapes: bool = False
    returned: bool = False
    differentiated: bool = False
    inlined: list[Place] = field(default_factory=list)
    exposed: bool = False
    discarded: Place | None = None
    dunder: Place | None = None

    @property
    def captures(self) -> bool:
        return self.inputs is not None or self.outputs is not None
