"""Expressions over values of which less is known: the interpreter comes to what CPython does, whichever of them it is.

Each expression is tried with an operand that is known, with one that is one of two (an open test decides), with what nobody in sight gives, of the
same type or of any, and with a container that was filled under open tests. What CPython makes of the operand has to be among what the interpreter comes to. `VAGUE` counts, by form, the
expressions of which it does not know just that, where few operands are possible: a list that only shrinks.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product

import pytest
from test_constants import same

from mxlint.domain.members import (
    UNBOUND,
    Const,
    Kind,
    Length,
    Measure,
    Member,
    Range,
    RangeObject,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unbound,
    Unknown,
    Value,
    members,
)
from mxlint.interpreter.entry import interpret
from mxlint.interpreter.expressions.constants import MISSING, python_value
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS, REST
from mxlint.project import Project
from mxlint.source import source_from_bytes

PRELUDE = """\
import collections, copy, dataclasses, enum, functools, itertools, math, operator, os
open_ = os.environ.get("OPEN")
class P:
    kind = "p"
    def __init__(self, *args, **more):
        self.args, self.more = args, more
    @classmethod
    def made(cls, n): return cls(n)
    @staticmethod
    def plain(n): return n + 1
    @property
    def first(self): return self.args[0]
class Q(P):
    def __len__(self): return len(self.args)
N = collections.namedtuple("N", "a b")
class E(enum.Enum):
    ONE = 1
    TWO = "two"
@dataclasses.dataclass(order=True)
class D:
    a: int = 1
    b: list = dataclasses.field(default_factory=list)
def after(a, change):
    change(a)
    return a
