"""Handlers of the builtins and library functions that no model can describe as data, by canonical name."""

from __future__ import annotations

from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.join import join
from mxlint.domain.members import FALSE, NONE, TRUE, Const, External, Kind, Member, Ref, Symbolic, Tuple, Value, members, scalar_type
from mxlint.domain.place import Place
from mxlint.interpreter.containers import aspects, sequences
from mxlint.interpreter.containers.builders import hashed, put
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.expressions.operators import binary
from mxlint.interpreter.expressions.templates import filled, separated
from mxlint.interpreter.expressions.text import Asking, Way, text_of
from mxlint.interpreter.libraries import formats
from mxlint.interpreter.libraries.library import call_model, runs_code
from mxlint.interpreter.libraries.logs import is_disabled
from mxlint.interpreter.loops.iteration import collected
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.exceptions import exception_class, handled_error, throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import COPIED, ITEMS
from mxlint.interpreter.objects import hints, listing, metaclasses, records, reflection, views, wrappers
from mxlint.interpreter.objects.classes import construct, new_instance
from mxlint.interpreter.objects.lookup import CLASS, container, special
from mxlint.interpreter.objects.overriding import ABSTRACT


def _hash(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    hashed(i, args.args[0], place, frame)
    return call_model(i, "builtins.hash", args, place, frame) or Kind("int", "open")


def _identity(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return args.args[-1]


def _first(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return args.args[0]


def _abstract(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    for member in members(args.args[0]):
        if isinstance(member, Ref):
            i.heap.set(member.oid, ABSTRACT, TRUE)
    return args.args[0]


def _copy(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return i.split(args.args[0], lambda member: _copied(i, member, place, 1, {}))


def _deepcopy(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return i.split(args.args[0], lambda member: _copied(i, member, place, 12, {}))


def _copied(i: Interpreter, member: Member, place: Place, depth: int, done: dict[int, Ref]) -> Value:
    """A copy of an object, or of an array; what an object holds is copied to a depth, each object once."""
    if isinstance(member, Array) and not done:
        return i.operations.array(i, "mlx.core.array.__copy__", (member,), place, i.stack[-1])
    if isinstance(member, Tuple) and depth > 1:
        return Tuple(
            None if member.items is None else tuple(_copied_value(i, item, place, depth, done) for item in member.items),
            member.element,
            member.cls,
        )
    if not isinstance(member, Ref) or depth == 0:
        return member
    info = i.info(member.oid)
    if info.kind not in ("list", "dict", "set", "instance"):
        return member
    if member.oid in done:
        return done[member.oid]
    oid = i.allocate(info.kind, info.payload, place, ("copy", member.oid), label=info.label)
    done[member.oid] = Ref(oid)
    aspects.copied(i, oid, member.oid)
    for field, value in list(i.heap.fields(member.oid).items()):
        if field in (("#", "alive"), COPIED):
            continue
        shallow = depth == 1 or field in (CLASS, ("#", "parent"))
        if field == ITEMS and depth == 1:
            i.heap.set(oid, field, value)
        else:
            i.heap.set(oid, field, value if shallow else _copied_value(i, value, place, depth, done))
    return Ref(oid)


def _copied_value(i: Interpreter, value: Value, place: Place, depth: int, done: dict[int, Ref]) -> Value:
    return join([_copied(i, member, place, depth - 1 if not isinstance(member, Tuple) else depth, done) for member in members(value)])


def _own_text(way: str) -> Handler:
    """`object.__repr__(value)`, which is also what a container's own method is found as: of an object of the program it shows nothing of what that holds."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        of_program = [isinstance(member, Ref) and i.info(member.oid).kind == "instance" for member in members(args.args[0])]
        return Kind("str", "open") if any(of_program) else HANDLERS[f"builtins.{way}"](i, args, place, frame)

    return run


def _object(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    oid = i.allocate("instance", None, place)
    i.heap.set(oid, CLASS, External("builtins.object"))
    return Ref(oid)


def _object_new(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return join([Ref(new_instance(i, cls, place, "new")) for cls in members(args.args[0])])


def _type_call(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`super().__call__(…)` in a metaclass."""
    cls = args.args[0]
    rest = Arguments(args.args[1:], args.keywords, args.star, args.kwstar, args.places[1:], args.keyword_places)
    return join([construct(i, m, rest, place, frame) if isinstance(m, Ref) else i.symbolic(place, "instance") for m in members(cls)])


def _exit(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    throw_named(i, "builtins.SystemExit", place, args.args[0] if args.args else NONE)


def _exception_info(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`sys.exc_info()`: the class, the exception that is being handled, its traceback."""
    error = handled_error(i, frame)
    if error is None:
        return Tuple((NONE, NONE, NONE))
    return Tuple((exception_class(i, error), error, i.symbolic(place, "traceback", kinds=frozenset(("builtins.traceback",)))))


def _evaluated(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`eval(text)`: the expression is in the text."""
    i.may_raise()
    return i.unknown(place, "code that a text holds")


def _executed(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`exec(text)`: the statements are in the text, and may change whatever there is."""
    i.may_raise()
    i.unsure("code that a text holds", place)
    i.mlx.handed(i, args.values, place, frame)
    return NONE


def _locals(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`locals()`: in a function, what its names hold by now, as a dict of its own."""
    if frame.kind in ("module", "class"):
        return views.view(i, Ref(frame.oid), place)
    if frame.kind != "function":
        return i.symbolic(place, "locals")
    oid = i.allocate("dict", None, place, "locals")
    for name, value in list(i.heap.fields(frame.oid).items()):
        if isinstance(name, str):
            put(i, oid, Const(name), value)
    return Ref(oid)


def _divmod(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`divmod` of numbers: what `//` and `%` give."""
    if len(args.args) == 2 and all(scalar_type(member) is not None for value in args.args for member in members(value)):
        return Tuple(tuple(binary(i, op, args.args[0], args.args[1], place, frame) for op in ("//", "%")))
    return call_model(i, "builtins.divmod", args, place, frame) or i.symbolic(place, "divmod")


def _print(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    for number, value in enumerate(args.args):
        text_of(i, value, "str", place, frame, asking=Asking("format", "builtins.print", args.place(number, "", place)))
    i.operations.external(i, "#effect", Arguments((Const("builtins.print"), Const("prints")), places=(place, place)), place, frame)
    return NONE


def _text(way: Way) -> Handler:
    """`str(value)`, `repr(value)`, `format(value, spec)`."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        if not args.args:
            return Const("")
        if way != "format" and (len(args.args) > 1 or args.keywords):
            return call_model(i, f"builtins.{way}", args, place, frame) or Kind("str", "open")
        spec = args.get(1) or Const("")
        return text_of(i, args.args[0], way, place, frame, spec, asking=Asking("format", f"builtins.{way}", args.place(0, "", place)))

    return run


def _str_join(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`text.join(texts)`."""
    if len(args.args) == 2 and runs_code(i, args.args[1]):
        args = Arguments((args.args[0], collected(i, args.args[1], place, frame)), places=args.places)
    between, parts = (*args.args, None, None)[:2]
    in_order = isinstance(parts, Member) and not (isinstance(parts, Ref) and container(i, parts) == "set")
    texts = known_items(i, parts) if isinstance(parts, Member) and in_order else None
    made = call_model(i, "builtins.str.join", args, place, frame) or Kind("str", "open")
    if texts is None or not isinstance(between, Const) or not isinstance(between.value, str):
        return made
    return filled(i, list(separated(texts, (between.value,))), place) or made


def _registered(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`atexit.register(function)`: it is kept until the end."""
    i.mlx.given(i, args.values)
    return _first(i, args, place, frame)


def _bool(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    if not args.args:
        return FALSE
    value = i.live(args.args[0])
    if any(isinstance(member, Array) for member in members(value)):
        return i.split(value, lambda member: _bool_of(i, member, place, frame, args.place(0, "", place)))
    return _bool_of(i, value, place, frame, place)


def _bool_of(i: Interpreter, value: Value, place: Place, frame: Frame, operand: Place) -> Value:
    if isinstance(value, Array):
        i.operations.use(i, "converts", value, "builtins.bool", place, frame, operand)
        return Kind("bool", "open")
    truth = i.truth(value, place, frame)
    if truth.outcome is not None:
        return Const(truth.outcome)
    if truth.literal is not None:
        identity = truth.literal.condition
        return Symbolic(identity if truth.literal.outcome else ("not", identity), frozenset(("bool",)))
    return Kind("bool", truth.cause or "imprecise")


def _number(name: str) -> Handler:
    method = {
        "int": ("__int__", "__index__", "__trunc__"),
        "float": ("__float__", "__index__"),
        "abs": ("__abs__",),
        "round": ("__round__",),
    }[name]

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        def one(member: Member) -> Value:
            for each in method:
                found = special(i, member, each, place, frame)
                if found is not None:
                    return i.call(found, Arguments(args.args[1:]), place, frame)
            if name in ("int", "round") and scalar_type(member) == "int" and len(args.args) == 1 and not args.keywords:
                return member  # the same number
            if name == "abs" and isinstance(member, Array):
                return i.operations.array(i, "mlx.core.array.__abs__", (member,), place, frame)
            result = call_model(i, f"builtins.{name}", Arguments((member, *args.args[1:]), args.keywords, places=args.places), place, frame)
            return result if result is not None else i.symbolic(place, name)

        return i.split(args.args[0], one) if args.args else Const(0 if name == "int" else 0.0)

    return run


def _is_enabled(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`logger.isEnabledFor(level)`: surely not, if the level that the program configures is above."""
    level = args.get(1, "level")
    if level is not None and is_disabled(i, level):
        return FALSE
    return call_model(i, "logging.Logger.isEnabledFor", args, place, frame) or NONE


HANDLERS: Final[dict[str, Handler]] = {
    **listing.HANDLERS,
    **reflection.HANDLERS,
    **sequences.HANDLERS,
    **wrappers.HANDLERS,
    "builtins.exec": _executed,
    "builtins.eval": _evaluated,
    **hints.HANDLERS,
    **records.HANDLERS,
    **metaclasses.HANDLERS,
    "builtins.print": _print,
    "builtins.bool": _bool,
    "builtins.int": _number("int"),
    "builtins.float": _number("float"),
    "builtins.abs": _number("abs"),
    "builtins.round": _number("round"),
    "builtins.str": _text("str"),
    "builtins.repr": _text("repr"),
    **{f"builtins.object.{name}": _own_text(way) for name, way in (("__repr__", "repr"), ("__str__", "str"), ("__format__", "format"))},
    "builtins.format": _text("format"),
    **formats.HANDLERS,
    "builtins.str.join": _str_join,
    "builtins.object": _object,
    "builtins.object.__new__": _object_new,
    "builtins.object.__init__": lambda i, a, p, f: NONE,
    "builtins.object.__init_subclass__": lambda i, a, p, f: NONE,
    "builtins.type.__call__": _type_call,
    "builtins.locals": _locals,
    "builtins.divmod": _divmod,
    "builtins.exit": _exit,
    "builtins.quit": _exit,
    "sys.exit": _exit,
    "sys.exc_info": _exception_info,
    "sys.exception": lambda i, args, place, frame: handled_error(i, frame) or NONE,
    "os._exit": _exit,
    "functools.update_wrapper": lambda i, a, p, f: a.args[0],
    "copy.copy": _copy,
    "copy.deepcopy": _deepcopy,
    "typing.cast": _identity,
    "abc.abstractmethod": _abstract,
    "typing.overload": _first,
    "typing.final": _first,
    "typing.runtime_checkable": _first,
    "typing.no_type_check": _first,
    "enum.unique": _first,
    "functools.total_ordering": _first,
    "atexit.register": _registered,
    "logging.Logger.isEnabledFor": _is_enabled,
    "builtins.hash": _hash,
}
"""By canonical name; those with `#` are called by the interpreter itself."""
