"""What the interpreter keeps beside the heap: in which mode it runs, and what was seen so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mxlint.domain.guards import Identity
    from mxlint.domain.heap import Field, Location
    from mxlint.domain.members import Bound, Const, External, Loops, Value
    from mxlint.domain.place import Place
    from mxlint.facts.events import Where
    from mxlint.interpreter.compiled.state import Trace
    from mxlint.interpreter.machine.arguments import Arguments
    from mxlint.interpreter.machine.frames import Context
    from mxlint.syntax import ir


@dataclass(slots=True)
class Modes:
    """How the stretch that runs came about. What a call does may depend on it, so it is part of the key of a summary."""

    differentiating: bool = False
    """`mx.grad` and its like run a function: MLX does not replay what is compiled in it."""
    applying: bool = False
    """An optimizer's update has called its own `apply_gradients`."""
    entered_alone: bool = False
    """An entry runs that nothing in sight calls."""
    thread: tuple[Place, int] | None = None
    """The thread that runs: where it was started, and which it is of those."""
    client: str | None = None
    """What the most general client of a class presumes."""
    expected: tuple[tuple[int, frozenset[str]], ...] = ()
    """The exceptions that a test says to be raised here, by the block that says it."""
    taking: Const | None = None
    """The key of the entry that an expression takes out of the name or attribute that is read. No call runs while it is set, but that of a property."""

    telling: bool = False
    """A trace comes to what only tells something: nothing of what it reads there is used."""
    remembered: bool = False
    """A function runs in a trace whose value is kept, and which would run once without the trace, too: what it reads and does is none of the trace's."""

    def key(self) -> tuple[object, ...]:
        """All modes, to be compared."""
        return (
            self.differentiating,
            self.applying,
            self.entered_alone,
            self.thread,
            self.client,
            self.expected,
            self.taking,
            self.telling,
            self.remembered,
        )


