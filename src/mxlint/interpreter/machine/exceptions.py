"""Exceptions: raising those of Python by name, and whether a handler catches one: surely, surely not, or perhaps.

`except LookupError` catches a KeyError surely. Of an exception of a class that is not in sight it is not known.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import cache
from typing import Final, NoReturn

from mxlint.domain.heap import Delta
from mxlint.domain.join import join
from mxlint.domain.members import NONE, Bound, External, Ref, Symbolic, Tuple, Unbound, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import OWN, Halt, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.targets import Target
from mxlint.models.load import bases as library_bases

GROUPS: Final = frozenset(("builtins.ExceptionGroup", "builtins.BaseExceptionGroup"))
CLASS: Final = ("#", "class")
HANDLING: Final = ("#", "handling")
"""The field of a frame that holds the exception that is being handled."""
_WITHOUT: Final = frozenset(("builtins.StopIteration", "builtins.StopAsyncIteration", "builtins.GeneratorExit", "builtins.AssertionError"))
"""Classes of exceptions that Python raises without arguments; others come with a text."""


_CERTAIN: Final = frozenset(("builtins.AssertionError", "builtins.SystemExit", "builtins.NameError", "builtins.UnboundLocalError"))
"""Classes of exceptions that come from what the program says alone: it asserts, exits, or names what nothing binds."""


def handled_error(i: Interpreter, frame: Frame) -> Value | None:
    """The exception that is being handled: in this function or in one that called it."""
    outer: Frame | None = frame
    while outer is not None:
        error = i.heap.get(outer.oid, HANDLING)
        if error is not None:
            return error
        outer = outer.caller
    return None


def throw_named(i: Interpreter, name: str, place: Place, value: Value | None = None, *, sure: bool = False) -> NoReturn:
    """Raise an exception of a class of a library, as Python does; `value`: what it is made with, if that is known: what a generator returned whose end it says.
    `sure`: all that decides it is known."""
    oid = i.allocate("instance", None if sure or name in _CERTAIN else OWN, place, name)
    i.heap.set(oid, CLASS, External(name))
    text = (i.symbolic(place, "message", kinds=frozenset(("str",))),)
    fill(i, oid, name, Tuple((value,) if value is not None else () if name in _WITHOUT else text))
    i.throw(Ref(oid))
    raise Halt


def never_raised(i: Interpreter, place: Place | None, cls: Value | None) -> str:
    """Note an exception that ends what would go on without it: Python raises it if all that is known here is right. What is said of it."""
    return _lacking(i, place, cls, "as far as is known here")


def ends_cell(i: Interpreter, place: Place | None, cls: Value | None) -> str:
    """Note an exception that ends a cell of a notebook, behind which the session goes on. What is said of it."""
    return _lacking(i, place, cls, "that ends a cell")


def _lacking(i: Interpreter, place: Place | None, cls: Value | None, what: str) -> str:
    name = str(getattr(cls, "name", "exception")).rpartition(".")[2]
    reason = f"{_article(name)} {name} {what}"
    i.imprecise(reason, place)
    return reason


def _article(name: str) -> str:
    return "an" if name[0] in "AEIOU" else "a"


@cache
def is_exception(name: str) -> bool:
    """Whether a name is that of a class of exceptions of Python's own."""
    real = getattr(builtins, name.removeprefix("builtins."), None) if name.startswith("builtins.") else None
    return isinstance(real, type) and issubclass(real, BaseException)


def fill(i: Interpreter, oid: int, name: str, args: Tuple) -> None:
    """The attributes of an exception that is made with some arguments; `name`: its class of Python's own."""
    i.heap.set(oid, "args", args)
    i.heap.set(oid, "__cause__", NONE)
    items = args.items
    if name == "builtins.SystemExit" and items is not None:
        i.heap.set(oid, "code", NONE if not items else items[0] if len(items) == 1 else args)
    if name == "builtins.StopIteration" and items is not None:
        i.heap.set(oid, "value", items[0] if items else NONE)
    if name in GROUPS and items is not None and len(items) == 2:
        i.heap.set(oid, "message", items[0])
        i.heap.set(oid, "exceptions", items[1])


def exception_of(i: Interpreter, name: str | None, place: Place) -> Symbolic:
    """An exception that a library raises: an instance of a class of its, or of any class."""
    return i.symbolic(place, "exception", kinds=None if name is None else frozenset((name,)))


