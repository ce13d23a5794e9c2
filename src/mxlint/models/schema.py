"""The model of one callable or attribute of a library, as the interpreter sees it. README.md says what stands for what in the data."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal, NamedTuple

from mxlint.models.expression import ANY, Type, union

ParameterKind = Literal["positional", "either", "keyword", "args", "kwargs"]
"""Positional-only, positional or by keyword, keyword-only, `*args`, `**kwargs`."""

Times = Literal["once", "often", "each", "some", "later", "beside"]
"""How often a callback is called: exactly once, at least once, once per element, any number of times, after the call or in another process, or in another
thread of the program."""

Fold = Literal["no", "small", "always"]
"""Whether the real function may be called on constants: never, with small numbers only (the result grows with them), or always."""

ARRAY_WORDS = frozenset({"formats", "converts", "truth", "index", "bytes", "saves", "logs", "seeks", "counts", "harmless"})
"""What a call does to an mx.array that it is handed. All but `harmless` evaluate it, and raise under mx.compile. `seeks` compares it with the elements
of its object, one after the other until one is equal, and `counts` with each: an array is itself without a comparison."""
REACHES = frozenset({"itself", "elements", "deep", "inside"})
"""The array itself; the rows of the array, or the array as an element of a container; an array at any depth; one in a container only."""
SOURCES = frozenset({"clock", "random", "environment", "input", "counter", "identity", "file", "network", "process"})
"""Where a result comes from that may differ at the next call."""
EFFECTS = frozenset(
    {"prints", "logs", "writes", "reads", "warns", "sleeps", "starts", "configures", "silences", "sends", "exits", "waits", "opens"}
)
"""What happens outside of the program's own objects. `opens P`: a file, for writing if parameter P has one of the letters "wax+"."""
MUTATIONS = frozenset({"adds", "removes", "reorders", "replaces", "consumes", "sets"})
"""New elements; fewer; another order; others in their places; an iterator advanced; attributes or internal state."""
ENDS = frozenset({"first", "last"})
"""The end of a sequence at which elements come or go: what is counted from the other one stays where it is."""
LENGTHS = frozenset({"as", "where", "by", "number"})
"""As many items as something has; as many as there are true ones in it; as a key says; as a number, or one of a shape, says."""
RESULT = Type("result")
"""Where a store goes that goes into what the call gives."""
ROLES = frozenset({"element", "content", "key", "value", "attribute"})


class Parameter(NamedTuple):
    """`default` is the constant of the signature, or `...` if it is no constant; it means nothing unless `optional`.

    `type` is `any`, or what the argument must be for this signature to be the one that holds.
    """

    name: str
    kind: ParameterKind = "either"
    optional: bool = False
    default: Any = None
    type: Type = ANY


class Signature(NamedTuple):
    """One way to call it. A method's `self` or `cls` is not among the parameters."""

    parameters: tuple[Parameter, ...]
    result: Type

    def binds(self, count: int, keywords: Collection[str] = ()) -> bool:
        """Whether a call with so many positional arguments and these keywords fits."""
        places = [p for p in self.parameters if p.kind in ("positional", "either")]
        if count > len(places) and not any(p.kind == "args" for p in self.parameters):
            return False
        named = {p.name for p in places[count:] if p.kind == "either"} | {p.name for p in self.parameters if p.kind == "keyword"}
        if not named.issuperset(keywords) and not any(p.kind == "kwargs" for p in self.parameters):
            return False
        if any(p.name in keywords for p in places[:count] if p.kind == "either"):
            return False
        rest = [*places[count:], *(p for p in self.parameters if p.kind == "keyword")]
        return all(p.optional or (p.kind != "positional" and p.name in keywords) for p in rest)


class Callback(NamedTuple):
    """An argument that the call calls. `spread` names the parameters whose elements (`*`) or items (`**`) are handed on at the end."""

    function: Type
    arguments: tuple[Type, ...] | None
    spread: tuple[str, ...]
    times: Times


class Store(NamedTuple):
    """Something of the arguments that is kept after the call: in self, in the result or in another argument."""

    what: Type
    where: Type
    role: str


