"""What happens in traces and around them, as the static tracer writes it and rules read it: frozen, typed, without behaviour.

Modality: each record has the conditions that it depends on, relative to the calls of the compiled function (docs/semantics.md, "Modality and severity"). No
conditions: it must happen.
"""

from __future__ import annotations

from typing import Final, Literal

from mxlint.facts.values import Size, Step, Value
from mxlint.finding import Span
from mxlint.record import Record

VERSION = 1
"""The version of the JSON form."""
EXPORT = "export"
"""The form of what `mx.export_function` and `mx.exporter` trace: it is kept in a file, and nothing calls it."""
GRADIENT = "gradient"
"""The note of an event that is about the gradient of an operation, and not about what computes its result."""


class Where(Record):
    """A place and what is written there, in one line."""

    span: Span
    text: str


Way = Literal[
    "test",
    "rounds",
    "several",
    "axes",
    "lacks",
    "handler",
    "exception",
    "callback",
    "installed",
    "prepared",
    "optimizer",
    "shared",
    "value",
    "outcome",
]
"""What it is that is not decided: how a test comes out, whether a loop has a round, there are several things to compare, an array has the axes that it is asked for, or a container what it is asked for, an exception comes to a handler, a library calls what it was given, a
method ran before, which of several values something has, or what else comes of it."""


class Condition(Record):
    """Something that is not decided: the place as written, the outcome that is meant (None: there are no two), and why: "open" where nobody in sight says,
    "client" where a public method may run between two calls.
    `argument`: the test depends on an argument of the compiled function. `default`: it holds if callers leave the defaults as they are."""

    where: Where
    cause: str
    outcome: bool | None = None
    argument: bool = False
    default: bool = False
    way: Way = "test"


class Modality(Record):
    """Under which conditions, and on which presumptions ("`model` is an nn.Module"), a record holds."""

    conditions: tuple[Condition, ...] = ()
    presumed: tuple[str, ...] = ()

    def __hash__(self) -> int:
        """In constant time: facts within one another's branches share all but their last conditions."""
        return hash((len(self.conditions), self.conditions[-1:], self.presumed))

    @property
    def steps(self) -> int:
        """By how many steps it lowers a severity: one for conditions, one for presumptions. What holds by default lowers nothing."""
        return any(not condition.default for condition in self.conditions) + bool(self.presumed)


class Ignored(Record):
    """Something in a captured container into which MLX does not look. `kind`: optimizer, object, generator or set; `objects`: itself, and what it leads to."""

    kind: str
    objects: tuple[int, ...]


class Element(Record):
    """One thing that inputs= or outputs= is given. `kind`: module, optimizer, random, list, dict (all live), parameters (a fresh copy), array,
    tuple (of arrays), copy (a container that nothing else holds), generator, set, object, number, unknown. `object`: the number of the live
    container. `holds`: it holds a fresh copy of a module's parameters. `inside`: the containers that lie in it, of those that are given as well;
    `copied`: the containers of the fresh copies. `ignored`: what it holds into which MLX does not look."""

    where: Where
    kind: str
    object: int | None
    holds: bool = False
    inside: tuple[int, ...] = ()
    copied: tuple[int, ...] = ()
    ignored: tuple[Ignored, ...] = ()


class Capture(Record):
    """inputs= or outputs=: the argument, and what it holds. `literal`: the container itself is written there."""

    where: Where
    elements: tuple[Element, ...]
    literal: bool


class Parameter(Record):
    """A parameter of a function. `star` is "", "*" or "**". `value` is what it is taken to be where no call is in sight, None if nothing is."""

    name: str
    star: str
    keyword_only: bool
    annotation: str | None
    has_default: bool
    where: Where
    value: Value | None = None


class Function(Record):
    """What is compiled. `kind`: function, lambda, method, module, transform, partial, compiled, library, generator, coroutine, value, unknown.

    `name` is qualified within its module (`Trainer.step`); `bound` counts the positional `parameters` that are bound already.
    """

    kind: str
    name: str
    where: Where | None
    parameters: tuple[Parameter, ...]
    bound: int = 0


