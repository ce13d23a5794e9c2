"""What is known of the functions and methods that were entered: who calls one later asks it."""

from __future__ import annotations

from mxlint.domain.members import Ref
from mxlint.interpreter.open_world.handed_back import Way


class Entries:
    """What has become of the entries."""

    __slots__ = (
        "counting",
        "cut_short",
        "drawing",
        "entered",
        "fleeting",
        "hand_out",
        "hand_out_nothing",
        "handed_back",
        "leaving",
        "plain",
        "prepared",
        "unfinished",
        "unmade",
        "warm",
    )

    def __init__(self) -> None:
        self.entered: set[int | Ref] = set()
        """Functions that were entered as entries: identities of their nodes, and objects that activations have made of them."""
        self.hand_out_nothing: set[int] = set()
        """Functions that give no object to who calls them, when they are entered: identities of their nodes."""
        self.hand_out: set[int] = set()
        """Functions that give others functions which activations have made, or keep these for them, when they are entered, and of which one counts, draws
        or may change what a trace has read: identities of their nodes."""
        self.handed_back: dict[int, tuple[Way, ...]] = {}
        """What functions give back of what they are given, when they are entered: by the identities of their nodes."""
        self.leaving: set[int] = set()
        """Functions that leave something compiled where others come to it, when they are entered: identities of their nodes."""
        self.warm: set[int] = set()
        """Functions that give an object whose compiled functions they have called, as its constructor does to warm them up, when they are entered: identities
        of their nodes."""
        self.prepared: dict[int, int | None] = {}
        """Methods that reach something compiled, if at all, on objects whose other methods ran before: identities of their nodes, with that of the one that is
        enough; None: it takes several."""
        self.unfinished: set[int] = set()
        """Functions whose entry a budget has cut short, by the identity of their nodes: no run that begins with that call comes to its end."""
        self.unmade: set[int] = set()
        """Classes of which a budget has cut short how an object is made."""
        self.cut_short: set[tuple[object, str]] = set()
        """Functions that a budget has kept from coming to all that they call, by file and qualified name."""
        self.counting: dict[int, bool] = {}
        """Whether a call of a function that was entered left another number, list or longer array where one was: by the number of its node."""
        self.drawing: set[int] = set()
        """Functions in whose entry a compiled object was given a number that was drawn or read off a clock: the identities of their nodes."""
        self.plain: set[int] = set()
        """Functions that are given no objects of classes of the program, when they are entered: identities of their nodes."""
        self.fleeting: set[int] = set()
        """Functions that call nothing compiled but what they make and let go of, when they are entered: identities of their nodes."""