"""
"""What the expressions use."""
NUMBERS = ("0", "3", "-2", "2.5", "True")
TEXTS = ("''", "'a'", "'ab a'", "b'ab'")
SEQUENCES = ("()", "(1,)", "(3, 1, 2)", "[]", "[1, 2]", "'ab'", "range(3)")
LISTS = ("[]", "[1]", "[3, 1, 2]", "[1, 1]")
DICTS = ("{}", "{'a': 1}", "{'a': 1, 'b': 2}", "{1: 'a'}")
SETS = ("set()", "{1}", "frozenset((1,))")
OBJECTS = ("P()", "P(1, a=2)", "Q()", "Q(1)")
RECORDS = ("N(1, 2)", "N(0, 'x')", "D()", "D(2, [1])")
CLASSES = ("P", "Q", "N", "E", "D", "int")
MEMBERS = ("E.ONE", "E.TWO")
FORMS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "numbers": (NUMBERS, (
        "A + 1", "1 - A", "A * 2", "A // 2", "7 % A", "A ** 2", "2 ** A", "-A", "~A", "not A", "A < 1", "0 <= A < 3", "A == 3", "A != 0", "A in (0, 3)",
        "A is None", "A and 5", "A or 5", "1 if A else 2", "abs(A)", "int(A)", "float(A)", "bool(A)", "str(A)", "f'{A:>3}'", "round(A, 1)", "divmod(A, 2)",
        "min(A, 1)", "max((A, 1), key=lambda n: -n)", "range(A)", "list(range(A))", "[7, 8, 9, 10][A]", "(7, 8, 9, 10)[A]", "'abcd'[A]", "'abcd'[A:]",
        "[7, 8, 9][:A]", "(7, 8, 9)[A:None:2]", "[0] * A", "A * 'x'", "{0: 'a', 3: 'b'}[A]", "{0: 'a', 3: 'b'}.get(A)", "{0: 'a', 3: 'b'}.get(A, 'c')",
        "isinstance(A, int)", "isinstance(A, (float, str))", "type(A) is int", "type(A).__name__", "math.floor(A)", "math.sqrt(A)", "operator.neg(A)", "sum((A, 1))", "pow(A, 2, 5)", "A.real",
        "hasattr(A, 'imag')", "getattr(A, 'nothing', 4)", "after([1, 2, 3], lambda l: l.pop(A))", "after([1, 2, 3], lambda l: l.insert(A, 9))",
        "after([1, 2, 3], lambda l: l.__setitem__(A, 9))", "after([1, 2, 3], lambda l: l.__delitem__(A))", "[1, 3, 0].index(A)", "(1, 3, 3).count(A)",
        "list(itertools.repeat(1, A))", "list(itertools.islice('abcd', A))", "next(itertools.count(A))", "list(zip((1, 2), (A, A)))", "list(enumerate('ab', A))",
        "[n for n in (0, 1, 3) if n == A]", "{A: 1}", "{A, 3}", "P(A).args", "chr(A + 97)", "bin(A)", "'{}-{}'.format(A, 1)", "'%s' % A", "'%d' % (A,)", "(A).bit_length()", "complex(A)", "tuple([A]) + (1,)",
        "A if A > 1 else 9", "A if 0 < A <= 3 else 9", "A if A != 3 else 9", "A if isinstance(A, int) else 9", "-A if A < 0 else A", "A if A in (0, 3) else 9", "9 if A not in (0, 3) else A", "[4, 5][A > 0]", "A if 3 >= A else 9", "A if 1 < A else 9", "A if A else 9", "A if A == 3 else 9", "A if A >= 3 and A <= 3 else 9", "A & 3", "A | 1", "A ^ 1", "A << 1", "A >> 1", "A % 2", "A / 2", "1 / A", "A == A", "A - A", "A < A", "A is True", "max(A, A)", "min(3, A, 5)", "A in range(4)", "A == True", "hash(A) == hash(A)", "int(str(A))", "(A, 1) < (A, 2)", "A + 0.5 == 3.5",
    )),
    "texts": (TEXTS, (
        "A + 'c'", "A * 2", "len(A)", "A[0]", "A[-1:]", "A[::-1]", "'a' in A", "A == 'a'", "A < 'b'", "not A", "A or 'z'", "list(A)", "tuple(A)", "sorted(A)", "A.upper()", "A.split()", "A.split('a')", "A.split(' ', 1)",
        "A.join(('x', 'y'))", "A.replace('a', 'b')", "A.startswith('a')", "A.startswith(('x', 'a'))", "A.endswith('b')", "A.strip('a')", "A.find('a')", "A.index('a')", "A.count('a')", "A.partition(' ')", "A.isdigit()", "A.title()",
        "A.encode()", "A.center(4)", "A.zfill(3)", "A.splitlines()", "A.format(1)", "f'<{A!r}>'", "str(A)", "repr(A)", "int(A)", "float(A)", "bool(A)", "isinstance(A, str)", "type(A) is str", "max(A)", "reversed(A)", "{A: 1}", "{'a': 1}.get(A)",
        "{'a': 1, '': 2}[A]", "getattr(P(), A)", "A.removeprefix('a')", "A.casefold() == A", "[c for c in A if c != 'a']", "dict.fromkeys(A, 0)", "A.rsplit(' ')", "any(A)", "A.__len__()", "ord(A)", "set(A) == {'a'}",
        "collections.Counter(A)['a']", "list(map(str.upper, A))", "next(iter(A), None)", "A.find('b', 1)",
        "A if A == 'a' else 'z'", "A if A in ('a', 'b') else 9", "A[0] if A else 9", "A if isinstance(A, str) else 9", "A if A != '' else 9", "A if A.startswith('a') else 9", "A == A", "A is A", "A in 'ab ab'", "(A, 1) == ('a', 1)", "{'a': 1, 'b': 2}.get(A, 3)", "A[1:2]", "A[:1] + A[1:] == A", "A.__class__.__name__", "A.__contains__('a')", "hash(A) == hash(A)", "A.join([])", "A.lower().upper()", "A and A[0]", "min(A, 'b')", "dict(a=A)['a']", "f'{A}{A}'", "A >= A",
    )),
    "sequences": (SEQUENCES, (
        "len(A)", "A[0]", "A[1]", "A[-1]", "A[1:]", "A[:1]", "A[::2]", "not A", "A or 7", "list(A)", "tuple(A)", "[*A, 5]", "(0, *A)", "sum(A)", "sum(A, 10)", "min(A)", "max(A, default=4)", "max(A, key=lambda n: -n)", "sorted(A)",
        "sorted(A, reverse=True)", "sorted(A, key=lambda n: -n)", "list(reversed(A))", "list(enumerate(A))", "list(enumerate(A, 5))", "list(zip(A, 'xyz'))", "list(zip(A, A))", "dict(zip(A, 'xyz'))", "list(map(lambda n: n * 2, A))",
        "list(filter(None, A))", "list(filter(lambda n: n == 1, A))", "any(A)", "all(A)", "1 in A", "A == (1,)", "A == A", "A < (2,)", "A + A", "A * 2", "[n for n in A if n != 1]", "[(m, n) for m in A for n in A if m != n]", "{n: 1 for n in A}",
        "next(iter(A))", "next(iter(A), 9)", "list(itertools.chain(A, (7,)))", "list(itertools.islice(A, 1, None))", "list(itertools.accumulate(A))", "list(itertools.pairwise(A))", "list(itertools.product(A, (0,)))",
        "list(itertools.combinations(A, 2))", "list(itertools.zip_longest(A, (1,)))", "list(itertools.takewhile(lambda n: n != 1, A))", "list(itertools.groupby(A))[:0]", "list(itertools.starmap(max, [(1, 2), A]))",
        "functools.reduce(lambda p, q: p + q, A)", "functools.reduce(lambda p, q: p + q, A, 0)", "A.index(1)", "A.count(1)", "isinstance(A, (list, tuple))", "type(A) is tuple", "(lambda p, *q: (p, q))(*A)", "(lambda p, q=None: (p, q))(*A)",
        "(lambda *q, r=1: len(q) + r)(*A)", "operator.itemgetter(0)(A)", "math.prod(A)", "', '.join(map(str, A))", "str(A)", "f'{A}'", "bool(A)", "iter(A) is A", "collections.deque(A)[0]", "list(collections.deque(A, 1))", "copy.copy(A)", "P(*A).args",
        "[n for n, m in zip(A, A)]", "max(1, *A)", "slice(None).indices(len(A))", "range(len(A))[-1:]", "list(A)[1:] + list(A)[:1]", "hash(A) == hash(A)", "reversed(A)", "(lambda p, q: p)(*A)",
        "{A}", "A[0] if len(A) > 0 else 9", "A[0] if len(A) == 1 else 9", "A[-1] if A else 9", "len(A) if len(A) != 0 else 9", "A[2] if len(A) >= 3 else 9", "9 if len(A) < 2 else A[1]", "A[:] if not len(A) == 2 else 9", "9 if not A else len(A)", "A[0] if 1 <= len(A) else 9", "A[1:] == A", "A != A", "A in ((1,), [1, 2])", "A == [1, 2]", "(1,) == A", "[A, 1] == [A, 1]", "1 not in A", "A if isinstance(A, list) else 9", "A.copy()", "list(map(lambda p, q: p, A, A))", "list(itertools.islice(A, 0, None, 2))", "list(itertools.chain.from_iterable((A, A)))", "list(itertools.filterfalse(None, A))", "list(itertools.dropwhile(lambda n: n != 1, A))", "list(itertools.combinations_with_replacement(A, 1))", "list(itertools.permutations(A, 1))", "list(itertools.compress(A, (1, 0, 1)))", "list(itertools.starmap(lambda n: n, zip(A)))", "next(itertools.cycle(A), 9)", "list(itertools.repeat(A, 1))", "itertools.tee(A)[0] is A", "any(n == 1 for n in A)", "all(n != 5 for n in A)", "sum(n == 1 for n in A)", "sorted(set(A))", "len(set(A))", "tuple(A)[0:1]", "iter(A).__next__()", "list(iter(A))", "[*A][-1:]", "A[len(A) - 1]", "A[1] if A[1:] else 9", "max(A) - min(A)", "sum(A) / len(A)", "collections.Counter(A)[1]", "list(collections.deque(A))", "list(dict.fromkeys(A))", "enumerate(A).__next__()", "list(zip(*[A, A]))", "list(zip(A, A[1:]))", "A.__getitem__(0)", "A.__len__()", "A.__contains__(1)", "operator.contains(A, 1)", "A[slice(0, 1)]", "A[slice(None, None, -1)]", "A[True]", "A[-2:]", "A[5:]",
    )),
    "lists": (LISTS, (
        "after(A, lambda l: l.append(9))", "after(A, lambda l: l.extend((8, 9)))", "after(A, lambda l: l.insert(0, 9))", "after(A, lambda l: l.insert(-1, 9))", "after(A, lambda l: l.pop())", "after(A, lambda l: l.pop(0))", "A.pop()", "A.pop(0)", "A.pop(-2)",
        "after(A, lambda l: l.remove(1))", "after(A, lambda l: l.clear())", "after(A, lambda l: l.sort())", "after(A, lambda l: l.sort(reverse=True))", "after(A, lambda l: l.sort(key=lambda n: -n))", "after(A, lambda l: l.reverse())", "A.copy()", "A + [9]",
        "after(A, lambda l: l.__setitem__(0, 9))", "after(A, lambda l: l.__setitem__(-1, 9))", "after(A, lambda l: l.__setitem__(slice(1, None), [7, 8]))", "after(A, lambda l: l.__setitem__(slice(0, 0), [7]))", "after(A, lambda l: l.__delitem__(0))",
        "after(A, lambda l: l.__delitem__(slice(1, None)))", "after(A, lambda l: l.__iadd__([9]))", "after(A, lambda l: l.__imul__(2))", "A.index(1)", "A.index(1, 1)", "A.count(1)", "A == [1]", "A != [1]", "A < [2]", "A is A", "len(A)", "not A",
        "after(A, lambda l: l.append(l[0]))", "[l.append(5) or l for l in (A,)]", "list(A)", "set(A)", "A * 0", "after(A, lambda l: l.extend(l))", "1 in A", "A[0]", "A[5:]", "A[-1]", "sorted(A) == A", "after(A, lambda l: l.insert(1, 'x'))",
        "after(A, lambda l: l.__setitem__(slice(None, None, 2), [7] * len(l[::2])))", "after(A, lambda l: l.insert(99, 9))", "after(A, lambda l: l.extend(x for x in (5,)))", "after(A, lambda l: l.sort(key=str))", "A.pop() if A else 9", "A if len(A) > 1 else 9", "[A[0], *A[1:]] == A", "A <= A", "after(A, lambda l: l.remove(l[0]))", "A.__iadd__((4,))", "A.__mul__(2)", "A.__eq__([1])", "after(A[:], lambda l: l.clear()) == [] and len(A)", "after([A, A], lambda l: l[0].append(8))[1][-1]", "after([A] * 2, lambda l: l[1].append(8))[0][-1]", "after(list(A), lambda l: l.pop()) == A[:-1]",
    )),
    "dicts": (DICTS, (
        "A['a']", "A.get('a')", "A.get('b', 5)", "'a' in A", "'a' not in A", "len(A)", "not A", "list(A)", "list(A.keys())", "list(A.values())", "list(A.items())", "sorted(A)", "A.pop('a')", "A.pop('a', 7)", "A.popitem()", "A.setdefault('a', 9)",
        "after(A, lambda d: d.setdefault('c', 9))['c']", "after(A, lambda d: d.update(a=5))['a']", "after(A, lambda d: d.update({'z': 1}))", "after(A, lambda d: d.update([('y', 2)]))['y']", "after(A, lambda d: d.pop('a'))", "after(A, lambda d: d.clear())",
        "after(A, lambda d: d.__delitem__('a'))", "after(A, lambda d: d.__setitem__('a', 0))['a']", "A.copy()", "dict(A, c=3)['c']", "{**A, 'a': 4}['a']", "{'a': 4, **A}['a']", "(A | {'a': 4})['a']", "[k for k in A if k != 'a']", "[v for k, v in A.items()]",
        "{v: k for k, v in A.items()}", "(lambda **k: k)(**A)", "(lambda a=0, **k: a)(**A)", "P(**A).more", "max(A, default=0)", "A == {'a': 1}", "next(iter(A), None)", "bool(A)", "isinstance(A, dict)", "any(A.values())", "sum(A.values())", "dict(A) == A", "list(reversed(A))",
        "collections.ChainMap(A, {'a': 8})['a']", "collections.OrderedDict(A) == A", "collections.defaultdict(int, A)['a']", "dict(list(A.items()))", "tuple(A)", "set(A)", "min(A.values(), default=3)", "list(zip(A, A.values()))", "A.keys() & {'a'}", "'a' in A.keys()", "1 in A.values()",
        "('a', 1) in A.items()", "list(filter(None, A.values()))", "list(enumerate(A))", "str(A)", "dict.fromkeys(A, 1)", "A.get('b') is None", "operator.itemgetter('a')(A)", "copy.copy(A)",
        "A['a'] if 'a' in A else 9", "A['a'] if A.get('a') is not None else 9", "A.get('a') or 9", "A['a'] if len(A) == 1 else 9", "9 if not A else list(A)[0]", "A['b'] if 'b' in A.keys() else 9", "A != {}", "[A] == [A]", "A.items() == A.items()", "sorted(A.items(), key=str)", "{k: v for k, v in A.items() if v == 1}", "after(A, lambda d: [d.pop(k) for k in list(d)])", "dict(A.items())['a']", "dict([*A.items(), ('a', 7)])['a']", "A.__contains__('a')", "A.__getitem__('a')", "A.setdefault('a', []) == 1", "after(A, lambda d: d.update(zip('ab', (8, 9))))['b']", "max(A, key=A.get, default=9)", "max(A.items(), default=9)", "[*A]", "(lambda *k: k)(*A)", "functools.reduce(lambda n, k: n + 1, A, 0)", "A.popitem() if A else 9", "list(map(A.get, A))", "all(k in A for k in A)", "collections.defaultdict(list, A)['z']", "dict(A, **{'a': 3})['a']", "A.pop('a', None) is None",
    )),
    "sets": (SETS, (
        "1 in A", "len(A)", "not A", "list(A)", "sorted(A)", "A | {1}", "A & {1}", "A - {1}", "A ^ {1}", "A == {1}", "A <= {1, 2}", "A.union((1,))", "A.issubset((1,))", "A.isdisjoint((1,))", "after(A, lambda s: s.add(1))", "after(A, lambda s: s.discard(1))", "after(A, lambda s: s.remove(1))",
        "A.pop()", "after(A, lambda s: s.update((1,)))", "after(A, lambda s: s.clear())", "max(A, default=2)", "sum(A)", "tuple(A)", "[n + 1 for n in A]", "bool(A)", "isinstance(A, set)", "A.copy()", "A.difference((1,))", "A.intersection(())", "set(A)", "frozenset(A) == A", "next(iter(A), 0)",
        "A != {1}", "A < {1, 2}", "A >= set()", "A | {2}", "{1} | A", "A - A", "A & A == A", "1 not in A", "A if A else 9", "A.symmetric_difference((1,))", "after(A, lambda s: s.intersection_update((1,)))", "after(A, lambda s: s.difference_update((1,)))", "A.issuperset(())", "len(A | {1})", "sorted(A | {3})", "[n for n in A if n > 0]", "{n + 1 for n in A}", "any(A)", "min(A)", "A == A", "{A: 1}", "dict.fromkeys(A, 2)", "list(map(str, A))", "next(iter(A))", "A.pop() if A else 9", "after(A, lambda s: s.add((1, 2)))", "after(A, lambda s: s.discard(5))",
    )),
    "objects": (OBJECTS, (
        "A.kind", "A.args", "A.more.get('a')", "len(A)", "not A", "bool(A)", "A.nothing", "getattr(A, 'kind')", "getattr(A, 'nothing', 4)", "hasattr(A, 'args')", "hasattr(A, 'nothing')", "isinstance(A, P)", "isinstance(A, Q)", "isinstance(A, (int, Q))", "issubclass(type(A), Q)", "type(A) is Q",
        "type(A).__name__", "A == A", "A == 1", "A is A", "vars(A)['args']", "A.__dict__['args']", "after(A, lambda p: setattr(p, 'kind', 'k')).kind", "after(A, lambda p: delattr(p, 'args')).args", "after(A, lambda p: p.__dict__.update(kind='u')).kind", "callable(A)", "A()", "iter(A)", "A + 1", "A[0]",
        "copy.copy(A).args", "[p.kind for p in (A, A)]", "A.__class__.kind", "(A or 3) == 3", "operator.attrgetter('kind')(A)", "max((A,), key=lambda p: 1) is A", "{A: 1}[A]", "(lambda p: p.args)(A)", "A.args and A.args[0]", "[*A.args]", "dict(**A.more)", "A.__init__(5) or A.args", "type(A)(7).args", "str(len(A.args))",
        "A.first", "A.made(3).args", "A.plain(3)", "type(A).made(3).args", "A.kind == 'p'", "A != A", "[A] == [A]", "A in [A]", "A in (1, 2)", "A if isinstance(A, Q) else 9", "A.args if A.args else 9", "A.more == {}", "A.kind if hasattr(A, 'kind') else 9", "getattr(A, 'args', 3)", "A.__init__.__name__", "A.plain.__name__", "isinstance(A.first, int)", "after(A, lambda p: setattr(p, 'new', 1)).new", "after(A, lambda p: p.__dict__.clear()).kind", "'kind' in dir(A)", "'args' in vars(A)", "sorted(vars(A))", "A.__eq__(A)", "A is not None", "A if A is not None else 9", "{**A.more}", "P.plain(A.args and A.args[0])", "A.made(*A.args).args == A.args", "str(A)[:0]", "f'{A.kind}'", "A.kind.upper()", "super(type(A), A).kind",
    )),
    "records": (RECORDS, (
        "A.a", "A[0]", "A._fields", "A._replace(a=5)", "A._asdict()['a']", "tuple(A)", "len(A)", "A == A", "A == N(1, 2)", "A != D()", "A < D(3)", "A <= N(1, 3)", "(lambda a, b: b)(*A)", "dataclasses.asdict(A)['b']", "dataclasses.astuple(A)", "dataclasses.replace(A, a=3).a",
        "[f.name for f in dataclasses.fields(A)]", "type(A)(4, 5).b", "isinstance(A, tuple)", "isinstance(A, D)", "A.__class__.__name__", "A.count(1)", "A.index(2)", "copy.copy(A).a", "vars(A)['a']", "A.nothing", "after(A, lambda r: setattr(r, 'a', 9)).a", "after(A, lambda r: r.b.append(5)).b",
        "A + (3,)", "A[1:]", "A[-1]", "max(A)", "sum(A)", "list(A)", "{A: 1}[A]", "hash(A) == hash(A)", "A in (N(1, 2), D())", "A.b if A.a else 9", "getattr(A, 'a')", "hasattr(A, '_fields')", "type(A)._make((7, 8)).a", "type(A)(a=4, b=2).a", "type(A)(b=1)", "bool(A)", "repr(A)", "A.__dict__", "dataclasses.is_dataclass(A)", "not A", "A * 2", "A > A", "1 in A",
    )),
    "classes": (CLASSES, (
        "A.__name__", "A.__bases__[0] is object", "issubclass(A, P)", "issubclass(A, (int, P))", "A.kind", "getattr(A, 'kind', 0)", "hasattr(A, '__len__')", "A.made(3).args", "A.plain(3)", "A.mro()[0] is A", "A.__dict__.get('kind')", "callable(A)", "isinstance(A, type)",
        "A == P", "A in (P, int)", "{P: 1, int: 2}.get(A)", "type(A) is type", "A.__qualname__", "[m.name for m in A]", "len(A)", "A['ONE'].value", "A(1)", "A(1, 2)", "A._fields", "sorted(A.__members__)", "list(A)[0].name", "A.__class__ is type", "A is int", "A.nothing", "vars(A).get('kind')", "A.__subclasses__", "A.from_bytes(b'a', 'big')",
        "isinstance(A(1), A)", "not A", "A.__eq__(A)", "dataclasses.is_dataclass(A)", "issubclass(A, tuple)", "issubclass(bool, A)", "A.first", "after(A, lambda c: setattr(c, 'extra', 2)).extra", "A() == A()", "A().kind", "A.__init__", "hasattr(A, 'made')", "A or 3", "(lambda c: c.__name__)(A)", "type('R', (A,), {'z': 1}).z", "A.ONE.value", 
    )),
    "members": (MEMBERS, (
        "A.name", "A.value", "A is E.ONE", "A == E.TWO", "A != E.ONE", "A in (E.ONE,)", "{E.ONE: 1}.get(A)", "{E.ONE: 1, E.TWO: 2}[A]", "E(A.value) is A", "E[A.name] is A", "list(E).index(A)", "isinstance(A, E)", "[m.name for m in E]", "len(E)", "A.name.lower()", "bool(A)", "A.nothing", "A.value == 1", "type(A) is E",
        "A in E", "E.ONE is A or 9", "A if A is E.ONE else 9", "[m for m in E if m is A][0].name", "A.value if A == E.ONE else 9", "max((A,), key=lambda m: m.name).name", "E.__members__[A.name] is A", "str(A)", "A.ONE.value", "hash(A) == hash(A)", "A < A", "list(E)[0] is A", "f'{A.name}'", "not A", "getattr(E, A.name) is A", "A._value_", "{m.name: m.value for m in E}[A.name]", "[m for m in E].index(A)",
    )),
}  # fmt: skip
VAGUE = {
    ("numbers", "in a range"): 89,
    ("numbers", "known"): 12, ("numbers", "one of two"): 129, ("texts", "known"): 5, ("texts", "one of two"): 55, ("sequences", "known"): 44,
    ("sequences", "one of two"): 534, ("lists", "known"): 11, ("lists", "one of two"): 135, ("dicts", "known"): 19, ("dicts", "one of two"): 120,
    ("sets", "known"): 9, ("sets", "one of two"): 55, ("objects", "known"): 16, ("objects", "one of two"): 39, ("records", "known"): 56,
    ("records", "one of two"): 80, ("classes", "known"): 85, ("classes", "one of two"): 113, ("members", "known"): 13, ("members", "one of two"): 20,
}  # fmt: skip
"""How many expressions of a form, with an operand that is known or is one of two, are known only in part."""


WAYS: Mapping[str, Callable[[str, str], str | None]] = {
    "known": lambda operand, other: operand,
    "one of two": lambda operand, other: f"({operand} if open_ else {other})",
    "out of sight": lambda operand, other: "given",
    "filled": lambda operand, other: _filled(operand),
    "of its type": lambda operand, other: _typed(operand),
    "in a range": lambda operand, other: "range(-2, 100000)[int(os.environ['N'])]" if operand == "3" else None,
}
"""How a program writes an operand of which that is known; None: not at all."""


def _typed(operand: str) -> str | None:
    """What nobody in sight gives of the operand's type."""
    numbers = "int(n) for n in os.environ['N'].split()"
    by_form = {
        "(": f"tuple({numbers})",
        "[": f"[{numbers}]",
        "s": f"{{{numbers}}}",
        "r": "range(int(os.environ['N']))",
        "b": "os.environ['N'].encode()",
        "'": "os.environ['N']",
    }
    if operand in NUMBERS:
        return "bool(os.environ.get('N'))" if operand == "True" else f"{'float' if '.' in operand else 'int'}(os.environ['N'])"
    if operand in DICTS:
        return "{n: int(n) for n in os.environ['N'].split()}" if operand != "{1: 'a'}" else None
    return {"{": f"{{{numbers}}}"}.get(operand[0]) or (by_form.get(operand[0]) if operand in (*TEXTS, *SEQUENCES, *LISTS, *SETS) else None)


