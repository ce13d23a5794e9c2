"""Facts about a program that uses mx.compile: frozen, typed records without behaviour.

The static tracer derives them from source text, the run-time tracer observes them. Rules and verdicts compare them. `facts/codec.py` turns
them into JSON and back; nothing else is exchanged between the two tracers.

A place is a `Span`: a file name as the user sees it, 1-based rows, 1-based columns in Unicode code points, an exclusive end. Empty tuples mean
"none is known", `None` means "nothing is known".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mxlint.finding import Span

VERSION = 1
"""The version of the JSON form. It grows by one when a field changes its meaning."""

Modality = Literal["must", "may"]
"""Whether a fact happens whenever the compiled function is called, or under conditions that are not decided."""


@dataclass(frozen=True, slots=True)
class Step:
    """One link of a chain of provenance: the value came into being, or was handed on, at `place`."""

    note: str
    place: Span


# -- values ------------------------------------------------------------------------------------------------------------

Size = int | str | None
"""The length of an axis: known, a name that stands for one length, or unknown."""


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """An mx.array. `shape` is None where the rank is unknown; `dtype` is MLX's name of it, such as "float32"."""

    shape: tuple[Size, ...] | None
    dtype: str | None


@dataclass(frozen=True, slots=True)
class ScalarValue:
    """A Python number, string, bool or None. `type` is its type's name, "number" for int or float, "scalar" for any of them.

    `known`: `value` is the value. `varies`: loops or calls in sight bring several values.
    """

    type: str
    value: None | bool | int | float | str
    known: bool
    varies: bool


@dataclass(frozen=True, slots=True)
class ContainerValue:
    """A list, tuple or dict. `items` is None where the length is unknown; `keys` are a dict's, one for each item."""

    type: Literal["list", "tuple", "dict"]
    items: tuple[Value, ...] | None
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectValue:
    """An instance. `type` is the dotted name of its class: `mlx.nn.layers.linear.Linear`, or `Net` for a class of the project."""

    type: str


@dataclass(frozen=True, slots=True)
class NamedValue:
    """Something known by its dotted name alone: a function, class or module of the project or of a library."""

    name: str


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A value of which nothing, or nothing that has a name here, is known. `label` is what the program calls it, if anything."""

    label: str


Value = ArrayValue | ScalarValue | ContainerValue | ObjectValue | NamedValue | UnknownValue


# -- functions ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function. `star` is "", "*" or "**". `value` is what it is taken to be where no call is in sight, None if nothing is."""

    name: str
    star: str
    keyword_only: bool
    annotation: str | None
    has_default: bool
    value: Value | None
    place: Span


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the project. `name` is qualified within its module (`Trainer.step`), `bound` counts the positional parameters that are
    bound already; `outer` is the qualified name of the function or class that encloses it, "" at module level."""

    name: str
    outer: str
    place: Span
    parameters: tuple[Parameter, ...]
    bound: int = 0


# -- what happens around and in a trace --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call. `name` is a position, from 0, in digits, or a keyword."""

    name: str
    place: Span
    value: Value


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a compiled object from code that is not being traced.

    `within` is the qualified name of the function that it stands in, "" at module level; `path` leads to that function, outermost first: the
    calls on the way, and before them the name in the definition of a function that was entered though nothing in sight calls it; `loops` are the loops and comprehensions around it, outermost first.
    """

    place: Span
    arguments: tuple[Argument, ...]
    within: str
    path: tuple[Span, ...]
    loops: tuple[Span, ...]
    modality: Modality


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at `place` during a trace. `kind` is a word of the tracer's vocabulary of events, `what` names the construct.

    `calls` lead from the compiled function to the place, outermost first; `chain` leads from a parameter or a state to the value involved.
    `axes` are the axes involved, by number of the array argument and of the axis (None: any axis of it).
    """

    kind: str
    what: str
    place: Span
    calls: tuple[Span, ...]
    chain: tuple[Step, ...]
    axes: tuple[tuple[int, int | None], ...]
    modality: Modality


@dataclass(frozen=True, slots=True)
class Read:
    """A trace read the location `name`, which is older than the trace, and found `value`."""

    name: str
    place: Span
    calls: tuple[Span, ...]
    value: Value


@dataclass(frozen=True, slots=True)
class Write:
    """A trace wrote the location `name`, which is older than the trace. `how`: assignment, append, …; `placeholder`: it wrote one."""

    name: str
    how: str
    place: Span
    calls: tuple[Span, ...]
    value: Value
    placeholder: bool
    modality: Modality


@dataclass(frozen=True, slots=True)
class Change:
    """A location that a trace had read was written, at `written`, before the call `again` of the same compiled object."""

    name: str
    read: Span
    written: Span | None
    again: Span


@dataclass(frozen=True, slots=True)
class Trace:
    """One run of the body with placeholders. `full`: nothing in it was imprecise."""

    events: tuple[Event, ...]
    reads: tuple[Read, ...]
    writes: tuple[Write, ...]
    full: bool


@dataclass(frozen=True, slots=True)
class Capture:
    """What is given as inputs= or outputs=."""

    place: Span
    text: str


@dataclass(frozen=True, slots=True)
class CompiledObject:
    """All that is known of the objects that one compile site makes in one context, and of their calls, in the order of execution.

    `form` says how the site is written (name, lambda, method, transform, …), `text` what is compiled, as written; `within` is the qualified
    name of the function that the site stands in. `shapeless` is None where it is not known. `nested` are the calls from other traces.
    """

    site: Span
    form: str
    text: str
    within: str
    function: Function | None
    inputs: Capture | None
    outputs: Capture | None
    shapeless: bool | None
    calls: tuple[Call, ...]
    nested: tuple[Span, ...]
    traces: tuple[Trace, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Site:
    """A place where something is compiled, whether or not the tracer came to it. `form` and `text` as in `CompiledObject`."""

    place: Span
    form: str
    text: str


@dataclass(frozen=True, slots=True)
class Import:
    """`name` means the module or attribute `target` (dotted, `mlx.core`, `mlx.core.compile`) in the file of `place`, from there on.

    `source`: the file of the project that `target` is, or is defined in; None for a library.
    """

    name: str
    target: str
    place: Span
    source: str | None


@dataclass(frozen=True, slots=True)
class Facts:
    """What one run of a tracer found out about a program."""

    sites: tuple[Site, ...] = ()
    objects: tuple[CompiledObject, ...] = ()
    imports: tuple[Import, ...] = ()
    version: int = VERSION
