"""Class statements, and calls of classes: `__new__`, `__init__`, and what dataclasses and named tuples do for them."""

from __future__ import annotations

from functools import partial

from mxlint.domain.heap import Field
from mxlint.domain.members import FALSE, NONE, TRUE, UNBOUND, Const, External, Member, Ref, Tuple, Unbound, Value
from mxlint.domain.place import Place
from mxlint.interpreter.containers import open_entries
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.expressions.expressions import arguments
from mxlint.interpreter.expressions.keywords import unless_named
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import is_exception, throw_named
from mxlint.interpreter.machine.frames import Frame, FrameInfo
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.objects import inherited, keeping, metaclasses
from mxlint.interpreter.objects.field_defaults import default_of
from mxlint.interpreter.objects.hints import Annotations
from mxlint.interpreter.objects.lookup import (
    ANNOTATED,
    BASES,
    CLASS,
    HINTS,
    INITVAR,
    METACLASS,
    bind,
    class_attribute,
    container,
    fields_of,
    frozen,
    held_by_class,
    is_initvar,
    library_base,
    makes_init,
    mro,
)
from mxlint.interpreter.objects.type_tests import instance_of
from mxlint.syntax import ir


def define_class(i: Interpreter, node: ir.ClassDef, frame: Frame) -> Value:
    """The value of a class statement, decorators applied."""
    decorators = [i.eval(decorator, frame) for decorator in node.decorators]
    place = frame.place(node)
    qualname = (
        node.name
        if frame.kind == "module"
        else f"{frame.qualname}.{node.name}"
        if frame.kind == "class"
        else f"{frame.qualname}.<locals>.{node.name}"
    )
    oid = i.allocate("class", qualname, place, label=node.name)
    args = arguments(i, node.bases, frame)
    i.heap.set(oid, BASES, Tuple(tuple(base for base in args.args)))
    i.heap.set(oid, "__name__", Const(node.name))
    i.heap.set(oid, "__qualname__", Const(qualname))
    module_name = i.heap.get(frame.module, "__name__")
    if module_name is not None:
        i.heap.set(oid, "__module__", module_name)
    metaclass = args.keywords.pop("metaclass", None) or metaclasses.inherited(i, args.args)
    if metaclass is not None:
        i.heap.set(oid, METACLASS, metaclass)
    body = Frame(oid, "class", frame.source, qualname, node.scope, frame.module, frame)
    body.cls = oid
    i.heap.infos[oid].payload = FrameInfo("class", node.scope, frame.source, qualname, frame.module)
    i.heap.set(oid, ("#", "parent"), Ref(frame.oid))
    body.node = node
    if i.observer is not None:
        i.observer.entered(body, node)
    i.execute(node.body, body)
    value = metaclasses.made(i, Ref(oid), tuple(args.args), args, node, place, frame)
    for decorator, written in zip(reversed(decorators), reversed(node.decorators)):
        value = i.call(
            decorator, Arguments((value,), places=(Place(frame.source, node.name_start, node.name_end),)), frame.place(written), frame
        )
    return value