def _filled(operand: str) -> str | None:
    made = {"[": "[{}]", "(": "tuple({})", "{": "{{{}}}"}.get(operand[0])
    return (
        None
        if made is None or ":" in operand or operand == "{}"
        else made.format(f"n for n in {operand} if os.environ.get(str(n)) is None")
    )


@dataclass(frozen=True, slots=True)
class Try:
    """An expression, its operand as the program writes it, and what that may be."""

    expression: str
    written: str
    operands: tuple[str, ...]


def tries(form: str, way: str) -> list[Try]:
    """All expressions of a form with each of its operands."""
    operands, expressions = FORMS[form]
    found: list[Try] = []
    for operand, other in zip(operands, (*operands[1:], operands[0])):
        written = WAYS[way](operand, other)
        if written is not None:
            by_way = {"one of two": (operand, other), "in a range": tuple(map(str, range(-2, 12)))}
            found += [Try(each, written, by_way.get(way, (operand,))) for each in expressions]
    return found


def real(expression: str, operand: str) -> object:
    """What CPython makes of an expression of an operand, or the name of what it raises."""
    names: dict[str, object] = {}
    exec(PRELUDE, names)  # noqa: S102
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return eval(f"(lambda A: {expression})({operand})", names)
        except Exception as error:  # noqa: BLE001
            return type(error).__name__


