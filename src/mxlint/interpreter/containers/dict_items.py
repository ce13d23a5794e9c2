"""Entries of dicts: what lies under a key, and putting something there.

`cache[key]` gives what lies under each key that `key` may be equal to, the default where nothing may, and raises where nothing does. A write under a key that nobody
in sight gives may replace what lies under a known one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from mxlint.domain.guards import HANDLER, MAX_GUARD, Guard, Identity, Literal_, opposite
from mxlint.domain.join import bound, join, of
from mxlint.domain.members import (
    NONE,
    UNBOUND,
    Const,
    Kind,
    Member,
    Option,
    Ref,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.interpreter.compiled.keyed import found_under
from mxlint.interpreter.compiled.portions import found as found_in
from mxlint.interpreter.containers import open_entries
from mxlint.interpreter.containers.builders import entries, entry, is_key, put
from mxlint.interpreter.containers.open_entries import KEYS_OF
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.loops.lengths import keyed
from mxlint.interpreter.loops.taking import at_index
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter, guarded
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import REST, REST_KEY, TREE
from mxlint.interpreter.machine.paths import LACKS, TEST, Condition
from mxlint.interpreter.objects import views
from mxlint.interpreter.objects.lookup import special
from mxlint.interpreter.open_world import given_dicts
from mxlint.interpreter.open_world.failing import may_fail
from mxlint.interpreter.open_world.possible import decided_where
from mxlint.interpreter.open_world.unseen_layers import NOT_IN_SIGHT


def dict_item(i: Interpreter, owner: Ref, index: Value, place: Place, frame: Frame, default: Value | None = None) -> Value:
    """`dict[key]`, or `dict.get(key, default)`."""
    i.place = place
    views.look(i, owner.oid)
    return at_index(i.split(index, lambda key: _dict_item(i, owner, key, place, frame, default)), index)


def _dict_item(i: Interpreter, owner: Ref, key: Member, place: Place, frame: Frame, default: Value | None) -> Value:
    found: list[tuple[Member | None, Value]] = []
    absent: Guard | None = ()
    lacks = True
    rest = bound(i.heap.get(owner.oid, ("#", "rest")) or UNBOUND)
    field = entry(i, owner.oid, key)
    value = i.heap.get(owner.oid, field) if is_key(key) else None
    by: Value = Kind("str", "varying")
    read: Callable[[Member | None, Value], Value] | None = None
    if value is not None:
        value = i.live(found_in(i, owner.oid, field, value, place, frame))
        absent = _where_absent(value)
        there = bound(value)
        found = [] if there is None else [(key, value)]
        if rest is not None and absent is not None and not given_dicts.is_given(i, owner.oid):
            found.append((None, open_entries.at_key(i, rest, key, place)))
        if isinstance(key, Symbolic) and absent is not None:
            # It may be equal to another key, under which something lies already.
            found += [(other, guarded([(held, absent)])) for other, held in _alike(i, key, _entries_there(i, owner, lambda k: k != key))]
    elif isinstance(key, Const) or isinstance(key, Tuple) and is_key(key):
        named = given_dicts.name_entry(i, owner.oid, key, rest, place) if rest is not None and isinstance(key, Const) else None
        if named is not None:
            i.operations.read_through(i, owner.oid, field, UNBOUND if rest is None else rest, place, frame)
            named = i.live(named)
            rest = bound(named)
            lacks = _where_absent(named) is not None
            absent = () if default is None else _where_absent(named)
            found = [(None, rest)] if rest is not None else []
        else:
            lying = open_entries.under(i, owner.oid, key, place)
            if lying is None:
                i.operations.read_through(i, owner.oid, field, UNBOUND, place, frame)
            else:
                found = [(None, found_in(i, owner.oid, field, lying, place, frame))]
                by = i.heap.get(owner.oid, REST_KEY) or Kind("str", "varying")
    else:
        if is_key(key):  # what is put there later is found
            i.operations.read_through(i, owner.oid, field, UNBOUND if rest is None else rest, place, frame)
        found = _alike(i, key, _entries_there(i, owner, lambda k: True))
        if rest is not None:
            found.append((None, open_entries.at_key(i, rest, key, place) if is_key(key) else rest))
        by = key
        read = partial(_read_entry, i, owner, place, frame)
    if i.heap.get(owner.oid, TREE) is not None and (not found or value is None and isinstance(key, Const)):
        if i.trace is not None:
            i.imprecise(NOT_IN_SIGHT, place)
        found = [(None, i.derived("[]", (owner, key), None, place))]
    if isinstance(key, (Symbolic, Tuple)):
        found_under(i, owner.oid, key, found)
    if absent is not None and default is None and found and i.heap.get(owner.oid, ("#", "factory")) is None:
        i.may_raise("builtins.KeyError", of=(key,))
        if lacks:
            may_fail(i, "builtins.KeyError", Tuple((owner, key, rest or NONE)), place, frame, LACKS)
    if absent is not None and default is None:
        maker = i.heap.get(owner.oid, ("#", "factory"))
        if maker is not None and not isinstance(maker, Const):
            with i.within((place, "factory")):
                made = i.call(maker, Arguments(), place, frame)
            puts_default(i, key, made)
            both = _together(i, found, made, absent, by, place)
            put_entry(i, owner, key, both, place, frame)
            return both
        method = special(i, owner, "__missing__", place, frame)
        if method is not None:
            default = i.call(method, Arguments((key,), places=(place,)), place, frame)
    if absent is None or default is None:
        if not found:
            throw_named(i, "builtins.KeyError", place)
        if isinstance(key, Symbolic) and i.trace is not None and len(i.tries) <= i.trace.tries:
            i.trace.surely_there.add((owner.oid, field))
        return _there(i, choices.chosen(i, found, by, place, read=read), place)
    return _together(i, found, default, absent, by, place, read)


def _there(i: Interpreter, value: Value, place: Place) -> Value:
    """What lies under a key: `dict[key]` raises where nothing does, so behind it the path says what goes with what is found."""
    found = bound(value)
    if found is None or found is value:
        return found or value
    guards = [option.guard for option in options(value) if not isinstance(option.member, Unbound)]
    for literal in guards[0]:
        if all(literal in guard for guard in guards) and i.outcome(literal) is None:
            i.path = (*i.path, Condition(None, place, literal, False))
    return found


def _where_absent(value: Value) -> Guard | None:
    """Under which literals nothing lies where a value was found; None if something surely does."""
    return next((option.guard for option in options(value) if isinstance(option.member, Unbound)), None)


def puts_default(i: Interpreter, key: Value, made: Value) -> None:
    """A trace puts what it has made where it found nothing under a key: its next run finds it there."""
    if i.trace is not None:
        i.trace.defaults.update(member.oid for member in members(made) if isinstance(member, Ref))


def _entries_there(i: Interpreter, owner: Ref, wanted: Callable[[Member], bool]) -> list[tuple[Member | None, Value]]:
    """The entries of a dict under some keys that may be there on the present path, with the guards of where they are not."""
    held = [(key, i.live(value)) for key, value in i.heap.entries(owner.oid) if wanted(key)]
    return [(key, value) for key, value in held if bound(value) is not None]


def _alike(i: Interpreter, key: Member, entries: list[tuple[Member | None, Value]]) -> list[tuple[Member | None, Value]]:
    """What host code finds where a key that nobody in sight gives is equal to another such: what goes with that one, said of this one. A trace reads it where
    it lies."""
    if i.trace is not None or not isinstance(key, Symbolic):
        return entries
    return [(other, open_entries.where_equal(i, value, other, key) if isinstance(other, Symbolic) else value) for other, value in entries]


def entries_where(i: Interpreter, owner: Ref, wanted: Callable[[Member], bool]) -> list[tuple[Member | None, Value]]:
    """The entries of a dict under some keys."""
    found: list[tuple[Member | None, Value]] = []
    for key, value in i.heap.entries(owner.oid):
        there = bound(value) if wanted(key) else None
        if there is not None:
            found.append((key, there))
    return found


def _read_entry(i: Interpreter, owner: Ref, place: Place, frame: Frame, key: Member | None, value: Value) -> Value:
    """What a trace finds under a key of a dict to which the one that it looks up is equal; None: under a key that is not known."""
    return value if key is None else found_in(i, owner.oid, ("k", key), value, place, frame)


def _together(
    i: Interpreter,
    found: list[tuple[Member | None, Value]],
    default: Value,
    absent: Guard,
    by: Value,
    place: Place,
    read: Callable[[Member | None, Value], Value] | None = None,
) -> Value:
    """What lies under a key, or the default where nothing does."""
    if absent:
        # The entry is there on some paths.
        there = (opposite(absent[0]),) if len(absent) == 1 else ()
        both = guarded([*((value, there) for _, value in found), (default, absent)])
    else:
        both = choices.chosen(i, found, by, place, default, read=read) if found else default
    if not any(isinstance(option.member, Unbound) for option in options(both)):
        return both
    missing = [(default, option.guard) for option in options(both) if isinstance(option.member, Unbound)]
    kept = [option for option in options(both) if not isinstance(option.member, Unbound)]
    return of((*kept, *(Option(o.member, (*o.guard, *guard)[-MAX_GUARD:]) for value, guard in missing for o in options(value))))


def put_entry(i: Interpreter, owner: Ref, key: Value, value: Value, place: Place, frame: Frame) -> None:
    """Put something under a key of a dict, and say so."""
    keyed(i, owner.oid, key, True)
    given = key if isinstance(key, Symbolic) and key.identity[0] in GIVEN and i.trace is None else None
    missing = open_entries.asked(i, owner.oid) if given is not None else []
    before = [(other, open_entries.lies(i, owner.oid, ("k", other)) or UNBOUND) for other in missing]
    if isinstance(key, Union) and i.trace is None and all(isinstance(member, Symbolic) for member in members(key)):
        for one in members(key):
            present = i.heap.get(owner.oid, entry(i, owner.oid, one)) or UNBOUND
            put(i, owner.oid, one, join((_said_of(i, one, key, value), present)))
    else:
        put(i, owner.oid, key, value)
    for field in entries(i, owner.oid, key):
        i.operations.written(i, owner.oid, field, value, place, frame)
    if given is not None and open_entries.is_own(i, owner.oid, given):
        i.operations.written(i, owner.oid, REST, value, place, frame)
    if given is not None:
        _put_if_equal(i, owner, given, value, before, place, frame)
    elif isinstance(key, Union) and i.trace is None and not any(_is_asked(i, member) for member in members(key)):
        open_entries.changed(i, owner.oid, place, frame)
    views.changed(i, owner.oid, place, frame)


def _said_of(i: Interpreter, one: Member, key: Value, value: Value) -> Value:
    """What is put under one of several keys that nobody in sight gives: what goes with another of them, said of this one."""
    for other in members(key):
        if isinstance(other, Symbolic) and other != one:
            value = open_entries.where_equal(i, value, other, one)
    return value


GIVEN: Final = frozenset(("parameter", "element", "unpacked", KEYS_OF))
"""What begins the name of a key that somebody gives as it is: one that the program makes of that, as by an f-string, has a form of its own."""


UNNAMED: Final = frozenset((TEST, HANDLER))
"""What begins the name of a condition that says nothing of what is asked."""


def _may_ask(condition: Identity, thing: Identity) -> bool:
    """Whether a condition is made of something, or may be."""
    if condition[0] in UNNAMED:
        return True
    todo: list[object] = [condition]
    while todo:
        part = todo.pop()
        part = part.identity if isinstance(part, Symbolic) else part
        if part == thing:
            return True
        if isinstance(part, tuple):
            todo.extend(part)
    return False


def _is_asked(i: Interpreter, key: Member) -> bool:
    """Whether a test on the path may be one of a key that nobody in sight gives. Of another one each test is followed."""
    return not isinstance(key, Symbolic) or bool(_tests(i, key))


def _tests(i: Interpreter, key: Symbolic) -> list[Literal_]:
    """The tests on the path that may be some of a key, each with its outcome."""
    literals = (condition.literal for condition in i.path)
    return [literal for literal in literals if literal is not None and _may_ask(literal.condition, key.identity)]


def _put_if_equal(
    i: Interpreter, owner: Ref, key: Symbolic, value: Value, before: Sequence[tuple[Member, Value]], place: Place, frame: Frame
) -> None:
    """A key that nobody in sight gives may be equal to one under which something lies, or under which a trace has found nothing: then that is replaced.
    A test of the key may leave out those that are there, unless it surely has the outcome of the path for them."""
    tests = _tests(i, key)
    base = i.path
    for other, present in (*entries_where(i, owner, lambda k: isinstance(k, Const)), *before):
        if isinstance(other, Const) and _may_equal(key, other) and all(_answers(test, key, other) for test in tests):
            equal = Literal_(("==", key.identity, other), True)
            i.path = (*base, Condition(None, place, equal))
            there, here = i.live(value), i.live(present)
            i.path = base
            exact = [option for option in options(there) if equal in option.guard] or options(there)  # it may come from this very entry
            same = open_entries.where_equal(i, of(exact), key, other)
            if set(members(same)) == set(members(here)):
                continue
            new = i.live(choices.chosen(i, [(other, same)], key, place, present))
            if new != present:
                field = entry(i, owner.oid, other)
                i.heap.set(owner.oid, field, new)
                i.operations.written(i, owner.oid, field, new, place, frame)


def take_if_equal(i: Interpreter, owner: Ref, key: Member, place: Place, frame: Frame) -> None:
    """Something is taken out under a key: what lies under another one is gone where the two are equal, as nobody in sight gives one of them."""
    for other, held in i.heap.entries(owner.oid):
        there = i.live(held)
        if other == key or bound(there) is None or not _may_be_one(key, other):
            continue
        by, label = (other, key) if isinstance(key, Const) else (key, other)
        left = choices.chosen(i, [(label, UNBOUND)], by, place, there, tag=label)
        if left != held:
            field = entry(i, owner.oid, other)
            i.heap.set(owner.oid, field, left)
            i.operations.written(i, owner.oid, field, UNBOUND, place, frame)


def _may_be_one(key: Member, other: Member) -> bool:
    """Whether two keys of a dict may be equal: nothing is said of constants, which have one entry, nor of tuples."""
    if isinstance(key, Const):
        return isinstance(other, Symbolic) and _may_equal(other, key)
    return not isinstance(key, Symbolic) or _may_equal(key, other)


def _answers(test: Literal_, key: Symbolic, other: Const) -> bool:
    """Whether a test of a key surely has its outcome where the key is equal to another."""
    return decided_where(test.condition, key.identity, other) is test.outcome


def _may_equal(key: Symbolic, other: Member) -> bool:
    """Whether a key that nobody in sight gives may be equal to another."""
    return key.kinds is None or not isinstance(other, Const) or scalar_type(other) in key.kinds