class Mutation(NamedTuple):
    """`end`: where elements come or go; "" where that is anywhere."""

    target: Type
    how: str
    end: str = ""


class Share(NamedTuple):
    """What a call gives looks at the data of `target`, a parameter or `self`: a write of either changes the other. `rows`: at all of it, row by
    row; `part`: at some of it only; `perhaps`: it may be a copy as well."""

    target: str
    rows: bool = False
    part: bool = False
    perhaps: bool = False


class Long(NamedTuple):
    """How many items a result has: "as" many as a parameter or `self`, as many as there are true ones "where" that holds some, or as a key says ("by"). `without`
    names a parameter that keeps it from being so when it is given."""

    how: str
    target: str
    without: str = ""


class Lookup(NamedTuple):
    """What lies under an argument: in self, or in a constant of a library."""

    key: str
    of: str = ""


class Raises(NamedTuple):
    """A class of exceptions. `without` names a parameter that keeps it from being raised when it is given."""

    error: str
    without: str = ""


class Effect(NamedTuple):
    """`detail`: the level of a log record; the parameter that gives it, or the level that is configured; `other` where what is configured decides in
    another way which records are formatted; or nothing."""

    kind: str
    detail: str = ""


class ArrayUse(NamedTuple):
    """What happens to an mx.array that comes as this parameter, and how deep inside of it it may lie. `without` names a parameter that keeps it from that
    when it is given."""

    parameter: str
    word: str
    reach: str
    without: str = ""


class Model(NamedTuple):
    """What is known of one name. An absent effect means that there is none; `array` alone tells "none" from "not known"."""

    name: str
    kind: Literal["function", "class", "method", "classmethod", "staticmethod", "attribute"]
    signatures: tuple[Signature, ...]
    fold: Fold = "no"
    calls: tuple[Callback, ...] = ()
    stores: tuple[Store, ...] = ()
    mutates: tuple[Mutation, ...] = ()
    shares: tuple[Share, ...] = ()
    raises: tuple[Raises, ...] = ()
    source: str = ""
    source_without: str = ""
    """A parameter that keeps the result from differing when it is given: `time.gmtime(0)` asks no clock."""
    draws: str = ""
    """The generator that is drawn from: `random`, `numpy.random`, `self`, `system` (cannot be seeded)."""
    seeds: str = ""
    """The generator whose state is set."""
    effect: Effect | None = None
    iterates: tuple[str, ...] = ()
    entry: Lookup | None = None
    """The entry that the call gives, if there is one."""
    length: Long | None = None
    """How many items the result has; None: nothing is said of that."""
    imports: str = ""
    """The parameter that names a module, which the call imports and gives."""
    array: tuple[ArrayUse, ...] | None = None
    """None: not known."""
    unordered: bool = False
    """Whether the result is the same for numbers, strings or arrays in another order, but for the rounding of a float."""
    few: bool = False
    """Whether the result is one of few numbers, however far a counter goes that the call is given."""
    spread: str = ""
    """How far apart most of the numbers lie that the call draws or reads off a clock, as an expression over its parameters. Of integers, it is how many there are."""
    rounds: str = ""
    """To multiples of what the call rounds its first argument, as an expression over its parameters."""
    since: str = ""
    until: str = ""
    """Versions of Python, or of the library, that have it: from `since`, before `until`."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of the only signature, or of the first."""
        return self.signatures[0].parameters if self.signatures else ()

    @property
    def result(self) -> Type:
        """What any of the signatures gives."""
        return union([signature.result for signature in self.signatures])

    def binding(self, count: int, keywords: Collection[str] = ()) -> tuple[Signature, ...]:
        """The signatures that a call fits, in the order in which they are to be tried. None: it raises TypeError."""
        return tuple(signature for signature in self.signatures if signature.binds(count, keywords))


class Constant(NamedTuple):
    """A module's attribute that is neither function, class nor module: its value if that is the same everywhere, else only its type."""

    type: Type
    known: bool = False
    value: Any = None


class SchemaError(ValueError):
    """An entry that does not follow the schema; the message names file and entry."""