def followed(tried: Sequence[Try]) -> Iterator[tuple[Interpreter, Try, Value]]:
    """What the interpreter comes to for each expression; a program for those of one operand, as each has its budget."""
    for _, group in groupby(tried, key=lambda each: each.written):
        together = list(group)
        i, values = come_to(together)
        yield from ((i, each, value) for each, value in zip(together, values))


def come_to(tried: Sequence[Try]) -> tuple[Interpreter, list[Value]]:
    """What the interpreter comes to for each expression, exceptions by their names."""
    functions = "".join(
        f"def f{n}(A):\n    try:\n        return {each.expression}\n    except Exception as error:\n        return type(error).__name__\nv{n} = f{n}({each.written})\n"
        for n, each in enumerate(tried)
    )
    i = interpret(source_from_bytes((PRELUDE + "from nowhere import given\n" + functions).encode(), "main.py"), Project())
    module = next(cell for cell in i.heap.cells if "v0" in cell)
    return i, [module.get(f"v{n}", UNBOUND) for n in range(len(tried))]


def covers(i: Interpreter, value: Value, seen: object, depth: int = 4) -> bool:
    """Whether a value stands for what was seen."""
    return any(_covers(i, member, seen, depth) for member in members(value))


def _covers(i: Interpreter, member: Member, seen: object, depth: int) -> bool:
    name = "NoneType" if seen is None else type(seen).__name__
    match member:
        case Unbound():
            return False
        case Const():
            return same(member.value, seen)
        case Kind():
            return member.type == name or member.type == "number" and name in ("int", "float")
        case Symbolic():
            is_int = name == "bool" and "int" in (member.kinds or ())
            return member.kinds is None or is_int or name in member.kinds or f"builtins.{name}" in member.kinds or "number" in member.kinds
        case Range():
            return isinstance(seen, int) and (member.low is None or member.low <= seen) and (member.high is None or seen <= member.high)
        case Length() | Measure():
            return isinstance(seen, (int, float))
        case Tuple():
            return isinstance(seen, tuple) and _covers_items(i, member, seen, depth)
        case RangeObject():
            if not isinstance(seen, range):
                return False
            bounds = zip((member.start, member.stop, member.step), (seen.start, seen.stop, seen.step))
            return all(covers(i, part, at) or covers(i, part, bool(at)) for part, at in bounds)
        case Ref():
            return _covers_object(i, member, seen, depth)
        case Slice():
            return isinstance(seen, slice)
        case Unknown():
            return True
    return not isinstance(seen, (bool, int, float, str, bytes, tuple, list, dict, type(None)))


