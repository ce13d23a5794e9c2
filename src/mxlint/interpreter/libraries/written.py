"""Modules of libraries that are written in Python for the interpreter: run when the program first asks for a name of theirs.

They are there as if from the beginning: what makes them is no part of the state, so no branch takes it back.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.heap import Info
from mxlint.domain.members import NONE, Bound, Const, External, Ref, Value
from mxlint.domain.place import Place
from mxlint.interpreter.containers.comparing import on_list
from mxlint.interpreter.generators.awaiting import awaited, future
from mxlint.interpreter.libraries import library
from mxlint.interpreter.libraries.threads import running_in
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.contexts import having_its_own, own
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame, FrameInfo
from mxlint.interpreter.machine.targets import anything
from mxlint.interpreter.objects.type_tests import classes_in
from mxlint.interpreter.statements import managers
from mxlint.models.written import WrittenSource, names, written


class Written:
    """The modules of libraries that are written in Python, by name."""

    __slots__ = ("modules",)

    def __init__(self) -> None:
        self.modules: dict[str, int] = {}


def written_member(i: Interpreter, full: str, frame: Frame | None) -> Value | None:
    """What is written for a name of a library; None if nothing is. `frame`: where it is asked for by that name, if it is."""
    module, _, name = full.rpartition(".")
    if name not in names(module) or frame is not None and frame.source is written(module):
        return None  # a module that is written builds on what the data has of the same names
    oid = i.ledger.of(Written).modules.get(module)
    if oid is None:
        source = written(module)
        assert source is not None
        oid = _load(i, module, source)
    return i.heap.get(oid, name)


def _load(i: Interpreter, module: str, source: WrittenSource) -> int:
    """Run a module in no context and on no path. It makes new objects alone, so nothing has to be put back where the state is."""
    node = i.project.lowered(source)
    oid = i.ledger.of(Written).modules[module] = i.heap.new(Info("module", None, Place(source, 0, 0)))
    i.heap.infos[oid].payload = FrameInfo("module", node.scope, source, "", oid)
    frame = Frame(oid, "module", source, "", node.scope, oid, None)
    frame.node = node
    outer = i.context, i.path, i.trace, i.steps, i.limit, i.observer, i.heap.recording, i.place
    while i.context.parent is not None:
        i.context = i.context.parent
    i.path, i.trace, i.steps, i.limit, i.observer, i.heap.recording = (), None, i.most, 0, None, None
    mark = i.heap.mark()
    i.heap.set(oid, "__name__", Const(module))
    i.stack.append(frame)
    try:
        i.execute(node.body, frame)
    finally:
        i.stack.pop()
        i.heap.settle(mark)
        i.context, i.path, i.trace, i.steps, i.limit, i.observer, i.heap.recording, i.place = outer
    return oid


# -- what they say -----------------------------------------------------------------------------------------------------


def _beside(i: Interpreter, args: Arguments, place: Place, frame: Frame, *, alone: bool = False) -> Value:
    """`beside(function, worker=None, pool=None)`: call it in another thread; in one and the same for all that name one worker, in one of those of a pool."""
    function, worker, pool = (*args.args, NONE, NONE)[:3]
    i.mlx.given(i, (function,))  # nobody says when the thread is over
    owner = function.owner if isinstance(function, Bound) else function
    made_at = i.info(owner.oid).place if isinstance(owner, Ref) else None
    which = worker if isinstance(worker, Ref) else (place, i.context)
    group = pool if isinstance(pool, Ref) else None
    with having_its_own(i, thread=True), running_in(i, which, made_at or place, group, known=alone or isinstance(worker, Ref), ends=alone):
        return _to_its_end(i, args, place, frame)


def _alone(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`alone(function)`: call it in a thread that ends with it."""
    return _beside(i, args, place, frame, alone=True)


def _aside(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`aside(function)`: call what the program does not wait for. It ends before anybody asks what it did, unless it never does. What it raises goes nowhere."""
    with having_its_own(i, thread=False):
        return _to_its_end(i, args, place, frame)


def _to_its_end(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    i.mlx.given(i, args.args[:1])
    path, mark = i.path, i.heap.mark()
    ended = False
    with i.trying(catches=anything) as raised:
        i.call(args.args[0], Arguments(), place, frame)
        ended = True
    if ended:
        raised.arrived.append((i.heap.changes(mark), NONE, i.path))
    i.heap.undo(mark)
    i.path = path
    if raised.arrived:
        i.arrive(raised)
    return NONE


def _own(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`own(object, of)`: each thread or context has attributes of its own of an object."""
    if isinstance(args.args[0], Ref) and isinstance(args.args[1], Const):
        own(i, args.args[0].oid, str(args.args[1].value))
    return NONE


def _may_raise(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`may_raise(*classes)`: what one cannot know may make the call raise one of them."""
    i.may_raise(*(cls.name for cls in args.args if isinstance(cls, External)))
    return NONE


def _effect(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`effect(name)`: do to the world what the data says of a name of a library."""
    name = args.args[0].value if isinstance(args.args[0], Const) else ""
    found = library.has_effect(str(name))
    if found is not None and found.effect is not None:
        i.operations.external(i, "#effect", Arguments((Const(found.name), Const(found.effect.kind)), places=(place, place)), place, frame)
    return NONE


def _data(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`data(name, *args, **keywords)`: what the data says that a call gives."""
    name = args.args[0].value if isinstance(args.args[0], Const) else ""
    given = Arguments(args.args[1:], args.keywords, args.star, args.kwstar, args.places[1:], args.keyword_places, args.node)
    return library.call_model(i, str(name), given, place, frame) or NONE


def _expecting(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`expecting(block, classes)`: from now on a test says that an exception of one of them is raised. No summary says that, so none is made."""
    if i.heap.recording is not None:
        i.heap.recording.valid = False
    block = args.args[0]
    names = frozenset(cls.name for cls in classes_in(i, args.args[1]) if isinstance(cls, External))
    if isinstance(block, Ref):
        i.modes.expected = (*i.modes.expected, (block.oid, names))
    return NONE


def _no_longer_expecting(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    if i.heap.recording is not None:
        i.heap.recording.valid = False
    i.modes.expected = tuple(found for found in i.modes.expected if Ref(found[0]) != args.args[0])
    return NONE


def _leave(i: Interpreter, args: Arguments, place: Place, frame: Frame, *, wait: bool = False) -> Value:
    return managers.leave(i, args.args[0], args.args[1:], place, frame, wait=wait)


HANDLERS: Final = {
    "beside": _beside,
    "alone": _alone,
    "own": _own,
    "aside": _aside,
    "finish": lambda i, args, place, frame: awaited(i, args.args[0], place, frame),
    "may_raise": _may_raise,
    "effect": _effect,
    "data": _data,
    "on_list": on_list,
    "expecting": _expecting,
    "no_longer_expecting": _no_longer_expecting,
    "enter": lambda i, args, place, frame: managers.enter(i, args.args[0], place, frame),
    "leave": _leave,
    "aenter": future(lambda i, args, place, frame: managers.enter(i, args.args[0], place, frame, wait=True)),
    "aleave": future(lambda i, args, place, frame: _leave(i, args, place, frame, wait=True)),
}
"""By the name in `mxlint.says`."""
