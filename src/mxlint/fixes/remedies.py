"""What a fix needs to know from the facts: what is to be done, and where. Rules hand these over with their findings."""

from __future__ import annotations

from mxlint.facts.events import Class, Element, Extent
from mxlint.finding import Fix, Span
from mxlint.record import Record


class Offer(Record):
    """A fix after which the `names` are to be called another way. `attributes`: they are those of objects."""

    fix: Fix
    names: tuple[str, ...]
    attributes: bool


class Hoist(Record):
    """Compile once: move what is compiled at `site` out of a loop, or out of the function that it stands in. `loop`: the loop, or what it goes
    over; None: the function. `cls`: the class that it stands in."""

    site: Span
    loop: Span | None = None
    cls: Class | None = None


class Wrap(Record):
    """Pass the number `argument` as an array. `function`: what is called, with so many parameters bound already; `arrays`: those that are given
    arrays."""

    argument: Span
    function: Span
    bound: int
    arrays: tuple[str, ...] = ()


class CompileTransform(Record):
    """Compile the transform made at `place`, with what the compiled function captured; `model`: its first argument is the model whose
    weights it changes."""

    place: Span
    captured: tuple[Element, ...]
    model: bool


class Evaluate(Record):
    """Compute arrays before the `call`: each by the name that the body reads it by there, or by a text that means what holds it there. `function`: the
    function that is compiled at `site`."""

    names: tuple[tuple[Span, str], ...]
    site: Span
    call: Span
    function: Span | None


class Recapture(Record):
    """Give inputs= and outputs= of what is compiled at `site` the live containers of these elements; None leaves one as it is. `random`: the
    random state with them; `updates`: the states of the optimizers whose update is called there as well; `models`: and of the models that
    those update."""

    site: Span
    inputs: tuple[Element, ...] | None
    outputs: tuple[Element, ...] | None
    random: bool = False
    updates: tuple[Span, ...] = ()
    models: bool = False
    also: tuple[tuple[Span, str], ...] = ()


class Refill(Record):
    """Change the content of the container that is rebound at `place`."""

    place: Span


class Unbake(Record):
    """Let MLX find the sizes that go into the operation at `place` under shapeless=True of `site`. `shape`: that of the array that it is applied
    to, `sizes`: the sizes that it is given; None where they are not known."""

    place: Span
    site: Span
    shape: tuple[Extent, ...] | None
    sizes: tuple[Extent, ...] | None


class Outside(Record):
    """Do the statement at `place` after the `calls` of `function`, which is compiled at `site`. `others`: what is to be done
    there as well; `needless`: or not at all."""

    place: Span
    site: Span
    function: Span | None
    calls: tuple[Span, ...]
    others: tuple[Span, ...] = ()
    needless: bool = False


class Argument(Record):
    """Give `function`, which is compiled at `site`, what its body reads at `places` as an argument of its `calls`. `arrays`: its parameters that
    are given arrays; `as_array`: it may be given as an array, as far as dtypes go."""

    places: tuple[Span, ...]
    site: Span
    function: Span | None
    calls: tuple[Span, ...]
    arrays: tuple[str, ...] = ()
    as_array: bool = True


class CompileBound(Record):
    """Compile the method `function` in `__init__` and not where its class is made, by the decorator at `site`. `module`: the class is one of mlx.nn;
    `cls`: the class."""

    site: Span
    function: Span | None
    module: bool
    cls: Class | None


class Return(Record):
    """Return what the last statement of `function` computes."""

    function: Span | None


class CheckBefore(Record):
    """Check the arguments of `function`, which is compiled at `site`, in a plain one that calls it; `places`: what raises."""

    places: tuple[Span, ...]
    site: Span
    function: Span | None


class Either(Record):
    """The first of several remedies that makes a fix."""

    ways: tuple[Remedy, ...]


Remedy = (
    Hoist
    | Wrap
    | CompileTransform
    | Evaluate
    | Recapture
    | Refill
    | Unbake
    | Outside
    | Argument
    | CompileBound
    | Return
    | CheckBefore
    | Either
)