@cache
def is_leaf(name: str) -> bool:
    """Whether a builtin exception class has no subclasses among the builtins."""
    real = getattr(builtins, name.removeprefix("builtins."), None) if name.startswith("builtins.") else None
    if not isinstance(real, type):
        return False
    return not any(isinstance(other, type) and other is not real and issubclass(other, real) for other in vars(builtins).values())


def exception_class(i: Interpreter, value: Value, state: Delta | None = None) -> Value:
    """The class of an exception that is raised: of an instance its class, of a class itself. `state`: that in which it is raised, if it is not the present one."""
    found: list[Value] = []
    for member in members(value):
        if isinstance(member, Ref) and i.info(member.oid).kind == "instance":
            cls = (state or {}).get((member.oid, CLASS)) or i.heap.get(member.oid, CLASS)
            found.append(Unknown("exception") if cls is None or isinstance(cls, Unbound) else cls)
        elif isinstance(member, Symbolic) and member.kinds is not None and len(member.kinds) == 1:
            found.append(External(next(iter(member.kinds))))
        else:
            found.append(member)
    return join(found) if found else Unknown("exception")


def caught(i: Interpreter, raised: Value, handler: Value, state: Delta | None = None) -> bool | None:
    """Whether `except handler` catches an exception: surely, surely not, or None. `state`: that in which it is raised, if it is not the present one."""
    classes = list(members(exception_class(i, raised, state)))
    answers = {_caught(i, cls, wanted) for cls in classes for wanted in _each(handler)}
    if True in answers and len(classes) == 1:
        return True
    return False if answers == {False} else None


def catches_all(handler: Value) -> bool:
    """Whether `except handler` catches whatever an operation of a library raises: that is an `Exception`."""
    return any(isinstance(wanted, External) and wanted.name in _ALL for wanted in _each(handler))


_ALL: Final = frozenset(("builtins.Exception", "builtins.BaseException"))


def answered(i: Interpreter, raised: Target, name: str, answer: Callable[[], None] | None) -> None:
    """Go on, one by one, from the states that arrived with an exception: `answer` has those of a class of Python, others leave from here. None: all do."""
    path = i.path
    for delta, error, way in raised.arrived:
        i.heap.apply(delta)
        known = answer is not None and caught(i, error, External(name))
        i.path = way
        if answer is not None and known is not False:
            answer()
        if known is not True:
            try:
                i.throw(error)
            except Halt:
                pass
        i.heap.undo(raised.mark)
    i.hand_on(raised.mark, raised.possible)
    i.path = path


def _each(handler: Value) -> list[Value]:
    found: list[Value] = []
    for member in members(handler):
        found.extend(member.items if isinstance(member, Tuple) and member.items is not None else (member,))
    return found


def _caught(i: Interpreter, cls: Value, wanted: Value) -> bool | None:
    if isinstance(wanted, (Symbolic, Unknown, Bound)) or isinstance(cls, (Symbolic, Unknown, Bound)):
        return None
    names = ancestors(i, cls)
    if isinstance(wanted, Ref):
        return wanted in names or (None if None in names else False)
    if isinstance(wanted, External):
        if wanted.name in names:
            return True
        return None if None in names else False
    return None


def ancestors(i: Interpreter, cls: Value) -> set[object]:
    """A class and its bases: numbers of classes of the program, names of those of libraries, None for what is not known."""
    found: set[object] = {"builtins.object"}
    todo: list[Value] = [cls]
    while todo:
        item = todo.pop()
        if isinstance(item, Ref):
            if item in found:
                continue
            found.add(item)
            bases = i.heap.get(item.oid, ("#", "bases"))
            todo.extend(bases.items if isinstance(bases, Tuple) and bases.items is not None else ())
        elif isinstance(item, External):
            found.add(item.name)
            real = getattr(builtins, item.name.removeprefix("builtins."), None) if item.name.startswith("builtins.") else None
            if isinstance(real, type):
                found.update(f"builtins.{base.__name__}" for base in real.__mro__)
            else:
                known = library_bases(item.name) or i.mlx.lineage(item.name)
                found.update(known if known else {None})
        else:
            found.add(None)
    return found