class Compiled(Record):
    """One compiled object: a site in one context. `number` names it in the other records; `site_number` its site.

    `loops`: loops of the same function around the site, outermost first; `caller_loops`: those around the calls that lead to it; `repeated`: how
    often at least the site is passed, as far as the interpreter saw ("once", "again"). `escapes`: it is returned, stored in an object or container
    older than the activation, or handed to something not followed. `public`: other files may use it by its name. `run`: it is made when the
    file runs, not only where nothing in sight calls. `in_module`: the class of `method_of` is a module. `identity`: the number of the function
    object, by which MLX's cache knows it. `again`: an earlier round of the loops around it may have made one that was called. `owner`: that of the object whose method it is, or that is compiled itself, if it is older than the rounds of loops that run; `turns`: where that stands for several objects, the loops that take another one in each round. `returned`: the function that makes it returns it, and it does not escape besides; `maker`: what that function
    was given, as a string that is equal for equal arguments. `decorates`: the decorator, where it compiles a method. `outlived`: nothing led to it any more when a later object of its site was called. `layer`, `caller_layer`: the `__call__` of the module that makes it, "" if none does.
    """

    number: int
    site: Where
    form: str
    text: str
    within: str
    function: Function
    inputs: Capture | None
    outputs: Capture | None
    shapeless: bool | None
    loops: tuple[Where, ...]
    caller_loops: tuple[Where, ...]
    escapes: bool
    method_of: str | None
    decorates: Where | None
    module_level: bool
    modality: Modality
    layer: str = ""
    caller_layer: str = ""
    returned: bool = False
    maker: str = ""
    public: bool = False
    run: bool = True
    in_module: bool = False
    identity: int | None = None
    outlived: bool = False
    owner: int | None = None
    turns: tuple[Where, ...] = ()
    again: bool = False
    carried: bool = False
    """It escapes into nothing but what the call that makes it makes as well, such as an object that this gives back."""
    replaces: str = ""
    """The name of the method that it is made of, if a class holds it in the place of that."""


class Argument(Record):
    """An argument of a call: position or name, where it is written, what it is. `bad`: the type that MLX refuses, if it does; `inside`: it lies in a
    container that is the argument; `versions`: the versions of MLX that refuse it, out of those judged; `grows`: why the shape of an array in
    it differs from round to round of a loop, if it does: "rounds" (each round makes it of what the last one made), "number" (a length is a number
    that the loop changes); `conditions`: under which it is what MLX refuses, where it may be something else; `presumed`: that it varies is a
    presumption, in these words; `most`: how many lengths it has where it is a part of something longer that comes to an end, 0 if any. What a star hands on is named "*" where its length is not known, else each part
    is an argument; `starred`: it is such a part, and written is what the star stands before."""

    name: str
    where: Where
    value: Value
    bad: str = ""
    inside: bool = False
    versions: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    grows: str = ""
    conditions: tuple[Condition, ...] = ()
    presumed: str = ""
    most: int = 0
    starred: bool = False


class Call(Record):
    """A call of a compiled object. `outcome`: traced (a new trace), replayed, either, inlined (inside of another trace), differentiated (under
    mx.grad and the like, where the body runs each time), disabled. `path`: calls that lead to the function that it stands in, outermost first.
    `thread`: what starts the thread that it runs in, None for that of the program. `flat`, `exact`: strings that are equal if the cache, or Python, cannot distinguish two calls; empty where they are not known."""

    object: int
    where: Where
    arguments: tuple[Argument, ...]
    outcome: str
    within: str
    loops: tuple[Where, ...]
    path: tuple[Span, ...]
    modality: Modality
    flat: str = ""
    exact: str = ""
    thread: Where | None = None
    shapes: tuple[tuple[Size, ...] | None, ...] = ()
    """The shapes of the array arguments, in the order in which events number them."""
    finite: tuple[Where, ...] = ()
    """Those of the loops around it that go over things that are there before, and known one by one: constants that are written out, layers."""
    thread_number: int = 0
    """Which of the threads that `thread` starts."""
    alone: bool = False
    """It lies in a function that nothing in sight calls: how often it happens is not known."""
    older: bool = False
    """The object may have been made in an earlier round of the loops around what makes it."""
    forms: tuple[str, str] = ("", "")
    """Of one that is `alone`: `flat` and `exact` if the arrays that it is given, whose shapes nobody in sight says, have those of other such calls."""


Axis = tuple[int, int | None]
"""An axis of an array argument of the compiled function: number of the array among the arguments, axis (None: any of it)."""