def _covers_items(i: Interpreter, content: Value, seen: Sequence[object], depth: int) -> bool:
    """Whether the content of a sequence stands for some items."""
    if depth == 0:
        return True
    for member in members(content):
        if not isinstance(member, Tuple):
            return True
        if member.items is not None:
            if len(member.items) == len(seen) and all(covers(i, part, item, depth - 1) for part, item in zip(member.items, seen)):
                return True
        elif member.element is None or all(covers(i, member.element, item, depth - 1) for item in seen[len(member.front) :]):
            return True
    return False


def _covers_object(i: Interpreter, ref: Ref, seen: object, depth: int) -> bool:
    """Whether an object of the heap stands for what was seen: containers by what they hold, others as far as they are none."""
    kind = i.info(ref.oid).kind
    content = i.heap.get(ref.oid, ITEMS)
    if isinstance(seen, (list, set, frozenset)) or kind in ("list", "set"):
        if not isinstance(seen, list if kind == "list" else (set, frozenset)):
            return False
        if content is None or kind == "list":
            return content is None or _covers_items(i, content, list(seen), depth)
        parts = [part for member in members(content) if isinstance(member, Tuple) for part in member.parts]
        return not depth or all(any(covers(i, part, item, depth - 1) for part in parts) for item in seen)
    if isinstance(seen, dict) or kind == "dict":
        if not isinstance(seen, dict):
            return False
        rest = i.heap.get(ref.oid, REST)
        held = [(field[1], value) for field, value in i.heap.fields(ref.oid).items() if isinstance(field, tuple) and field[0] == "k"]
        return not depth or all(
            any(covers(i, key, wanted, depth - 1) and covers(i, value, seen[wanted], depth - 1) for key, value in held)
            or rest is not None
            and covers(i, rest, seen[wanted], depth - 1)
            for wanted in seen
        )
    return not isinstance(seen, (bool, int, float, str, bytes, tuple, type(None)))


