"""What a fix needs to know from the trace: what is to be done, and where. Rules hand these over with their findings."""

from __future__ import annotations

from dataclasses import dataclass

from mxlint.tracing.values import Place


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
class Capture:
    """Give inputs= and outputs= to what is compiled at `site`; None leaves it as it is. `seen_from`: where the names in them are known to hold."""

    site: Place
    inputs: str
    outputs: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Write `text` in the place of an expression or statement."""

    place: Place
    text: str
    message: str


Remedy = Hoist | Wrap | CompileTransform | Evaluate | Capture | Rewrite