class Effect(Record):
    """A way in which an operation of a shapeless trace fails: `first` (raises at the first call), or, when one of the dimensions `axes` changes,
    `raises`, `wrong` (values) or `crash` (memory out of bounds).

    `when`: a change of every dimension does that (`every`), of some of them (`one`), or one between 1 and another size (`unit`; `seen` if the
    calls in sight bring that about: for a crash, if all of them have length 1 in one call), one to less than it was at first (`less`), a length over `limit`
    (`over`); any call does, whatever its shapes (`always`). `versions` are those of MLX with that effect, out of those judged; `right_on` the devices without it.
    """

    way: str
    axes: frozenset[Axis]
    when: str
    versions: tuple[str, ...]
    judged: tuple[str, ...]
    right_on: tuple[str, ...] = ()
    limit: int = 0


class Extent(Record):
    """A size that goes into an operation, and the axes that it comes from."""

    size: Size
    axes: frozenset[Axis]


class Decision(Record):
    """A comparison of the length of an axis with a number, or with that of another axis."""

    op: str
    left: Axis | int
    right: Axis | int


class Event(Record):
    """Something that happens during a trace.

    `kind`: format, log, evaluate, convert, truth, index, draw, raise, effect (`note`: where its value comes from, or what it does), counted (what
    the trace itself changes and uses; `note`: "number" or another "value"), misfit (a call that the parameters do not take), mutate, return, kernel, transform,
    escape (a placeholder is given to something that is not followed), module (an argument that is one, and a dict here, is called or asked for what dicts
    do not have), unsupported, unsafe, bake, branch.
    `what` names the construct, `note` what it is applied to; `calls` lead from the compiled function to the place, `chain` from a parameter
    to the value. `axes`: (argument, axis) pairs that a size comes from. `swallowed`: a handler of the trace catches what MLX raises.
    Where a size is baked in: `shape` is that of the array that the operation is applied to, `sizes` are the integers that it is given, in order;
    None: not known, or something else. Of a branch: `decision` is the comparison that it takes, if it takes one of lengths as they are. Of what is counted:
    `written` is where the trace changes it.
    """

    object: int
    trace: int
    kind: str
    where: Where
    what: str
    note: str
    within: str
    calls: tuple[Where, ...]
    chain: tuple[Step, ...]
    axes: tuple[Axis, ...]
    modality: Modality
    swallowed: bool = False
    target: str = ""
    effects: tuple[Effect, ...] = ()
    shape: tuple[Extent, ...] | None = None
    sizes: tuple[Extent, ...] | None = None
    decision: Decision | None = None
    written: Where | None = None


Kind = Literal["array", "weights", "python", "random", "container", "mode"]


class Read(Record):
    """A trace reads a location that is older than itself. `location` names it: object number and field. `kind`: what lies there: array,
    python (a number, text or flag), mode (whether a layer trains), frozen (which weights are trained), object, captured (a captured container)
    or symbolic. `container`: what a capture would have to name to hold the location, as the trace reaches it (`model.state`, `cache`); ""
    where no capture can hold it. `alias`: the array is an "argument" of the call as well, or "captured" by inputs= in a list or dict, or
    in a "module", and read here under another name; or still to be computed from such a one, its "operand"; `source`, `holder`: where that is captured, and the number of the container; they are empty where what
    is read reaches no output. `lazy`: the array was never computed before; `unsized`: what makes it, or something that it is computed from, and cannot infer its shape, as a
    trace with shapeless=True asks of it. `default`: a parameter of this name was given nothing, and took what `def` computed."""

    object: int
    trace: int
    location: tuple[int, str]
    name: str
    where: Where
    calls: tuple[Where, ...]
    kind: str
    value: Value
    captured: bool
    modality: Modality
    container: str = ""
    alias: str = ""
    source: Where | None = None
    holder: int | None = None
    lazy: bool = False
    unsized: str = ""
    default: bool = False


class Write(Record):
    """A trace writes a location that is older than itself. `how`: name, attribute, item, items (a list as a whole), content (an array in
    place), property (what a cached property of a module keeps, which is no part of its state), update (of a module), moments and step (of an optimizer), differentiate; `placeholder`: what is written is one, or holds one. `new`: the location did not
    exist; a list: it grew. `again`: the same trace read the location before. `container`: as in `Read`."""

    object: int
    trace: int
    location: tuple[int, str]
    name: str
    where: Where
    calls: tuple[Where, ...]
    how: str
    kind: str
    value: Value
    placeholder: bool
    captured_in: bool
    captured_out: bool
    new: bool
    modality: Modality
    again: bool = False
    container: str = ""