MOST = 32
"""So many things that a value may stand for are distinguished."""


def ways(i: Interpreter, value: Value, depth: int = 3) -> list[object]:
    """All that a value may be, as Python has it; `MISSING` stands for what is not known one by one."""
    found = [way for member in members(value) for way in _ways(i, member, depth)]
    return found if len(found) <= MOST else [MISSING]


def _ways(i: Interpreter, member: Member, depth: int) -> list[object]:
    if isinstance(member, Symbolic) and member.kinds == {"bool"}:
        return [False, True]
    if depth and isinstance(member, Ref) and i.info(member.oid).kind == "list":
        return [list(way) if isinstance(way, tuple) else MISSING for way in ways(i, i.heap.get(member.oid, ITEMS) or UNBOUND, depth)]
    if depth and isinstance(member, Tuple) and member.items is not None and member.cls is None:
        return list(product(*(ways(i, item, depth - 1) for item in member.items)))
    return [python_value(i, member)]


MISUSE = ("TypeError", "ValueError", "AttributeError")
"""What Python raises where an operand is of another type than the expression takes: no program relies on that where it does not know the type."""
PLAIN = (bool, int, float, str, bytes, tuple, list, set, type(None))


UNTOLD = (
    "after([1, 2, 3], lambda l: l.pop(A))", "after([1, 2, 3], lambda l: l.insert(A, 9))", "after([1, 2, 3], lambda l: l.__setitem__(A, 9))",
    "after([1, 2, 3], lambda l: l.__delitem__(A))", "list(itertools.repeat(1, A))", "list(enumerate('ab', A))", "len(A)", "iter(A)", "getattr(P(), A)",
    "(lambda **k: k)(**A)", "(lambda a=0, **k: a)(**A)", "P(**A).more", "super(type(A), A).kind", "after(A, lambda r: setattr(r, 'a', 9)).a", "tuple(A)", "list(A)",
    "{A: 1}[A]", "hash(A) == hash(A)", "1 in A", "A['ONE'].value", "sorted(A.__members__)", "A(1, 2)", "A() == A()", "type('R', (A,), {'z': 1}).z", "A.kind", "A._fields", "A.nothing",
    "A.first", "after(A, lambda c: setattr(c, 'extra', 2)).extra", "A.ONE.value",
)  # fmt: skip
"""Expressions of known operands of which it is not told that they raise what `MISUSE` lists."""
WRONG = {
    "known": ("type(A) is type", "A.__bases__[0] is object", "A.__class__ is type"),
    "one of two": ("type(A) is type", "super(type(A), A).kind"),
    "out of sight": ("super(type(A), A).kind", "issubclass(bool, A)"),
    "of its type": ("A.real", "-A", "~A", "operator.neg(A)", "A.popitem()"),
}
"""What is not right yet, by what is known of the operand: a list that only shrinks. Most are about classes of Python itself."""


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize(("form", "way"), [(form, way) for form, way in product(FORMS, WAYS) if tries(form, way)])
def test_what_python_comes_to_is_among_what_is_known(form: str, way: str) -> None:
    wrong, vague = [], []
    for i, each, value in followed(tries(form, way)):
        seen = [real(each.expression, operand) for operand in each.operands]
        excused = MISUSE if way != "known" or each.expression in UNTOLD else ()
        if each.expression not in WRONG.get(way, ()):
            wrong += [(each, one, value) for one in seen if one not in excused and not covers(i, value, one)]
        if all(isinstance(one, PLAIN) for one in seen) and any(not any(same(may, one) for one in seen) for may in ways(i, value)):
            vague.append((each, seen, value))
    assert wrong == [], "\n".join(map(str, wrong))
    if way in ("known", "one of two", "in a range"):
        assert len(vague) == VAGUE.get((form, way), 0), "\n".join(map(str, vague))