def instantiate(i: Interpreter, cls: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call a class of the program."""
    meta = i.heap.get(cls.oid, METACLASS)
    if isinstance(meta, Ref):
        method = class_attribute(i, meta, "__call__")
        if method is not None and not isinstance(method, External):
            return i.call(bind(i, method, cls, meta, place, frame), args, place, frame)
    return construct(i, cls, args, place, frame)


def construct(i: Interpreter, cls: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """`type.__call__`: make an instance with `__new__` and run `__init__`."""
    made = i.operations.external(i, "#enum_member", args.bound(cls), place, frame)
    if not isinstance(made, Unbound):
        return made
    maker = class_attribute(i, cls, "__new__")
    if isinstance(maker, Ref):
        maker = i.heap.get(maker.oid, "fget") if i.info(maker.oid).kind == "descriptor" else maker
        value = i.call(maker or UNBOUND, args.bound(cls), place, frame)
        return i.split(value, lambda member: _initialised(i, cls, member, args, True, place, frame))
    if i.heap.get(cls.oid, ("#", "namedtuple")) is not None:
        return _named_tuple(i, cls, args, place, frame)
    made_here = Ref(new_instance(i, cls, place))
    inherited.give(i, cls, made_here, place, frame)
    base = library_base(i, cls)
    if base is not None and is_exception(base):  # `BaseException.__new__` keeps what it is given, whatever `__init__` does
        i.operations.external(i, f"{base}.__init__", args.bound(made_here), place, frame)
    return _initialised(i, cls, made_here, args, False, place, frame)


def _initialised(i: Interpreter, cls: Ref, value: Member, args: Arguments, made_by_new: bool, place: Place, frame: Frame) -> Value:
    """Run `__init__` of a new object, if it is an instance of the class."""
    if not isinstance(value, Ref) or instance_of(i, value, cls) is False:
        return value
    holder, initializer = held_by_class(i, cls, "__init__") or (None, None)
    of_fields = makes_init(i, mro(i, cls), holder)
    if of_fields is not None:
        initializer = None  # the one that the decorator makes comes before it
    if isinstance(initializer, External):
        i.operations.external(i, initializer.name, args.bound(value), place, frame)
    elif initializer is not None:
        i.call(bind(i, initializer, value, cls, place, frame), args, place, frame)
    elif of_fields is not None:
        _dataclass_init(i, cls, value, args, place, frame)
    elif library_base(i, cls) is not None:
        i.operations.external(i, f"{library_base(i, cls)}.__init__", args.bound(value), place, frame)
    elif not all(isinstance(base, (Ref, External)) for base in mro(i, cls)):
        keeping.construct(i, args.bound(value), place, frame)
    elif (args.args or args.keywords) and not made_by_new:
        throw_named(i, "builtins.TypeError", place)
    return value


def new_instance(i: Interpreter, cls: Value, place: Place, tag: object = None) -> int:
    """An object of a class, nothing initialised."""
    label = i.info(cls.oid).label if isinstance(cls, Ref) else ""
    oid = i.allocate("instance", None, place, ("instance", tag, cls if isinstance(cls, (Ref, External)) else None), label=label)
    i.heap.set(oid, CLASS, cls)
    kind = container(i, Ref(oid))
    if kind == "dict":
        i.heap.set(oid, ("#", "rest"), UNBOUND)
    elif kind:
        i.heap.set(oid, ITEMS, Tuple(()))
    return oid


def set_fields(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`super().__init__(…)` where the next class is a dataclass: its fields are set. The object and the class are the first arguments."""
    owner, cls, *_ = args.args
    rest = Arguments(args.args[2:], args.keywords, args.star, args.kwstar, args.places[2:], args.keyword_places)
    if isinstance(owner, Ref) and isinstance(cls, Ref):
        _dataclass_init(i, cls, owner, rest, place, frame)
    return NONE


def _dataclass_init(i: Interpreter, cls: Ref, value: Ref, args: Arguments, place: Place, frame: Frame) -> None:
    positional = list(args.args)
    keywords = dict(args.keywords)
    open_ended = args.star is not None or args.kwstar is not None
    initvars: list[Value] = []
    for name, default, takes in fields_of(i, cls, initvars=True):
        given: Value | None = None
        by_keyword = (i.heap.get(base.oid, ("kwonly", name)) for base in mro(i, cls) if isinstance(base, Ref))
        if takes and positional and next(filter(None, by_keyword), FALSE) != TRUE:
            given = positional.pop(0)
        elif takes and name in keywords:
            given = keywords.pop(name)
        elif takes:
            given = unless_named(i, args, name, partial(_not_given, i, name, default, args, place, frame))
        elif (given := default_of(i, default, place, frame)) is None:
            continue
        if is_initvar(i, cls, name):
            initvars.append(given)
        elif frozen(i, cls):
            i.heap.set(value.oid, name, given)
        else:
            i.set_attribute(value, name, given, place, frame)
    if (positional or keywords) and not open_ended:
        throw_named(i, "builtins.TypeError", place)
    post = class_attribute(i, cls, "__post_init__")
    if post is not None:
        i.call(bind(i, post, value, cls, place, frame), Arguments(initvars, places=(place,) * len(initvars)), place, frame)


def _not_given(i: Interpreter, name: str, default: Value | None, args: Arguments, place: Place, frame: Frame) -> Value:
    """A field that no argument is written for: what stars may hold for it, or its default."""
    rest = [] if args.star is None else [args.star]
    if args.unnamed is not None:
        rest.append(open_entries.at_key(i, args.unnamed, Const(name), place))
    held = default_of(i, default, place, frame)
    if held is None and not rest:
        throw_named(i, "builtins.TypeError", place)
    return choices.any_of(i, [*rest, *([] if held is None else [held])], place, name)


def _named_tuple(i: Interpreter, cls: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    positional = list(args.args)
    keywords = dict(args.keywords)
    items: list[Value] = []
    for name, default, _ in fields_of(i, cls):
        if positional:
            items.append(positional.pop(0))
        elif name in keywords:
            items.append(keywords.pop(name))
        else:
            items.append(unless_named(i, args, name, partial(_not_given, i, name, default, args, place, frame)))
    if positional or keywords:
        throw_named(i, "builtins.TypeError", place)
    return Tuple(tuple(items), None, cls.oid)


def annotated(i: Interpreter, node: ir.Assign, frame: Frame) -> None:
    """An annotated name in a class body: the fields of dataclasses and named tuples, in order."""
    if frame.kind != "class" or not isinstance(node.targets[0], ir.Name):
        return
    annotation = node.annotation
    name = node.targets[0].id
    _list(i, frame.oid, HINTS, name)
    head = annotation.value if isinstance(annotation, ir.Sub) else annotation
    if isinstance(head, ir.Name) and head.id == "ClassVar" or isinstance(head, ir.Attr) and head.name == "ClassVar":
        return
    if annotation is not None:
        i.ledger.of(Annotations).names[frame.oid, name] = annotation
    if isinstance(head, ir.Name) and head.id == "InitVar" or isinstance(head, ir.Attr) and head.name == "InitVar":
        i.heap.set(frame.oid, (INITVAR, name), TRUE)
    _list(i, frame.oid, ANNOTATED, name)


def _list(i: Interpreter, oid: int, field: Field, name: str) -> None:
    """Put a name at the end of those that a field of a class lists."""
    present = i.heap.get(oid, field)
    names = present.items or () if isinstance(present, Tuple) else ()
    if Const(name) not in names:
        i.heap.set(oid, field, Tuple((*names, Const(name))))
