"""Functions that others have though no name of the file holds them: what a factory gives, in a tuple or an object, and what it puts into something older.

In `def make(): n = 0; def step(x): ...; return step` whoever calls `make` may call `step` again and again. Functions that close over one activation share its
variables, so one of them changes what another one reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mxlint.domain.heap import ALIVE, Field
from mxlint.domain.members import Ref, Tuple, Value, members
from mxlint.domain.parts import each_part
from mxlint.interpreter.calls.activations import ENV
from mxlint.interpreter.calls.relevance import reach_of
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.objects.lookup import CLASS, mro
from mxlint.interpreter.open_world.client_methods import Method, function_info, methods_of
from mxlint.interpreter.open_world.standing import Standing

HOLDING: Final = frozenset(("list", "dict", "set", "instance", "function"))
"""Kinds of objects in which a function may be handed out; a function has attributes as well."""
PUT_INTO: Final = frozenset(("list", "dict", "set", "instance", "class", "module", "symbolic"))
"""Kinds of objects that others have, and in which a function may be kept for them."""


def activations(i: Interpreter, function: Ref) -> Iterator[int]:
    """The activations around a function, the innermost first."""
    env = i.heap.get(function.oid, ENV)
    while isinstance(env, Ref) and i.info(env.oid).kind in ("frame", "class"):
        if i.info(env.oid).kind == "frame":
            yield env.oid
        env = i.heap.get(env.oid, ENV)


def shares(i: Interpreter, one: Ref, other: Ref) -> bool:
    """Whether two functions close over one activation."""
    return not set(activations(i, one)).isdisjoint(activations(i, other))


def handed(i: Interpreter, value: Value) -> list[Ref]:
    """The objects in what a function returns: in the tuples and containers that this is, at any depth, and under the public names of objects."""
    found = dict.fromkeys(part for part in each_part(value, Tuple) if isinstance(part, Ref))
    todo = list(found)
    for ref in todo:
        inside = dict.fromkeys(_held(i, ref))
        todo += (part for part in inside if part not in found)
        found.update(inside)
    return todo


def _held(i: Interpreter, ref: Ref) -> Iterator[Ref]:
    """What lies in an object for whoever has it. What the object of a class holds that the client makes itself, that class gives."""
    if i.info(ref.oid).kind not in HOLDING or ref.oid in i.ledger.of(Standing).objects or i.mlx.object_kind(i, ref) is not None:
        return
    if any(ref in members(value) for value in i.ledger.of(Standing).samples.values() if value is not None):
        return
    is_function = i.info(ref.oid).kind == "function"
    fields = ((field, value) for field, value in i.heap.fields(ref.oid).items() if _is_open(field) and field != CLASS)
    values = (value for field, value in fields if not is_function or isinstance(field, str))
    inside = [part for value in values for part in each_part(value, Tuple) if isinstance(part, Ref)]
    # What the objects of a class hold else, its own client calls.
    if not isinstance(i.heap.get(ref.oid, CLASS), Ref) or any(is_made(i, part) for part in inside):
        yield from inside


def _is_open(field: Field) -> bool:
    return not (isinstance(field, str) and field.startswith("_"))


def kept(i: Interpreter, mark: int) -> list[Ref]:
    """The objects that were made since a mark and put into something older that others have, as a table of functions under a public name."""
    made = {oid for (oid, field), before in i.heap.trail[mark:] if field == ALIVE and before is None}
    places = dict.fromkeys(location for location, _ in i.heap.trail[mark:] if location[0] not in made and _is_open(location[1]))
    values = (value for oid, field in places if _others_have(i, oid) and (value := i.heap.get(oid, field)) is not None)
    return list(dict.fromkeys(ref for value in values for ref in handed(i, value) if ref.oid in made))


def _others_have(i: Interpreter, oid: int) -> bool:
    """Whether public names lead to an object, or it is one itself that others have."""
    todo = [oid]
    for number in todo:
        kind = i.info(number).kind
        if kind in ("instance", "class", "module", "symbolic"):
            return True
        if kind in PUT_INTO:
            todo += (holder for holder, field in i.heap.holders(number) if _is_open(field) and holder not in todo)
    return False


def lying(i: Interpreter, holder: Ref) -> list[Method]:
    """The functions that lie under public names of an object or a module, in containers or by themselves, and that activations of the file have made."""
    held = (value for field, value in i.heap.fields(holder.oid).items() if isinstance(field, str) and _is_open(field))
    found = (ref for value in held for ref in handed(i, value))
    return [method for method in callables(i, dict.fromkeys(found)) if method.owner is None and method.info.source is i.main]


def callables(i: Interpreter, objects: Iterable[Ref]) -> list[Method]:
    """What is called by whoever has some objects: the functions among them that activations have made, and the methods of those whose classes close over an
    activation or that hold such a function."""
    found: list[Method] = []
    for ref in objects:
        info = function_info(i, ref) if i.info(ref.oid).kind == "function" else None
        cls = i.heap.get(ref.oid, CLASS) if i.info(ref.oid).kind == "instance" else None
        if info is not None and is_made(i, ref):
            found.append(Method(ref, info, None, None))
        elif isinstance(cls, Ref):
            holds = any(is_made(i, part) for part in _held(i, ref))
            its = methods_of(i, cls, mro(i, cls), set())
            found += (method._replace(owner=ref) for method in its if holds or is_made(i, method.ref))
    return found


def is_made(i: Interpreter, ref: Ref) -> bool:
    """Whether an object is a function that an activation has made: another one makes another one of it."""
    return i.info(ref.oid).kind == "function" and any(True for _ in activations(i, ref))


def may_change(i: Interpreter, method: Method) -> bool:
    """Whether a function may write what a trace has read, itself or by what it calls or compiles."""
    own = () if method.owner is None else (method.owner,)
    return reach_of(i, (method.ref, *own), whole=True).writes_traced