@dataclass(slots=True)
class Ledger:
    """What was seen so far, over all states: nothing of it is taken back with them."""

    writers: dict[Location, Place] = field(default_factory=dict)
    """Who wrote a location last."""
    writes: dict[Location, int] = field(default_factory=dict)
    """How often it was written."""
    changed_in_traces: dict[object, tuple[int, Where]] = field(default_factory=dict)
    """Locations that a trace wrote, and changes of its arguments: which compiled object, and where."""
    changed_fields: dict[object, dict[Field, tuple[int, Where]]] = field(default_factory=dict)
    """What of an argument a trace changed, by the key of its last change: which compiled object, and where."""
    capturing: dict[int | None, tuple[Trace, Value, Place]] = field(default_factory=dict)
    """Traces whose captured containers an exception may have left with placeholders, by number: the function, and where it was called."""
    trace_numbers: dict[object, int] = field(default_factory=dict)
    """The number of each trace, by its compiled object and cache key."""
    makers: dict[object, str] = field(default_factory=dict)
    """A name for each set of values that the parameters of a function which compiles held."""
    results: dict[object, Value] = field(default_factory=dict)
    """What functions gave that a library called back, by the library's function and the place."""
    rounds: dict[Context, int] = field(default_factory=dict)
    """Of each round of a loop that stands for many, by its context: how many had begun when it began last."""
    begun: int = 0
    """How many rounds have begun."""
    written: dict[str, int] = field(default_factory=dict)
    """The modules of libraries that are written in Python, by name."""
    threads: dict[object, int] = field(default_factory=dict)
    """The number of each thread, by where it was started."""
    clock_readings: dict[Place, tuple[Value | None, Value | None, Value | None, Value | None]] = field(default_factory=dict)
    """What each reading of a clock found: the reading before, the compiled call since, whether something waited for it."""
    cut: dict[int, Loops] = field(default_factory=dict)
    """Lists that are a slice of another, one end of which loops move: which."""
    finite_loops: set[Place] = field(default_factory=set)
    """Loops whose number of rounds is known."""
    endless_loops: set[Place] = field(default_factory=set)
    """Loops that only a `break` ends."""
    given_loops: set[Place] = field(default_factory=set)
    """Loops of which nobody in sight says how many rounds they have: over what is not in sight."""
    lengthened: dict[int, Place] = field(default_factory=dict)
    """Arrays that an operation joined with more, and where."""
    as_long: dict[int, dict[int, int | None]] = field(default_factory=dict)
    """Arrays that have the lengths of others, but for that along an axis."""
    joined: dict[int, tuple[tuple[Value, ...], Value]] = field(default_factory=dict)
    """Of arrays that are longer than each of several, those and the axis along which they are joined."""
    taken_by_name: dict[Identity, frozenset[str]] = field(default_factory=dict)
    """What `getattr` gives by a name that nobody in sight says: the modules of libraries that it is taken out of, if it is out of such alone."""
    made_functions: dict[Identity, tuple[str, Arguments]] = field(default_factory=dict)
    """Functions that MLX made, such as schedules and initializers: by which function, with which arguments."""
    deleted: set[Location] = field(default_factory=set)
    """Names that a `del` has unbound."""
    differentiated: set[Identity] = field(default_factory=set)
    """Symbolic things that `nn.value_and_grad` is given as models."""
    unseen: dict[Identity, int] = field(default_factory=dict)
    """The objects that stand for the state of symbolic models and optimizers."""
    given_at: dict[int, dict[str, Place]] = field(default_factory=dict)
    """Where the arguments of a layer or optimizer were given, by their names."""
    shadows: dict[Identity, int] = field(default_factory=dict)
    """The objects that hold what the program writes on symbolic values."""
    replaced: dict[str, int] = field(default_factory=dict)
    """The objects that stand for classes and modules of libraries of which the program sets attributes, by name."""
    assigned: set[str] = field(default_factory=set)
    """The names of the attributes that the files in `indexed` set, on something other than the object of a method."""
    indexed: set[str] = field(default_factory=set)
    """The modules that have been asked which attributes they set."""
    presumed: dict[int, str] = field(default_factory=dict)
    """Objects that stand for parameters, with the presumption that they rest on."""
    samples: dict[object, Value | None] = field(default_factory=dict)
    """One object of each class that was made with symbolic arguments, by the class."""
    given: set[int] = field(default_factory=set)
    """Objects that stand for what somebody out of sight gives: their class may be another one that extends theirs."""
    handed_out: set[Bound] = field(default_factory=set)
    """Methods, with their objects, that something out of sight was given, and may call at any time."""
    making: set[object] = field(default_factory=set)
    """Classes of which such an object is being made."""
    entered: set[int] = field(default_factory=set)
    """Functions that were entered as entries: identities of their nodes."""
    prepared: dict[int, int | None] = field(default_factory=dict)
    """Methods that come to something compiled, if at all, on objects whose other methods ran before: identities of their nodes, with that of the one that is
    enough; None: it takes several."""
    run: set[int] = field(default_factory=set)
    """Functions whose body has run."""
    updated_at: dict[int, Place] = field(default_factory=dict)
    """Where an optimizer made a weight, by the number of the array."""
    element_of: dict[Identity, Identity] = field(default_factory=dict)
    """The iterable of which something symbolic is an element."""
    parts: dict[Identity, Value] = field(default_factory=dict)
    """The arrays of libraries of which something symbolic is a part, as a row that may be a number."""
    inherited: dict[int, dict[str, External]] = field(default_factory=dict)
    """What the methods of classes with a base out of sight use as a module or an optimizer, by the class and the attribute."""
    uses: dict[tuple[int, str, int, bool], External | None] = field(default_factory=dict)
    """The classes of which parameters and variables are instances by their uses, by the function, the name, how far they are followed, and which of the
    two they are."""
    kept_uses: dict[int, dict[str, External]] = field(default_factory=dict)
    """The classes of which attributes are instances by what the methods of a class do with them, by the class."""
    taken_for: dict[Identity, int] = field(default_factory=dict)
    """The objects that stand for what calls out of sight give and uses say what it is, by what the call gave."""
    arrays: dict[tuple[int, str, int | None, int], bool] = field(default_factory=dict)
    """Whether parameters are used as nothing but arrays are, by the same."""
    callbacks: dict[str, frozenset[tuple[int, int]]] = field(default_factory=dict)
    """Where functions stand that a caller may give as callbacks, by their file."""
    dicts: dict[tuple[int, str, int], bool] = field(default_factory=dict)
    """Whether they are used as nothing but dicts are."""
    traced_alone: set[int] = field(default_factory=set)
    """Compiled objects that were traced though nothing calls them."""
    annotations: dict[tuple[int, str], ir.Expr] = field(default_factory=dict)
    """What annotates the names in the body of a class."""
    dispatched: dict[Place, str] = field(default_factory=dict)
    """Methods that a call of something symbolic may come to, with the presumption that it does."""
    among: dict[Identity, tuple[Const, ...]] = field(default_factory=dict)
    """What something symbolic is one of, where the program says so."""
    texts: set[object] = field(default_factory=set)
    """What is compared with texts, by identity, as far as the conditions have been gone through: the first `asked_for_texts`."""
    asked_for_texts: int = 0
    defaults: dict[Identity, Const] = field(default_factory=dict)
    """What the program says that symbolic values and conditions are, if nobody gives them."""
    counting: dict[int, bool] = field(default_factory=dict)
    """Whether a call of a function that was entered left another number or list where one was: by the number of its node."""
    called: set[int] = field(default_factory=set)
    """Compiled objects that something has called, on whatever path."""
    compiled_at: dict[Place, dict[int, tuple[Location, ...] | None]] = field(default_factory=dict)
    """The compiled objects of each site that were called, and where they were stored then (None: in nothing older than what made them)."""
    unfinished: set[int] = field(default_factory=set)
    """Functions whose entry a budget has cut short, by the identity of their nodes: no run that begins with that call comes to its end."""
    unmade: set[int] = field(default_factory=set)
    """Classes of which a budget has cut short how an object is made."""
    cut_short: set[tuple[object, str]] = field(default_factory=set)
    """Functions that a budget has kept from coming to all that they call, by file and qualified name."""
    read_contents: bool = False
    """A trace has read what is in an array that is older."""
    computes: bool = False
    """Something symbolic was called with placeholders, and gave something."""
    rehearsed: dict[object, tuple[int, bool | None]] = field(default_factory=dict)
    """How many of the next runs of a body have been tried, and whether they compute what its trace has computed, by the trace and what lies where it
    reads and writes."""
    compared: dict[tuple[Value, Value], Value] | None = None
    """What `==` gave of the pairs of objects that the comparison under way has come to."""
