"""What a fix needs to know from the trace: what is to be done, and where. Rules hand these over with their findings."""

from __future__ import annotations

from dataclasses import dataclass

from mxlint.tracing.values import Place, Value


@dataclass(frozen=True, slots=True)
class Hoist:
    """Compile once: move what is compiled at `site` out of `loop`, or without one out of the function that it stands in."""

    site: Place
    loop: Place | None = None


@dataclass(frozen=True, slots=True)
class Wrap:
    """Pass the number `argument` of `call` as an array. `function`: what is called, with so many parameters bound already."""

    argument: Place
    call: Place
    function: Place
    bound: int


@dataclass(frozen=True, slots=True)
class CompileTransform:
    """Compile the transform made at `place`, with what the compiled function captured; `model`: its first argument is the model whose
    weights it changes."""

    place: Place
    captured: tuple[str, ...]
    model: bool


@dataclass(frozen=True, slots=True)
class Evaluate:
    """Compute arrays and modules (True) before the `call`: each by the name that `body` reads it by."""

    names: tuple[tuple[Place, bool], ...]
    site: Place
    call: Place


@dataclass(frozen=True, slots=True)
class Recapture:
    """Give inputs= and outputs= of what is compiled at `site` these containers, as they are written there; None leaves one as it is. `random`:
    the random state with them; `updates`: the states of the optimizers whose update is called there as well; `models`: and of the models that
    those update."""

    site: Place
    inputs: tuple[str, ...] | None
    outputs: tuple[str, ...] | None
    random: bool = False
    updates: tuple[Place, ...] = ()
    models: bool = False


@dataclass(frozen=True, slots=True)
class Refill:
    """Change the content of the container that is bound anew at `place`."""

    place: Place


@dataclass(frozen=True, slots=True)
class Unbake:
    """Let MLX find the sizes that go into the operation at `place` under shapeless=True of `site`. `parts`: what it was given."""

    place: Place
    site: Place
    parts: tuple[Value, ...]


Remedy = Hoist | Wrap | CompileTransform | Evaluate | Recapture | Refill | Unbake
