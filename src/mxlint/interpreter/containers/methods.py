"""Methods of lists, dicts and sets, whose contents are kept one by one: `append`, `pop`, `setdefault`, `update`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.heap import Field
from mxlint.domain.join import join
from mxlint.domain.members import FALSE, NONE, TRUE, UNBOUND, Const, Kind, Member, Ref, Symbolic, Tuple, Union, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled.portions import used
from mxlint.interpreter.containers import cell_changes, open_entries, orders
from mxlint.interpreter.containers.aspects import contents
from mxlint.interpreter.containers.builders import (
    any_number,
    entries,
    entry,
    every_entry,
    is_key,
    joined_content,
    new_list,
    new_set,
    put,
    put_any,
)
from mxlint.interpreter.containers.deques import within_length
from mxlint.interpreter.containers.dict_items import dict_item, puts_default, take_if_equal
from mxlint.interpreter.containers.elements import dict_keys, extended, view_element
from mxlint.interpreter.containers.item_assignment import drop_item, put_item
from mxlint.interpreter.containers.items import held_item
from mxlint.interpreter.containers.merging import as_dict, may_replace, merge_dict, merge_unknown
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.expressions.equality import is_same_thing
from mxlint.interpreter.expressions.operators import binary
from mxlint.interpreter.generators.iterators import new_iterator
from mxlint.interpreter.libraries import measures
from mxlint.interpreter.loops.iteration import collected, listed
from mxlint.interpreter.loops.lengths import keyed, resized
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ADDED, ANY, ITEMS
from mxlint.interpreter.objects.lookup import container
from mxlint.interpreter.statements.unpacking import unpack

Method = Callable[[Interpreter, Ref, Arguments, Place, Frame], Value]


def _content(i: Interpreter, ref: Ref) -> Value:
    return i.live(i.heap.get(ref.oid, ITEMS) or Tuple(()))


def _set(i: Interpreter, ref: Ref, content: Value, value: Value, place: Place, frame: Frame, how: Field = ITEMS) -> None:
    i.heap.set(ref.oid, ITEMS, content)
    i.operations.written(i, ref.oid, how, value, place, frame)


def _parts(content: Value) -> list[Value]:
    return [
        p for m in members(content) if isinstance(m, Tuple) for p in (m.items if m.items is not None else (m.element,)) if p is not None
    ]


def _each(content: Value, change: Callable[[list[Value]], list[Value]], otherwise: Callable[[Value], Value]) -> Value:
    """The content after a change of known items; where the items are not known, `otherwise` of the element."""
    found: list[Value] = []
    for member in members(content):
        if isinstance(member, Tuple) and member.items is not None:
            found.append(Tuple(tuple(change(list(member.items)))))
        elif isinstance(member, Tuple):
            found.append(Tuple(None, otherwise(member.element or Unknown("list"))))
        else:
            found.append(member)
    return join(found)


# -- lists -------------------------------------------------------------------------------------------------------------


def _append(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    value = args.args[0]
    resized(i, ref.oid, True)
    _set(i, ref, extended(_content(i, ref), value), value, place, frame, ADDED)
    return NONE


def _extend(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    given = args.args[0]
    resized(i, ref.oid, True)
    if any(isinstance(m, (Symbolic, Unknown)) for m in members(given)):
        more: Tuple = any_number(next((m for m in members(given) if isinstance(m, Unknown)), None) or i.symbolic(place, "element"))
    else:
        more = listed(i, given, place, frame)
    content = _content(i, ref)
    _set(
        i,
        ref,
        joined_content([content, more]),
        join(_parts(more)) if _parts(more) else NONE,
        place,
        frame,
        ADDED,
    )
    return NONE


def _insert(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    index, value = args.args[0], args.args[1]
    resized(i, ref.oid, True)

    def change(items: list[Value]) -> list[Value]:
        if isinstance(index, Const) and isinstance(index.value, int):
            items.insert(index.value, value)
            return items
        # Each place holds what it held, the new one, or what lay before it.
        return [
            choices.chosen(i, [(None, each) for each in (value, *items[max(number - 1, 0) : number + 1])], index, place, tag=number)
            for number in range(len(items) + 1)
        ]

    _set(i, ref, _each(_content(i, ref), change, lambda e: join((e, value))), value, place, frame)
    return NONE


def _pop(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    index: Value = args.args[0] if args.args else Const(-1)
    error = "builtins.KeyError" if i.info(ref.oid).kind == "set" else "builtins.IndexError"
    i.operations.read(i, ref.oid, ITEMS, _content(i, ref), place, frame)
    resized(i, ref.oid, False)
    taken: list[Value] = []
    left: list[Value] = []
    missing = False
    for member in members(_content(i, ref)):
        if isinstance(member, Tuple) and member.items is not None and isinstance(index, Const) and isinstance(index.value, int):
            items = list(member.items)
            if not -len(items) <= index.value < len(items):
                continue
            taken.append(items.pop(index.value))
            left.append(Tuple(tuple(items)))
        elif isinstance(member, Tuple):
            parts = [p for p in (member.items if member.items is not None else (member.element,)) if p is not None]
            if parts:
                taken.append(join(parts))
                least = None if member.shortest is None else max(member.shortest - 1, 0)
                left.append(Tuple(None, join(parts), least=least, given="part" if member.given else "", loops=member.loops))
                missing = missing or not member.shortest or index not in (Const(0), Const(-1))
        else:
            taken.append(member)
            left.append(member)
    if not taken:
        throw_named(i, error, place)
    if missing or len(taken) < len(list(members(_content(i, ref)))):
        i.may_raise(error)
    _set(i, ref, join(left), NONE, place, frame)
    return join(taken)


def _remove(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    value = args.args[0]
    resized(i, ref.oid, False)
    found: list[Value] = []
    for member in members(_content(i, ref)):
        if not isinstance(member, Tuple) or member.items is None:
            found.append(member)
            continue
        answers: list[Value] = []
        while len(answers) < len(member.items) and TRUE not in answers:
            answers.append(_is_equal(i, member.items[len(answers)], value, place, frame))
        first = next((n for n, answer in enumerate(answers) if answer == Const(True)), None)
        if first is not None and all(answer == Const(False) for answer in answers[:first]):
            found.append(Tuple(member.items[:first] + member.items[first + 1 :]))
        elif all(answer == Const(False) for answer in answers):
            continue
        else:
            i.may_raise("builtins.ValueError")
            found.append(_without_one(i, member.items, [n for n, answer in enumerate(answers) if answer != FALSE], value, place))
    if not found:
        throw_named(i, "builtins.ValueError", place)
    _set(i, ref, join(found), NONE, place, frame)
    return NONE


def _is_equal(i: Interpreter, item: Value, value: Value, place: Place, frame: Frame) -> Value:
    """Whether an item is the one that is looked for: an array that tells is asked for its value."""
    if is_same_thing(i, item, value):
        return TRUE
    answer = binary(i, "==", item, value, place, frame)
    for member in i.each(answer):
        if isinstance(member, Array):
            i.operations.use(i, "truth", member, "builtins.list.remove", place, frame)
    return answer


def _clear(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    resized(i, ref.oid, None)
    if i.info(ref.oid).kind == "dict" or i.heap.get(ref.oid, ITEMS) is None:
        for field in every_entry(i, ref.oid):
            i.heap.drop(ref.oid, field)
            i.operations.written(i, ref.oid, field, UNBOUND, place, frame)
        open_entries.changed(i, ref.oid, place, frame)
    else:
        _set(i, ref, Tuple(()), NONE, place, frame)
    return NONE


def _reverse(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    return _reordered(i, ref, lambda items: items[::-1], place, frame)


def _rotate(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    steps = args.get(0, "n") or Const(1)
    number = steps.value if isinstance(steps, Const) and isinstance(steps.value, int) else None

    def change(items: list[Value]) -> list[Value]:
        if number is None:
            return [join(items)] * len(items)
        cut = len(items) - number % max(len(items), 1)
        return items[cut:] + items[:cut]

    return _reordered(i, ref, change, place, frame)


def _reordered(i: Interpreter, ref: Ref, change: Callable[[list[Value]], list[Value]], place: Place, frame: Frame) -> Value:
    before = _content(i, ref)
    left = _each(before, change, lambda e: e)
    if isinstance(before, Tuple) and isinstance(left, Tuple) and orders.before_all(i, ref.oid, before) != before:
        orders.reorder(i, ref.oid, left)
    _set(i, ref, left, NONE, place, frame)
    return NONE


def _list_copy(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    i.operations.read(i, ref.oid, ITEMS, _content(i, ref), place, frame)
    if i.info(ref.oid).kind != "list":
        return new_set(i, _content(i, ref), place)
    return measures.as_long_as(i, new_list(i, _content(i, ref), place), ref)


def _sort(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    made = i.operations.external(i, "builtins.sorted", Arguments((ref,), args.keywords, places=(place,)), place, frame)
    if isinstance(made, Ref):
        _set(i, ref, i.heap.get(made.oid, ITEMS) or Tuple(()), NONE, place, frame)
    return NONE


# -- dicts -------------------------------------------------------------------------------------------------------------


def _get(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    return dict_item(i, ref, args.args[0], place, frame, args.get(1, "default") or NONE)


def _setdefault(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    default = args.get(1, "default") or NONE
    value = used(i, dict_item(i, ref, args.args[0], place, frame, default), frame)
    puts_default(i, args.args[0], default)
    keyed(i, ref.oid, args.args[0], True)
    for field in entries(i, ref.oid, args.args[0]):
        if i.heap.get(ref.oid, field) is None or any(m in list(members(default)) for m in members(value)):
            put(i, ref.oid, args.args[0], value)
            i.operations.written(i, ref.oid, field, value, place, frame)
    return value


def _dict_pop(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    default = args.get(1, "default")
    if default is None:
        keyed(i, ref.oid, args.args[0], False)
    else:
        resized(i, ref.oid, None)  # it may not be there
    value = used(i, dict_item(i, ref, args.args[0], place, frame, default), frame)
    if isinstance(args.args[0], Const) and i.heap.get(ref.oid, entry(i, ref.oid, args.args[0])) is None:
        cell_changes.taken_from_dict(i, ref.oid, args.args[0], place, surely=default is None)
    for key in members(args.args[0]):
        field = entry(i, ref.oid, key)
        present = i.heap.get(ref.oid, field)
        if present is not None:
            if isinstance(key, Const) and key == args.args[0]:
                i.heap.drop(ref.oid, field)
            else:
                i.heap.set(ref.oid, field, join((present, UNBOUND)))
            i.operations.written(i, ref.oid, field, UNBOUND, place, frame)
    if isinstance(args.args[0], Union) or not is_key(args.args[0]):
        i.operations.written(i, ref.oid, ("k", args.args[0]), NONE, place, frame)
    for key in members(args.args[0]):
        if isinstance(key, (Const, Symbolic, Kind, Unknown)):
            take_if_equal(i, ref, key, place, frame)
    return value


def _popitem(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    resized(i, ref.oid, False)
    keys = dict_keys(i, ref.oid)
    last = args.get(0, "last") or TRUE  # of an OrderedDict
    contents(i, ref, place, frame)
    if keys and last in (TRUE, FALSE):
        key = keys[-1 if last == TRUE else 0]
        value = i.heap.get(ref.oid, ("k", key)) or Unknown("dict")
        i.heap.drop(ref.oid, ("k", key))
        i.operations.written(i, ref.oid, ("k", key), UNBOUND, place, frame)
        return Tuple((key, value))
    if keys == ():
        throw_named(i, "builtins.KeyError", place)
    cell_changes.taken_from_dict(i, ref.oid, None, place, surely=True)
    i.operations.written(i, ref.oid, ANY, NONE, place, frame)
    return view_element(i, "items", ref, place)


def _move_to_end(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """`OrderedDict.move_to_end(key, last)`."""
    key, last = args.get(0, "key") or UNBOUND, args.get(1, "last") or TRUE
    there = [("k", other) for other, _ in i.heap.entries(ref.oid)]
    moved = ("k", key)
    if moved not in there or last not in (TRUE, FALSE):
        i.may_raise("builtins.KeyError")
        i.operations.written(i, ref.oid, moved, NONE, place, frame)
        return NONE
    for field in [moved] if last == TRUE else [field for field in there if field != moved]:
        value = i.heap.get(ref.oid, field) or UNBOUND
        i.heap.drop(ref.oid, field)
        i.heap.set(ref.oid, field, value)
        i.operations.written(i, ref.oid, field, value, place, frame)
    return NONE


def update_dict(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """`dict.update(mapping or pairs, **entries)`."""
    for given in args.args:
        i.split(given, lambda member: _updated_by(i, ref, member, place, frame))
    if args.kwstar is not None:
        may_replace(i, ref.oid, args.kwstar, [("k", Const(name)) for name in args.keywords], place, frame)
        put(i, ref.oid, Kind("str", "open"), args.kwstar)
    for name, value in args.keywords.items():
        put(i, ref.oid, Const(name), value)
        i.operations.written(i, ref.oid, ("k", Const(name)), value, place, frame)
    return NONE


def _updated_by(i: Interpreter, ref: Ref, member: Member, place: Place, frame: Frame) -> Value:
    member = as_dict(i, member, place, frame)
    if isinstance(member, Ref) and (container(i, member, "__iter__") == "dict" or i.heap.get(member.oid, ("#", "rest")) is not None):
        merge_dict(i, ref.oid, member.oid, place, frame)
        return NONE
    if isinstance(member, (Symbolic, Unknown)):
        merge_unknown(i, ref.oid, member, place, frame)
        return NONE
    content = collected(i, member, place, frame)
    for pair in content.items if content.items is not None else (content.element,) if content.element is not None else ():
        key, value = unpack(i, pair, 2, None, place, frame)
        fields = entries(i, ref.oid, key)
        if content.items is None:
            _put_some(i, ref.oid, key, value)
        else:
            put(i, ref.oid, key, value)
        for field in fields:
            i.operations.written(i, ref.oid, field, value, place, frame)
    return NONE


def _put_some(i: Interpreter, oid: int, key: Value, value: Value) -> None:
    """Put a value under a key that may not come: what lies there may stay."""
    if all(is_key(member) and i.heap.get(oid, entry(i, oid, member)) is not None for member in members(key)):
        for member in members(key):
            put(i, oid, member, join((i.heap.get(oid, entry(i, oid, member)) or UNBOUND, value)))
    else:
        put_any(i, oid, key, value)


def _count(op: str) -> Method:
    """`Counter.update` and `Counter.subtract`: a mapping holds numbers, of anything else each element counts once."""

    def run(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
        def count(key: Value, number: Value) -> None:
            present = used(i, dict_item(i, ref, key, place, frame, Const(0)), frame)
            i.operations.set_item(i, ref, key, binary(i, op, present, number, place, frame), place, frame)

        def each(key: Value) -> None:
            count(key, Const(1))

        for given in args.args:
            mapping = isinstance(given, Ref) and container(i, given) == "dict"
            keys = dict_keys(i, given.oid) if isinstance(given, Ref) and mapping else None
            for key in keys or ():
                count(key, used(i, dict_item(i, given, key, place, frame), frame))  # type: ignore[arg-type]
            if not mapping:
                i.iterate(given, each, place, frame)
        for name, number in args.keywords.items():
            count(Const(name), number)
        return NONE

    return run


def _dict_copy(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    oid = i.allocate("dict", None, place, "copy")
    merge_dict(i, oid, ref.oid, place, frame)
    return Ref(oid)


def _view(kind: str) -> Method:
    return lambda i, ref, args, place, frame: new_iterator(i, kind, (ref,), place)


# -- items, as the containers have them themselves, whatever a class that extends them does -----------------------------


def _get_item(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    return held_item(i, ref, args.args[0], place, frame)


def _set_item(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    put_item(i, ref, args.args[0], args.args[1], place, frame)
    return NONE


def _delete_item(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    drop_item(i, ref, args.args[0], place, frame)
    return NONE


# -- sets --------------------------------------------------------------------------------------------------------------


def _add(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    value = args.args[0]
    keyed(i, ref.oid, value, True)

    def change(items: list[Value]) -> list[Value]:
        return items if value in items and isinstance(value, (Const, Ref)) else [*items, value]

    _set(i, ref, _each(_content(i, ref), change, lambda e: join((e, value))), value, place, frame)
    return NONE


def _discard(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    resized(i, ref.oid, None)
    left = [_without_element(i, part, args.args[0], place) for part in members(_content(i, ref))]
    _set(i, ref, join([content for content, _ in left]), NONE, place, frame)
    return NONE


def _remove_element(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """`remove` of a set: what is not there is a KeyError."""
    keyed(i, ref.oid, args.args[0], False)
    left = [_without_element(i, part, args.args[0], place) for part in members(_content(i, ref))]
    if all(is_there is False for _, is_there in left):
        throw_named(i, "builtins.KeyError", place)
    if not all(is_there for _, is_there in left):
        i.may_raise("builtins.KeyError")
    _set(i, ref, join([content for content, is_there in left if is_there is not False]), NONE, place, frame)
    return NONE


def _without_element(i: Interpreter, content: Member, value: Value, place: Place) -> tuple[Value, bool | None]:
    """The content of a set without an element, and whether that is there; None: perhaps."""
    if not isinstance(content, Tuple) or content.items is None:
        return content, None
    items = content.items
    left = tuple(item for item in items if item != value)
    if len(left) < len(items):
        return Tuple(left), True
    if not items or isinstance(value, Const) and all(isinstance(item, Const) for item in items):
        return content, False
    return _without_one(i, items, range(len(items)), value, place, content), None


def _without_one(
    i: Interpreter, items: tuple[Value, ...], which: Sequence[int], value: Value, place: Place, otherwise: Value | None = None
) -> Value:
    """The content of a list or set without one of some items, whichever the value is equal to; `otherwise`: where it is none of them."""
    if len(items) > MAX_LEFT_OUT:
        return Tuple(None, join(items))
    without: list[tuple[Member | None, Value]] = [(_label(items[n]), Tuple((*items[:n], *items[n + 1 :]))) for n in which]
    return choices.chosen(i, without, value, place, otherwise)


def _label(item: Value) -> Const | None:
    return item if isinstance(item, Const) else None


MAX_LEFT_OUT: Final = 4
"""Of a list or set of more elements it is not told which of them is taken out, where one of several may be."""


def _combine(op: str, in_place: bool = False) -> Method:
    def run(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
        result: Value = ref
        for number, given in enumerate(args.args):
            other = new_set(i, collected(i, given, place, frame), place, ("other", number))
            result = binary(i, op, result, other, place, frame)
        if in_place and isinstance(result, Ref):
            _set(i, ref, i.heap.get(result.oid, ITEMS) or Tuple(()), NONE, place, frame)
            return NONE
        return result if result is not ref else _list_copy(i, ref, args, place, frame)

    return run


_ITEM: Final[dict[str, Method]] = {"__getitem__": _get_item, "__setitem__": _set_item, "__delitem__": _delete_item}
_LIST: Final[dict[str, Method]] = {
    **_ITEM,
    "append": _append, "extend": _extend, "insert": _insert, "pop": _pop, "remove": _remove, "clear": _clear, "reverse": _reverse,
    "copy": _list_copy, "sort": _sort,
}  # fmt: skip
_DICT: Final[dict[str, Method]] = {
    **_ITEM,
    "get": _get, "setdefault": _setdefault, "pop": _dict_pop, "popitem": _popitem, "update": update_dict, "copy": _dict_copy, "clear": _clear,
    "keys": _view("keys"), "values": _view("values"), "items": _view("items"),
}  # fmt: skip
_SET: Final[dict[str, Method]] = {
    "add": _add, "discard": _discard, "remove": _remove_element, "clear": _clear, "copy": _list_copy, "pop": _pop, "update": _combine("|", True),
    "union": _combine("|"), "intersection": _combine("&"), "difference": _combine("-"), "symmetric_difference": _combine("^"),
    "intersection_update": _combine("&", True), "difference_update": _combine("-", True),
}  # fmt: skip
METHODS: Final[dict[str, Method]] = {
    **{f"builtins.list.{name}": method for name, method in _LIST.items()},
    **{f"builtins.dict.{name}": method for name, method in _DICT.items()},
    **{f"builtins.set.{name}": method for name, method in _SET.items()},
    **{f"collections.OrderedDict.{name}": method for name, method in _DICT.items()},
    "collections.OrderedDict.move_to_end": _move_to_end,
    **{f"collections.abc.MutableMapping.{name}": _DICT[name] for name in ("setdefault", "pop", "popitem", "update", "clear")},
    **{f"collections.abc.Mapping.{name}": _DICT[name] for name in ("get", "keys", "values", "items")},
    "collections.deque.reverse": _reverse, "collections.deque.rotate": _rotate, "collections.deque.remove": _remove,
    "collections.deque.append": within_length(_append), "collections.deque.popleft": lambda i, r, a, p, f: _pop(i, r, Arguments((Const(0),)), p, f),
    "collections.Counter.update": _count("+"), "collections.Counter.subtract": _count("-"),
    "collections.deque.pop": _pop, "collections.deque.extend": within_length(_extend), "collections.deque.clear": _clear,
    "collections.deque.appendleft": within_length(lambda i, r, a, p, f: _insert(i, r, Arguments((Const(0), *a.args)), p, f), first=True),
}  # fmt: skip
"""Methods by canonical name; the first argument is the container."""
