"""Calls and names of libraries by their models, which are data.

A call such as `random.choice(rows)` is bound to a signature and folded if its arguments are constants. Otherwise it has the effects that the model states, and gives
what the result type says. `math.pi` is the value of a constant.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.join import join
from mxlint.domain.members import (
    Bound,
    External,
    Ref,
    Symbolic,
    Tuple,
    Value,
    members,
)
from mxlint.domain.place import Place
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.libraries import in_place, opaque, selected, sharing
from mxlint.interpreter.libraries.effects import (
    LibraryCall,
    call_back,
    mutated_constants,
    note_source,
    store,
    take_effect,
    timed,
    use_arrays,
)
from mxlint.interpreter.libraries.folding import abstract, fold
from mxlint.interpreter.libraries.results import SCALARS, Called, result_of
from mxlint.interpreter.libraries.signatures import bind_signature, fitting
from mxlint.interpreter.loops.iteration import collected
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.objects.lookup import environment
from mxlint.interpreter.open_world.possible import POSSIBLE
from mxlint.models.expression import Type
from mxlint.models.load import canonical, constant, kind_of, model
from mxlint.models.schema import Model, Signature

_NOTHING: Final = Type("None")


def _computes_from_contents(found: Model) -> bool:
    """Whether what a call gives may depend on what its arguments hold: not if it gives nothing, keeps them, or says which objects they are."""
    return found.result != _NOTHING and not found.stores and found.source != "identity"


def call_model(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value | None:
    """Call something of a library by its model; None if it has none."""
    found = model(name)
    if found is None:
        return None
    owner: Value | None = None
    cls = External(name.rpartition(".")[0])
    if found.kind == "classmethod" and not (args.args and _is_of(i, args.args[0], cls)):
        owner = cls
    elif found.kind in ("method", "classmethod") and args.args:
        owner = args.args[0]
        args = Arguments(args.args[1:], args.keywords, args.star, args.kwstar, args.places[1:], args.keyword_places, args.node)
    signatures = found.binding(len(args.args), args.keywords) if args.star is None and args.kwstar is None else found.signatures
    if found.kind == "attribute":
        of = args.args[0] if args.args else None
        result = result_of(i, found.result, Called(found, {}, of, place, frame))
        sharing.share(i, found.shares, {}, of, result)
        return result
    if not signatures:
        throw_named(i, "builtins.TypeError", place)
    args, owner = _iterated(i, found, signatures[0], args, owner, place, frame)
    bound = bind_signature(signatures[0], args)
    chosen = fitting(i, signatures, args)
    use_arrays(i, LibraryCall(found, args, bound, owner), place, frame)
    folded = fold(i, found, owner, args, place)
    given = (*(() if owner is None else (owner,)), *args.values)
    if folded is not None and not args.keywords:
        aspects.answered(i, found.name, given, folded, place, frame)
        return folded
    if _computes_from_contents(found):
        read = given if opaque.read_cell(i, found.name, given, place, frame) is None else given[1:]
        aspects.whole(i, Tuple(read), place, frame, ordered=not found.unordered or bool(args.keywords))
    if folded is not None:
        return folded
    bound = bind_signature(chosen[0], args)
    for error in found.raises:
        if not error.without or error.without not in bound:
            i.may_raise(error.error, of=(member for value in args.values for member in members(value) if not isinstance(member, Array)))
    known = mutated_constants(i, found, bound, args, place, frame) if owner is None else None
    if known is not None:
        return known
    with timed(i, found, place, frame):
        call_back(i, found, bound, owner, place, frame)
    with in_place.changed_by(i, found, owner, bound, place):
        take_effect(i, found, bound, owner, place, frame)
        if found.effect is not None and found.effect.kind == "exits":
            raise Halt
        results = [
            result_of(i, signature.result, Called(found, bind_signature(signature, args), owner, place, frame)) for signature in chosen
        ]
        result = join(results)
        if found.source or found.draws:
            note_source(i, found, result, place, frame)
        store(i, found, bound, owner, result, place, frame)
    sharing.share(i, found.shares, bound, owner, result, "key" if found.name.endswith(".__getitem__") else "")
    selected.keep(i, found, bound, owner, result)
    return result


def _is_of(i: Interpreter, value: Value, cls: External) -> bool:
    """Whether a value is a class of a library, a class of the program, or an instance of either: what a class method is bound to."""
    return value == cls or isinstance(value, Ref) and (i.info(value.oid).kind == "class" or i.heap.get(value.oid, ("#", "class")) == cls)


def _iterated(
    i: Interpreter, found: Model, signature: Signature, args: Arguments, owner: Value | None, place: Place, frame: Frame
) -> tuple[Arguments, Value | None]:
    """Run what the call iterates over, where that runs code of the program; the argument is then the tuple of what came."""
    if not found.iterates:
        return args, owner
    names = [parameter.name for parameter in signature.parameters if parameter.kind in ("positional", "either")]
    given = list(args.args)
    for name in found.iterates:
        at = names.index(name) if name in names else len(given)
        if at < len(given) and runs_code(i, given[at]):
            given[at] = collected(i, given[at], place, frame)
    return Arguments(given, args.keywords, args.star, args.kwstar, args.places, args.keyword_places, args.node), owner


def runs_code(i: Interpreter, value: Value) -> bool:
    """Whether iterating over a value runs code, or uses it up."""
    return any(isinstance(member, Ref) and i.info(member.oid).kind in ("generator", "iterator", "instance") for member in members(value))


def library_member(i: Interpreter, owner: str, name: str, place: Place) -> Value:
    """`owner.name` of something of a library: a constant's value, or the thing by its canonical name."""
    full = canonical(f"{owner}.{name}")
    held = constant(full)
    if ("constant", full) in POSSIBLE:
        return Symbolic(("constant", full), None, full, source="environment")
    if held is not None:
        if held.known:
            return abstract(i, held.value, place)
        value = External(full)
        if held.type.kind in SCALARS and held.type.kind != "None":
            return i.symbolic(place, full, name, frozenset((SCALARS[held.type.kind],)), source="environment")
        return value
    found = model(full)
    if found is not None and found.kind == "method" and kind_of(canonical(owner)) == "constant":
        return Bound(External(canonical(owner)), External(found.name))
    whole = environment(i, External(canonical(owner)))
    if whole is not None and (found is None or found.kind == "attribute"):
        kind = SCALARS.get(found.signatures[0].result.kind) if found is not None else None
        return i.derived(f".{name}", (whole,), frozenset((kind,)) if kind is not None else None, place, name)
    return External(full)


def has_effect(name: str) -> Model | None:
    """The model of a call that does something to the world, or gives something else each time."""
    found = model(name)
    return found if found is not None and (found.effect is not None or found.source or found.draws or found.seeds) else None