class Stale(Record):
    """At `call` a location that a trace of the object reads holds something else than at the trace, and `written` wrote it since."""

    object: int
    location: tuple[int, str]
    name: str
    kind: str
    read: Where
    written: Where
    call: Where
    before: Value
    after: Value
    calls: tuple[Where, ...]
    modality: Modality
    container: str = ""


class Trace(Record):
    """One run of a body with placeholders. `operations`: arrays that it made; `random_in`, `random_out`: whether the random state is captured;
    `parted`: inputs= and outputs= hold the same arrays in two containers; `returns`: what it gives back; `ended`: it came to its end; `full`: nothing imprecise decided anything in it.
    `ranks`: of the arrays that it is given, in the order in which events number them; None: not known."""

    object: int
    number: int
    operations: int
    random_in: bool
    random_out: bool
    returns: Value
    ended: bool
    full: bool
    parted: bool = False
    ranks: tuple[int | None, ...] = ()


class Loop(Record):
    """A loop of a traced body whose `rounds` are known: together they made so many arrays (`operations`), all of which are part of the graph, and about
    so many of them by operations that MLX merges with the one before (`merged`).
    `around`: the loops of the trace in whose rounds it runs, outermost first."""

    object: int
    trace: int
    where: Where
    within: str
    calls: tuple[Where, ...]
    around: tuple[Where, ...]
    rounds: int
    operations: int
    merged: int
    modality: Modality


COMES_BACK: Final = "comes back"
"""Why the shape of an argument differs (`Argument.grows`) whose loop begins anew, with the same shapes, in each round of one around it."""


PARAMETER_OF: Final = " of "
"""Stands between a parameter that takes no array and the function of MLX that has it, in what uses a value (`Event.what`)."""
ASSERTED: Final = "asserted"
"""Of a note that host code relies on what a trace changed: an assertion does that may hold."""


UNFOLLOWED: Final = "unfollowed"
"""The kind of a note that it could not be followed whether a compiled object is stale at a call."""
RESTORED: Final = "restored"
"""The kind of a note that a call after an exception finds other arrays in what is captured than the placeholders of the trace that it has left."""
STILL_BROKEN: Final = "still broken"
"""The kind of a note that such a call may find placeholders."""
LEFT_UNEVALUATED: Final = "left unevaluated"
"""The kind of a note that a thread asks for an array that another one has put into captured state and not evaluated (`also`: where)."""
PUT_RIGHT: Final = "put right"
"""The kind of a note that something else is put where a trace has left a placeholder, before anybody reads there (`also`: where the trace wrote)."""
RAN: Final = "ran"
"""The kind of a note that the function of a compiled object ran in place of a trace, to its end."""


class Note(Record):
    """Something beside compiled objects: compile disabled, an environment setting, a clock reading, an assignment of the random state, a
    transform of a compiled function, a thread, host code that relies on what a trace changed (`also`: where)."""

    kind: str
    where: Where
    what: str
    object: int | None
    modality: Modality
    also: tuple[Where, ...] = ()


class Doubt(Record):
    """What could not be followed, so that a compiled object is not followed in full. `object`: None where that may be any of the run, or of what is compiled
    `within` some places."""

    object: int | None
    where: Where
    reason: str
    within: tuple[Span, ...] | None = None


class Class(Record):
    """A class of the program in which something is compiled. `library`: the first class of a library that it inherits, "" if none; `above`, `below`: the
    definitions of what it inherits and of what inherits it, directly or not; `known`: all that it inherits is of the program or of MLX;
    `elsewhere`: a file of the run that this analysis did not come to may have more below."""

    where: Span
    library: str
    above: tuple[Span, ...]
    below: tuple[Span, ...]
    known: bool
    elsewhere: bool


class Log(Record):
    """All facts of one run. `whole`: no budget has cut it short. `version` is that of their JSON form: it grows by one when a field changes its meaning."""

    compiled: tuple[Compiled, ...] = ()
    calls: tuple[Call, ...] = ()
    traces: tuple[Trace, ...] = ()
    events: tuple[Event, ...] = ()
    reads: tuple[Read, ...] = ()
    writes: tuple[Write, ...] = ()
    stale: tuple[Stale, ...] = ()
    notes: tuple[Note, ...] = ()
    loops: tuple[Loop, ...] = ()
    imprecise: tuple[tuple[Where, str], ...] = ()
    classes: tuple[Class, ...] = ()
    whole: bool = True
    doubts: tuple[Doubt, ...] = ()
    version: int = VERSION
