"""The arguments of a call, evaluated, with the place of each: positional ones, keywords, and stars of unknown length."""

from __future__ import annotations

from collections.abc import Sequence

from mxlint.domain.arrays import ShapeOf
from mxlint.domain.members import Member, Unbound, Value
from mxlint.domain.place import Place
from mxlint.syntax import ir


class Arguments:
    """The arguments of a call, evaluated. `places` has one entry for each positional one and each keyword; `star`, `kwstar`: values whose
    items are not known one by one. `node`: the call; `bound_node`: the call of functools.partial that gave some of them; `decorates`: the
    name of what a decorator is called with, "" for other calls. `behind`: what stands behind a star of unknown length, after what that holds alone. `spread`: what a star of
    unknown length spreads, and where it is written. `perhaps`: keywords that are given or not, until the call is made each way. `named`: what `kwstar` has under
    some names, UNBOUND where it has nothing there. `unnamed`: what it has besides. `is_given`: nobody in sight says what the stars hold, and how many."""

    __slots__ = (
        "args",
        "behind",
        "bound_node",
        "decorates",
        "is_given",
        "keyword_places",
        "keywords",
        "kwstar",
        "named",
        "node",
        "perhaps",
        "places",
        "spread",
        "star",
        "unnamed",
    )

    def __init__(
        self,
        args: Sequence[Value] = (),
        keywords: dict[str, Value] | None = None,
        star: Value | None = None,
        kwstar: Value | None = None,
        places: Sequence[Place] = (),
        keyword_places: dict[str, Place] | None = None,
        node: ir.Call | None = None,
    ) -> None:
        self.args = tuple(args)
        self.keywords = keywords or {}
        self.star = star
        self.kwstar = kwstar
        self.places = tuple(places)
        self.keyword_places = keyword_places or {}
        self.node = node
        self.behind: tuple[Value, ...] = ()
        self.spread: tuple[tuple[Value, Place], ...] = ()
        self.bound_node: ir.Call | None = None
        self.decorates = ""
        self.is_given = False
        self.perhaps: dict[str, Value] = {}
        self.named: dict[str, Value] = {}
        self.unnamed = kwstar

    def get(self, position: int, name: str = "") -> Value | None:
        """An argument by position or name; None if it is not given."""
        if 0 <= position < len(self.args):
            return self.args[position]
        return self.keywords.get(name)

    def place(self, position: int, name: str, default: Place) -> Place:
        """Where an argument is written."""
        if 0 <= position < len(self.places):
            return self.places[position]
        return self.keyword_places.get(name, default)

    def bound(self, owner: Value) -> Arguments:
        """The arguments with one more in front."""
        front = (self.places[0],) if self.places else ()
        places = (*front, *self.places) if len(self.places) == len(self.args) and front else self.places
        made = Arguments((owner, *self.args), self.keywords, self.star, self.kwstar, places, self.keyword_places, self.node)
        made.behind = self.behind
        made.spread = self.spread
        made.is_given, made.named, made.unnamed = self.is_given, self.named, self.unnamed
        return made

    def deciding(self, name: str, member: Member) -> Arguments:
        """The arguments with one member of a keyword that is given perhaps, or without it."""
        keywords = self.keywords if isinstance(member, Unbound) else {**self.keywords, name: member}
        made = Arguments(self.args, keywords, self.star, self.kwstar, self.places, self.keyword_places, self.node)
        made.behind, made.spread, made.is_given = self.behind, self.spread, self.is_given
        made.named, made.unnamed = self.named, self.unnamed
        made.perhaps = {other: value for other, value in self.perhaps.items() if other != name}
        return made

    @property
    def starred(self) -> tuple[Value, ...]:
        """What a star of unknown length holds, and what stands behind it: the whole of a shape that is all that is spread; nothing if there is none."""
        if len(self.spread) == 1 and not self.behind and isinstance(self.spread[0][0], ShapeOf):
            return (self.spread[0][0],)
        return self.behind or (() if self.star is None else (self.star,))

    @property
    def values(self) -> tuple[Value, ...]:
        """All of them, in order."""
        return (
            *self.args,
            *self.keywords.values(),
            *(() if self.star is None else (self.star,)),
            *(() if self.kwstar is None else (self.kwstar,)),
        )
