"""The constructs that generated programs are made of: templates with holes, as data.

A template defines something and, after a line `---`, uses it. Lines that begin with `:` declare functions for expressions elsewhere.
`$name` is a name of this instance. `«int»` is an expression of that type; `«int n s:str»` one that may use the local variables n, an int, and s.
`«block n xs:ints»`, alone on a line, is a list of statements with these variables. `«a|b»` is one of the alternatives.
Types: int, float, str, bool, ints and strs (lists), table (dict of str to int), pair (of ints), maybe (int or None).
"""

from __future__ import annotations

TEMPLATES: dict[str, str] = {
    "function": """
: $f(int) -> int
def $f(n):
    «block n»
    return «int n»
---
«block»
""",
    "function of text": """
: $f(str, int) -> str
def $f(s, n=«int»):
    «block s:str n»
    return «str s:str n»
""",
    "function of lists": """
: $f(ints) -> ints
def $f(xs):
    «block xs:ints»
    return «ints xs:ints»
---
$a = «ints»
print($f($a), $f(xs=$a[:2]), $a)
""",
    "closure": """
: $one(int) -> int
def $make(start=«int»):
    total = start
    def inner(k=«int»):
        nonlocal total
        total = (total + «int k») % 97
        return total
    def reset():
        nonlocal total
        total, before = start, total
        return before
    return «inner, reset|inner, (lambda: total)»
$one, $two = $make()
---
print($one(«int»), $one(), $two())
$three, $four = $make(«int»)
print($three(), $four(), $one())
""",
    "closures of many activations": """
def $make(start):
    total = start
    def bump(k=«int»):
        nonlocal total
        total = (total + k) % 97
        return total
    return bump
$bumps = [$make(total) for total in range(«2|5|20»)]
---
total = «int»
for $bump in $bumps:
    print($bump(), $bump(«int»), total)
""",
    "closures in a loop": """
$late = [lambda q: q + k for k in range(«2|3»)]
$early = []
for $k in range(3):
    def $g(q, k=$k):
        return q * k
    $early.append($g)
---
print([g(«int») for g in $late], [g(2) for g in $early], $early[«0|1|-1»](«int»))
""",
    "factory": """
: $f(int) -> int
def $make(n, kind="«add|scale|none»"):
    if kind == "add":
        def run(k):
            return n + k
    elif kind == "scale":
        run = lambda k: n * k % 101
    else:
        def run(k):
            return «int n k»
    return run
$f = $make(«int»)
---
print($make(1, "add")(2), $make(n=«int», kind="scale")(«int»))
""",
    "class": """
class $C:
    count = 0
    names = []
    def __init__(self, n, s=«str»):
        self.n = n
        self.s = s
        self.items = [n]
        $C.count += 1
    def step(self, k=«int»):
        n, s, xs = self.n, self.s, self.items
        «block n k s:str xs:ints»
        self.n = «int n k»
        self.names.append(self.s)
        return self
    def last(self):
        return self.items[-1] if self.items else None
---
$a = $C(«int»)
$b = $C(«int», s=«str»)
$c = $a
print($a.step().step(«int»).n, $b.last(), $C.count, $C.names is $b.names)
$c.n = «str»
$c.extra = «ints»
print($a.n, $a.extra, hasattr($b, "extra"), getattr($b, "extra", None))
""",
    "inheritance": """
class $A:
    tag = "a"
    def __init__(self, n):
        self.n = n
        self.setup()
    def setup(self):
        self.kind = self.tag
    def value(self):
        return self.n + «int»
    def report(self):
        return f"{type(self).__name__[0]} {self.kind} {self.value()}"
class $B($A):
    tag = "b"
    def value(self):
        return super().value() * 2
class $M:
    def setup(self):
        super().setup()
        self.mixed = True
class $D($M, $B):
    def __init__(self, n, m=«int»):
        super().__init__(n)
        self.m = m
    def value(self):
        return «super().value()|$A.value(self)|self.m» + self.m
---
for $o in [$A(1), $B(«int»), $D(3), $D(n=1, m=2)]:
    print($o.report(), isinstance($o, $B), $o.tag, getattr($o, "mixed", False))
""",
    "diamond": """
class $T:
    def go(self):
        return ["top"]
class $L($T):
    def go(self):
        return ["left"] + super().go()
class $R($T):
    def go(self):
        return ["right", *super().go()]
class $J(«$L, $R|$R, $L»):
    pass
---
print($J().go(), [c.__name__[0] for c in $J.__mro__])
""",
    "class methods": """
class $C:
    made = {}
    def __init__(self, n):
        self.n = n
    @classmethod
    def make(cls, n):
        new = cls(n)
        cls.made[n] = new
        return new
    @staticmethod
    def twice(n):
        return n * 2
    def __repr__(self):
        return f"<{self.n}>"
class $D($C):
    made = dict($C.made)
---
$a = $C.make(«int»)
$b = $D.make($C.twice(«int»))
print($a, [$b], type($b) is $D, len($C.made), len($D.made), $a.twice(2))
""",
    "property": """
class $C:
    def __init__(self, n):
        self._n = n
        self.reads = 0
    @property
    def n(self):
        self.reads += 1
        return self._n
    @n.setter
    def n(self, value):
        if value is None:
            raise ValueError("none")
        self._n = value
    @property
    def doubled(self):
        return self.n * 2
---
$a = $C(«int»)
$a.n = $a.n + $a.doubled
$a.n += «int»
try:
    $a.n = «maybe»
except ValueError as error:
    print(error)
print($a.n, $a.reads)
""",
    "operators": """
class $V:
    def __init__(self, x, y=0):
        self.x, self.y = x, y
    def __add__(self, other):
        if isinstance(other, int):
            return $V(self.x + other, self.y)
        if not isinstance(other, $V):
            return NotImplemented
        return $V(self.x + other.x, self.y + other.y)
    def __radd__(self, other):
        return self + other
    def __neg__(self):
        return $V(-self.x, -self.y)
    def __eq__(self, other):
        return isinstance(other, $V) and (self.x, self.y) == (other.x, other.y)
    def __hash__(self):
        return hash((self.x, self.y))
    def __lt__(self, other):
        return self.x < other.x
    def __bool__(self):
        return self.x != 0
    def __repr__(self):
        return f"V({self.x}, {self.y})"
---
$a, $b = $V(«int», 1), $V(«int»)
print($a + $b, $a + 1, 2 + $b, -$a, $a == $V($a.x, 1), $a < $b, bool($b), sum([$a, $b], $V(0)), sorted([$b, $a]), {$a: 1}[$a])
try:
    print($a + "text")
except TypeError:
    print("no")
""",
    "container class": """
class $C:
    def __init__(self, *items, **named):
        self.items = list(items)
        self.named = named
    def __len__(self):
        return len(self.items)
    def __getitem__(self, key):
        if isinstance(key, str):
            return self.named[key]
        return self.items[key]
    def __setitem__(self, key, value):
        self.named[key] = value
    def __contains__(self, item):
        return item in self.items
    def __iter__(self):
        return iter(self.items)
    def __call__(self, f, *rest):
        return [f(item, *rest) for item in self]
---
$a = $C(«int», «int», k=«str»)
$a["other"] = «float»
print(len($a), $a[0], $a[-1:], $a["k"], $a["other"], 3 in $a, [q for q in $a], $a(lambda q, k: q + k, 1), bool($a), *$a)
""",
    "iterator class": """
class $I:
    def __init__(self, stop):
        self.at = 0
        self.stop = stop
    def __iter__(self):
        return self
    def __next__(self):
        if self.at >= self.stop:
            raise StopIteration
        self.at += 1
        return self.at * 2
---
$it = $I(«2|3|4»)
print(next($it))
for $v in $it:
    print($v, $it.at)
print(next($it, None), list($I(2)), max($I(3)))
""",
    "attributes by name": """
class $C:
    __slots__ = ("known", "log")
    def __init__(self):
        object.__setattr__(self, "log", [])
        self.known = «int»
    def __getattr__(self, name):
        if name.startswith("x"):
            return lambda *args: (name, args)
        raise AttributeError(name)
    def __setattr__(self, name, value):
        self.log.append(name)
        object.__setattr__(self, name, value)
---
$a = $C()
setattr($a, "known", getattr($a, "known") + 1)
print($a.known, $a.xyz(1, 2), $a.log, getattr($a, "other", «maybe»))
try:
    $a.other
except AttributeError as error:
    print(error)
""",
    "context manager": """
class $M:
    def __init__(self, name, hide=False):
        self.name = name
        self.hide = hide
    def __enter__(self):
        print("enter", self.name)
        return self
    def __exit__(self, kind, value, trace):
        print("exit", self.name, kind is None)
        return self.hide
---
with $M("a") as $m, $M("b", hide=«True|False») as $w:
    «block»
    print($m.name, $w.name)
with $M("c", hide=True):
    print(«int»)
    «raise ValueError(1)|pass|[][1]»
    print("reached")
""",
    "generator context manager": """
import contextlib
@contextlib.contextmanager
def $m(n):
    log = [n]
    try:
        yield log
    except KeyError as error:
        log.append(str(error))
    finally:
        print("leave", log)
---
with $m(«int») as $log:
    $log.append(«int»)
    «raise KeyError("k")|pass»
""",
    "generator": """
def $g(n):
    total = 0
    for i in range(n):
        got = yield i * «int i»
        if got is not None:
            total += got
            print("got", got)
    return total
def $outer(n):
    result = yield from $g(n)
    yield "end", result
---
print(list($g(3)), sum($g(«0|1|2|4»)))
$it = $outer(2)
print(next($it), $it.send(«int»), next($it), next($it, "over"))
for $i, $v in enumerate($g(3)):
    if $i == 1:
        break
    print($v)
""",
    "endless generator": """
from itertools import islice
def $count(n=0):
    while True:
        yield n
        n += «1|2»
def $pairs(xs):
    it = iter(xs)
    while True:
        try:
            yield next(it), next(it)
        except StopIteration:
            return
---
print(list(islice($count(«int»), 3)), list($pairs(«ints»)))
for $n in $count():
    if $n > 3:
        break
print($n)
""",
    "generator within managers": """
import contextlib
class $M:
    def __init__(self, log):
        self.log = log
    def __enter__(self):
        self.log.append("enter")
        return len(self.log)
    def __exit__(self, kind, error, trace):
        self.log.append(kind is None)
        return kind is KeyError
@contextlib.contextmanager
def $scope(log, n):
    log.append(n)
    try:
        yield n
    finally:
        log.append("left")
def $g(log, n):
    with $scope(log, «int») as a, $M(log) as b:
        for i in range(n):
            got = yield a + i, b
            if got:
                log.append(got)
    yield log[-1]
def $held(log):
    steps = $g(log, 2)
    next(steps)
    «return next(steps)|raise ValueError("held")|return steps»
---
$log = []
try:
    for $part in $g($log, 2):
        «break|pass|raise ValueError("left")|raise KeyError("left")»
except LookupError as $error:
    print($error, len($log))
except ValueError:
    print(len($log))
print($log[-1], len($log))
$it = $g($log, «1|2»)
print(next($it), «next($it)|$it.send("sent")|$it.throw(KeyError("thrown"))|$it.close()», $log[-1], len($log))
try:
    $kept = $held($log)
except ValueError:
    print($log[-1])
print($log[-1], len($log))
$it = $kept = None
print($log[-1], len($log))
""",
    "generator closed": """
def $g():
    try:
        yield 1
        yield 2
    except ValueError as error:
        yield f"caught {error}"
    finally:
        print("closed")
---
$it = $g()
print(next($it))
«$it.close()|print($it.throw(ValueError("v")))|del $it»
""",
    "decorator": """
import functools
: $f(int) -> int
def $log(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return f(*args, **kwargs)
    wrapper.calls = 0
    return wrapper
def $times(k):
    def decorate(f):
        def inner(n):
            return f(n) * k
        return inner
    return decorate
@$log
def $f(n, *, m=1):
    return «int n m»
@$times(«int»)
@$log
def $h(n):
    return n + 1
---
print($f(1), $f(2, m=3), $f.calls, $f.__name__[0], $h(«int»))
""",
    "decorator class": """
class $Memo:
    def __init__(self, f):
        self.f = f
        self.known = {}
    def __call__(self, n):
        if n not in self.known:
            self.known[n] = self.f(n)
        return self.known[n]
@$Memo
def $fib(n):
    return n if n < 2 else $fib(n - 1) + $fib(n - 2)
def $register(cls):
    cls.registered = True
    return cls
@$register
class $C:
    registered = False
---
print($fib(«5|6|8»), sorted($fib.known), $C.registered, $C().registered)
""",
    "exceptions across calls": """
class $E(Exception):
    def __init__(self, code, detail=None):
        super().__init__(code)
        self.code = code
        self.detail = detail
class $F($E):
    pass
def $low(n):
    if n == 1:
        raise $E(n)
    if n == 2:
        raise $F(n, detail=«str»)
    if n == 3:
        return {}["missing"]
    return n
def $mid(n):
    try:
        return $low(n)
    except KeyError as error:
        raise $F(9) from error
    finally:
        print("mid", n)
def $top(n):
    try:
        result = $mid(n)
    except $F as error:
        return "F", error.code, error.detail
    except ($E, ValueError) as error:
        return "E", error.args
    else:
        return "fine", result
---
for $n in range(5):
    print($top($n))
try:
    $low(«0|1|2|3»)
except Exception as $e:
    print(type($e).__name__[0], isinstance($e, $E))
""",
    "finally and return": """
def $f(n):
    for i in range(3):
        try:
            if i == n:
                return i
            if n == 7:
                raise ValueError(n)
            continue
        except ValueError:
            n = 8
            break
        finally:
            print("finally", i)
            «pass|if n == 0: return "from finally"»
    return None
---
print($f(«0|1»), $f(7), $f(5))
""",
    "raised again": """
def $f(n):
    try:
        try:
            return 10 // n
        except ZeroDivisionError:
            print("again")
            raise
    except ArithmeticError as error:
        return str(error)
def $g(xs, i):
    try:
        value = xs[i]
    except IndexError:
        value = None
    except TypeError:
        value = "type"
    else:
        value += 1
    return value
---
print($f(0), $f(«1|2»), $g(«ints», 0), $g(«ints», 99), $g([], "k"))
""",
    "exceptions in a loop": """
: $f(int) -> int
def $check(n):
    if n % 2:
        raise ValueError(f"odd {n}")
    return n // 2
def $f(n):
    good, bad = [], 0
    for i in range(n % 5):
        try:
            good.append($check(i))
        except ValueError as error:
            bad += 1
            if bad > 2:
                break
            continue
        good.append(-1)
    return len(good) - bad
---
print($f(4), $f(«int»))
""",
    "recursion": """
: $fact(int) -> int
def $fact(n):
    n = n % 7
    return 1 if n < 2 else n * $fact(n - 1)
def $even(n):
    return True if n == 0 else $odd(n - 1)
def $odd(n):
    return False if n == 0 else $even(n - 1)
def $depth(tree):
    if not isinstance(tree, list):
        return 0
    return 1 + max([$depth(item) for item in tree], default=0)
def $flat(tree):
    for item in tree:
        if isinstance(item, list):
            yield from $flat(item)
        else:
            yield item
---
print($fact(5), $even(«4|5»), $depth([1, [«int», [3]], []]), list($flat([1, [«int», [«str»]], []])))
""",
    "linked nodes": """
class $Node:
    def __init__(self, value, rest=None):
        self.value = value
        self.rest = rest
        self.parent = None
        if rest is not None:
            rest.parent = self
    def __iter__(self):
        node = self
        while node is not None:
            yield node.value
            node = node.rest
    def total(self):
        return self.value + (self.rest.total() if self.rest else 0)
---
$list = None
for $v in «ints»:
    $list = $Node($v, $list)
if $list is not None:
    print(list($list), $list.total(), $list.rest and $list.rest.parent is $list, $list.parent)
""",
    "match": """
class $P:
    __match_args__ = ("x", "y")
    def __init__(self, x, y):
        self.x, self.y = x, y
def $f(value):
    match value:
        case None:
            return "none"
        case 0 | 1:
            return "bit"
        case int(n) if n > 10:
            return n
        case int() | float():
            return "number"
        case [first, *others]:
            return first, others
        case {"k": k, **more}:
            return k, sorted(more)
        case $P(0, y=y):
            return "axis", y
        case $P() as p:
            return p.x
        case str() as s:
            return s.upper()
        case _:
            return ()
---
for $v in [None, 1, «int», 2.5, [1, «int»], (), {"k": «str», "z": 1}, $P(0, 2), $P(«int», 1), "text", {}]:
    print($f($v))
""",
    "arguments": """
def $f(a, /, b, c=«int», *rest, d, e=None, **more):
    return a, b, c, rest, d, e, sorted(more.items())
def $forward(*args, **kwargs):
    kwargs.setdefault("d", «int»)
    return $f(*args, **kwargs)
def $shared(item, into=[]):
    into.append(item)
    return into
---
print($f(1, 2, d=3), $f(1, b=2, d=3, z=4), $forward(1, 2, 3, 4, 5, e=«str»), $forward(*«ints»[:1], 7, 8, **{"b" if False else "q": 1}))
print($shared(1), $shared(«str»), $shared(2, []))
$args, $kw = [1, 2], {"d": «bool»}
print($f(*$args, **$kw))
try:
    $f()
except TypeError:
    print("arguments")
""",
    "global state": """
: $bump(int) -> int
$N = 0
$LOG = []
def $bump(n):
    global $N
    $N += 1
    $LOG.append(n)
    return $N
def $read():
    return $N, len($LOG)
def $shadow():
    $N = "local"
    return $N
---
print($bump(«int»), $read(), $shadow(), $read())
$N = None if «bool» else 5
print($read()[0] is None)
$N = 0
""",
    "partial and map": """
import functools, operator
def $f(a, b, c=0):
    return a * 2 + b + c
$g = functools.partial($f, «int»)
$h = functools.partial($g, c=«int»)
---
print($g(1), $h(2), $h(1, c=0), list(map($g, «ints»)), list(map(operator.add, [1, 2], [3, 4])))
print(functools.reduce(lambda a, b: a + b, «ints», 0), list(filter(None, [0, 1, «int»])), sorted(«strs», key=len), sorted(«ints», key=lambda q: -q))
""",
    "dispatch": """
def $add(a, b):
    return a + b
def $concat(a, b):
    return f"{a}{b}"
class $H:
    def on_add(self, n):
        return n + 1
    def on_text(self, n):
        return str(n)
$TABLE = {"add": $add, "concat": $concat, "max": max}
---
for $k in sorted($TABLE):
    print($k, $TABLE[$k](«int», 2))
for $k in ("add", "text"):
    print(getattr($H(), "on_" + $k)(«int»))
print($TABLE.get("none", $add)(1, 2), [f(1, 2) for f in ($add, $concat)])
""",
    "dataclass": """
from dataclasses import dataclass, field, replace
@dataclass
class $D:
    n: int
    s: str = "s"
    xs: list = field(default_factory=list)
    def grow(self):
        self.xs.append(self.n)
        return self
@dataclass(frozen=True)
class $E:
    a: int = 1
    b: $D | None = None
---
$d = $D(«int»)
$e = $E(b=$d.grow())
print($d, $d == $D($d.n), replace($e, a=«int»).a, $e.b.xs, $D(1).xs is $D(1).xs)
try:
    $e.a = 2
except AttributeError:
    print("frozen")
""",
    "enum and namedtuple": """
import enum
from collections import namedtuple
from typing import NamedTuple
class $Colour(enum.Enum):
    RED = 1
    BLUE = "b"
$P = namedtuple("P", "x y")
class $Q(NamedTuple):
    x: int
    y: str = "y"
---
$p, $q = $P(«int», 2), $Q(1)
$x, $y = $p
print($p.x, $y, $p._replace(x=0), $q, $q[1], $Colour.RED.value, $Colour("b").name, [c.name for c in $Colour], $Colour(1) is $Colour.RED)
""",
    "aliasing": """
def $push(xs, x):
    xs.append(x)
def $fresh(xs, x):
    xs = xs + [x]
    return xs
---
$a = $b = «ints»
$c = $a[:]
$push($a, 1)
$d = $fresh($b, «int»)
print($a is $b, $a == $c, $b, len($d))
$rows = [[0] * 2] * 2
$rows[0][1] = «int»
$own = [[0, 0] for _ in range(2)]
$own[0][1] = «str»
print($rows, $own)
$t = ([],)
$t[0].append($a)
$box = {"a": $a, "b": [$b]}
$box["b"][0].append("deep")
print($t, $a[-1], $box["a"] is $box["b"][0])
$a += [5]
$a = $a + [6]
print($b, $a is $b)
""",
    "dict of lists": """
from collections import Counter, defaultdict
---
$groups = {}
$sizes = defaultdict(int)
$more = defaultdict(list)
for $w in «strs»:
    $groups.setdefault(len($w), []).append($w)
    $sizes[$w] += 1
    $more[$w[:1]].append(len($w))
print($groups, dict($sizes), sorted($more.items()), Counter(«strs»).most_common(1))
$t = «table»
$t.update(z=1)
print($t.pop("z"), $t.pop("none", None), [(k, v) for k, v in $t.items()], $t | {"q": 2}, list($t), "a" in $t)
if $t:
    del $t[next(iter($t))]
print(len($t), {v: k for k, v in $t.items()})
""",
    "comprehensions": """
$M = [[«int», 2], [3, «int»], []]
---
print([[q + 1 for q in row if q] for row in $M], [q for row in $M for q in row], {len(row) for row in $M} >= {0})
print({str(i): row[:1] for i, row in enumerate($M) if row}, sum(q for row in $M for q in row), any(not row for row in $M))
print([$last := q for q in «ints»], all(isinstance(q, int) for q in $M[0]), list(zip(*$M[:2])), next((q for q in $M[0] if q > 1), None))
""",
    "loops": """
---
for $i in «range(3)|reversed([1, 2])|(1, "a", None)|{"k": 1, "z": 2}|"ab"|zip([1], "a")|enumerate("ab", 1)|sorted({3, 1})»:
    print($i)
else:
    print("else")
$n = 0
while $n < 5:
    $n += 1
    if $n == «2|9»:
        continue
    «if $n == 4: break|pass»
    print($n)
else:
    print("all")
$it = iter(«ints»)
while ($v := next($it, None)) is not None:
    print($v)
for $j in []:
    print("never")
else:
    $j = "empty"
print($j)
for $n in range(«1|3»):
    $k = $n if $n else "first"
print($k, $n)
""",
    "iter with sentinel": """
$STACK = «ints»
def $pop():
    return $STACK.pop() if $STACK else None
---
for $v in iter($pop, None):
    print($v)
print($STACK)
""",
    "text": """
---
$s = «str» + " b c"
print($s.split(), "-".join($s.split()), $s.replace("b", "x").title(), $s.find("b"), $s.partition(" "), "%s|%d" % ($s, «int»))
print("{} {k:>3}".format(«int», k=2), $s[::-1], $s[1:3].strip(), $s.encode()[:1], $s.isdigit(), [c for c in $s if c.isalpha()], f"{$s!r:.4}{1.25:.1f}")
$a, _, $z = $s.rpartition(" ")
print(int("1" + "2"), float("1.5"), str(None), $a.count("b"), ($z * 2).center(7, "*"), "b" in $s, $s < "z", ord("a"), chr(98))
""",
    "unpacking": """
---
$a, ($b, *$c), *$d = 1, (2, 3, «int»), «str», 5
[$e, $f] = $d
$a, $b = $b, $a
*$g, $h = "xyz"
print($a, $b, $c, $d, $e, $f, $g, $h, *$c, [*$c, *$g], (*$d,), {**{"k": «int»}, "z": 1})
for $i, ($k, $v) in enumerate({"p": 1, "q": «str»}.items()):
    print($i, $k, $v)
""",
    "none and narrowing": """
: $f(maybe) -> int
def $f(n):
    if n is None:
        n = «int»
    return n + 1
def $kind(v):
    if isinstance(v, bool):
        return "bool"
    if isinstance(v, (int, float)):
        return v + 1
    if isinstance(v, str):
        return len(v)
    if callable(v):
        return v()
    if not v:
        return None
    return [$kind(item) for item in v]
---
for $v in [True, «int», «float», «str», [], [1, "a"], None, lambda: «maybe», ((2,),)]:
    print($kind($v))
print($f(«maybe»), $f(None))
""",
    "different types": """
def $f(n):
    if n == 0:
        return None
    if n < 0:
        return str(n)
    return [n] if n % 2 else n / 2
---
$r = None
for $i in (-1, 0, 1, 2, «int»):
    $r = $f($i)
    print($r if $r is not None else "none", bool($r))
$q = $r or «str»
$w = $r and 1
print($q, $w, $r is None or len(str($r)))
""",
    "short circuit": """
$SEEN = []
def $t(n):
    $SEEN.append(n)
    return n
---
print($t(0) and $t(1), $t(2) or $t(3), not $t(0), $t(1) < $t(3) < $t(2) < $t(9), $t(1) if $t(0) else $t(5), $SEEN)
print(«bool» and «int», «maybe» or «str», None is None != False)
""",
    "numbers": """
: $f(int) -> float
def $f(n):
    return n / 2
---
$a, $b = «int», «float»
print($a + $b, $a // 3, $a % 5, divmod($a, 4), -$a ** 2 % 7, round($b, 1), abs(-$a), min($a, 3), max([1.5, $b]), int($b), float($a), $a & 3, $a ^ 1, $a << 2, ~$a, True + $a, bool($a), 1j * 2)
try:
    print($a / ($a - $a))
except ZeroDivisionError as error:
    print(error)
$a += 1.5
$a -= «int»
print($a, $f(2), 7 // 2 * 2.0, sum([0.5, 1]), 2 ** -1, 2 ** 3)
""",
    "itertools": """
import itertools
---
print(list(itertools.chain(«ints», "a")), list(itertools.product([1, 2], "a")), [(k, len(list(g))) for k, g in itertools.groupby(sorted(«strs»), key=len)])
for $a, $b in itertools.zip_longest(«ints», ["x"]):
    print($a, $b)
print(list(itertools.accumulate(«ints»)), list(itertools.takewhile(lambda q: q < 3, itertools.count())), list(zip(itertools.count(1), «strs»)))
""",
    "cached": """
from functools import cached_property, lru_cache, singledispatch
: $f(int) -> int
@lru_cache(maxsize=None)
def $f(n):
    print("computed", n)
    return n + «int»
class $C:
    @cached_property
    def heavy(self):
        print("once")
        return [«int»]
@singledispatch
def $show(v):
    return "other"
@$show.register
def _(v: int):
    return v + 1
@$show.register(str)
def _(v):
    return v.upper()
---
$c = $C()
print($f(1), $f(1), $c.heavy is $c.heavy, $show(1), $show("a"), $show(None))
""",
    "hooks of classes": """
class $Base:
    known = []
    def __init_subclass__(cls, tag="none", **kwargs):
        super().__init_subclass__(**kwargs)
        cls.tag = tag
        $Base.known.append(cls)
class $A($Base, tag="a"):
    pass
class $B($Base):
    def __new__(cls, n=0):
        self = super().__new__(cls)
        self.n = n
        return self
class $Descriptor:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name, «int»)
    def __set__(self, obj, value):
        setattr(obj, self.name, value * 2)
class $W:
    field = $Descriptor()
class $Meta(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.by_meta = True
        return made
class $X(metaclass=$Meta):
    pass
---
$w = $W()
print([c.tag for c in $Base.known], $B(3).n, $w.field, $X().by_meta, type($X) is $Meta)
$w.field = «int»
print($w.field, $w._field)
""",
    "classes made in functions": """
def $make(base, n):
    class Made(base):
        size = n
        def get(self):
            return n + len(super().__repr__()[:1])
    return Made
$A = $make(object, 1)
$B = $make($A, «int»)
$T = type("T", ($B,), {"extra": lambda self: self.size})
---
print($A().get(), $B().size, $T().extra(), issubclass($T, $A), [c().size for c in ($A, $B)])
""",
    "scopes": """
$x = «int»
def $outer():
    $x = "outer"
    def inner():
        return $x
    class K:
        $x = "class"
        def get(self):
            return $x
        seen = [$x for _ in range(1)]
        here = $x
    [$x for $x in range(3)]
    return inner(), K().get(), K.seen, K.here, $x
def $before():
    try:
        print($y)
        $y = 1
    except UnboundLocalError:
        return "unbound"
def $deleted():
    z = «int»
    del z
    try:
        return z
    except NameError:
        return "deleted"
def len_(xs, len=len):
    return len(xs) + 1
---
print($x, $outer(), $before(), $deleted(), len_([1]))
try:
    print($undefined)
except NameError:
    $undefined = «maybe»
print($undefined)
""",
    "stack machine": """
def $run(code):
    stack, at, steps = [], 0, 0
    while at < len(code) and steps < 30:
        op, *args = code[at]
        at += 1
        steps += 1
        if op == "push":
            stack.append(args[0])
        elif op == "add":
            stack.append(stack.pop() + stack.pop())
        elif op == "jump" and stack and stack[-1] < 9:
            at = args[0]
        elif op == "dup":
            stack.append(stack[-1])
    return stack
---
print($run([("push", «int»), ("push", 2), ("add",)]), $run([("push", 1), ("dup",), ("add",), ("jump", 1)]))
""",
    "queue of work": """
def $walk(graph, start):
    seen, todo = {start}, [start]
    order = []
    while todo:
        node = todo.pop(0)
        order.append(node)
        for other in graph.get(node, ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return order
---
print($walk({"a": ["b", "c"], "b": ["d"], "c": ["d", "a"]}, "a"), $walk({}, «str»), $walk({1: [2], 2: [1]}, 1))
""",
    "observer": """
class $Bus:
    def __init__(self):
        self.handlers = {}
    def on(self, name, handler=None):
        if handler is None:
            return lambda f: self.on(name, f)
        self.handlers.setdefault(name, []).append(handler)
        return handler
    def fire(self, name, *args):
        return [handler(*args) for handler in self.handlers.get(name, [])]
$bus = $Bus()
@$bus.on("a")
def $first(n):
    return n + 1
class $Counter:
    def __init__(self):
        self.n = 0
        $bus.on("a", self.add)
    def add(self, n):
        self.n += n
        return self
---
$c = $Counter()
$bus.on("b", print)
print($bus.fire("a", «int»)[0], $bus.fire("a", 2)[1] is $c, $c.n, $bus.fire("b", «str»), $bus.fire("c"))
""",
    "state machine": """
class $S:
    def __init__(self):
        self.state = self.idle
        self.log = []
    def idle(self, ch):
        self.log.append("i")
        if ch == "g":
            self.state = self.going
    def going(self, ch):
        self.log.append(ch)
        self.state = self.idle if ch == "s" else self.going
    def feed(self, text):
        for ch in text:
            self.state(ch)
        return "".join(self.log)
---
print($S().feed("agxs" + «str»), $S().feed(""))
""",
    "sets and tuples": """
---
$s = {1, «int»}
$s.add(«int»)
$s |= {2}
$s.discard(1)
print(sorted($s & {2, 3}), sorted($s - {2}), sorted($s ^ {9}), 2 in $s, $s >= {2}, frozenset($s) == $s)
$t = (1, «str», [2])
$t += (3,)
$u = $t[1:3]
print($t, $u, $t.index(1), $t.count(3), len($u), ($u[1] is $t[2]), tuple(«ints»), $t < (2,), (1, 2) + (3,), (0,) * 2)
""",
    "list methods": """
---
$a = «ints»
$a.extend([3, 1]); $a.insert(0, «int»); $a.sort(reverse=True)
print($a, $a.index(3), $a.pop(), $a.count(1), $a[-1], $a[::2])
$a[1:2] = ["x", "y"]
$b = $a.copy()
$a.remove("x"); $b.reverse(); $a[0] = None
del $b[0]
print($a, $b, min([3, 1]), list(reversed($b)), $a * 2, [1, 2] == [1, 2], 3 in $a)
$a.clear()
print($a, $b and $b[0])
""",
    "coroutine": """
import asyncio
async def $f(n):
    await asyncio.sleep(0)
    return n + 1
async def $main():
    one = await $f(«int»)
    many = await asyncio.gather($f(1), $f(2))
    return [one, *many]
---
print(asyncio.run($main()))
""",
    "reduce by hand": """
: $fold(ints) -> int
def $fold(xs, f=lambda a, b: a + b, start=0):
    result = start
    for x in xs:
        result = f(result, x)
    return result
def $compose(*fs):
    def run(v):
        for f in fs:
            v = f(v)
        return v
    return run
---
print($fold(«ints»), $fold(«ints», max), $fold(["a", "b"], start=""), $compose(str, len)(«int»), $compose()(«str»), $compose(lambda q: [q], len, bool)(1))
""",
    "class state by key": """
class $Cache:
    _instances = {}
    def __new__(cls, key):
        if key not in cls._instances:
            cls._instances[key] = super().__new__(cls)
        return cls._instances[key]
    def __init__(self, key):
        self.key = key
        self.hits = getattr(self, "hits", 0) + 1
---
print($Cache("a") is $Cache("a"), $Cache("a").hits, $Cache(«int»).hits, len($Cache._instances))
""",
    "weak references": """
import weakref
class $Box:
    def __init__(self, n):
        self.n = n
    def add(self, k):
        return self.n + k
$box = $Box(«int»)
$other = $Box(«int»)
$method = weakref.WeakMethod($box.add)
$values = weakref.WeakValueDictionary(a=$box)
$keys = weakref.WeakKeyDictionary({$box: «int»})
$boxes = weakref.WeakSet([$box])
def $run(k):
    $values["b"] = $other
    $keys[$other] = k
    $boxes.add($other)
    $boxes.add($box)
    return [$method()(k), sorted($values.keys()), $values.get("c", k), $values["b"].n, $keys[$box], len($boxes), $box in $boxes, sum($keys.values())]
---
print($run(«int»))
""",
    "entries that are attributes": """
class $Box:
    k = «int»
$box = $Box()
$box.n = «int»
def $run(m):
    vars($box)["n"] += m
    $box.__dict__.setdefault("n", m)
    $box.__dict__.update(m=m)
    d = vars($box)
    d["k"] = m + 1
    del d["m"]
    return [$box.n, hasattr($box, "m"), $box.k, $Box.k, sorted(vars($box)), d.get("z", m), "n" in d]
---
print($run(«int»), $box.n)
""",
    "exit stack": """
import contextlib
class $Scope:
    def __init__(self, n, log):
        self.n, self.log = n, log
    def __enter__(self):
        self.log.append(("in", self.n))
        return self.n
    def __exit__(self, kind, error, trace):
        self.log.append(("out", self.n, kind is None))
        return isinstance(error, KeyError)
@contextlib.contextmanager
def $scope(n, log):
    log.append(("enter", n))
    try:
        yield n + 1
    except ValueError:
        log.append(("value", n))
    finally:
        log.append(("exit", n))
def $run(fails):
    log = []
    with contextlib.ExitStack() as stack:
        a = stack.enter_context($Scope(«int», log))
        b = stack.enter_context($scope(«int», log))
        stack.callback(log.append, «int»)
        stack.push($Scope(«int», log))
        c = stack.enter_context(contextlib.nullcontext(a + b))
        if fails is not None:
            raise fails("x")
        log.append(c)
    return log
---
print($run(None), $run(KeyError), $run(ValueError))
with contextlib.ExitStack() as $first:
    $first.callback(print, «int»)
    $kept = $first.pop_all()
$kept.close()
""",
    "swallowed": """
import contextlib
$errors = (KeyError, ValueError)
def $f(n):
    found = [n]
    with contextlib.suppress(*$errors):
        found.append(«int n»)
        if n > 1:
            raise ValueError(n)
        found.append("end")
    with contextlib.suppress(LookupError):
        [][n]
    return found
---
print($f(1), $f(2))
""",
    "manager that decorates": """
import contextlib
@contextlib.contextmanager
def $twice(log):
    log.append("in")
    yield len(log)
    log.append("out")
class $Counted(contextlib.ContextDecorator):
    times = 0
    def __enter__(self):
        $Counted.times += 1
        return self
    def __exit__(self, *details):
        return False
$log = []
@$twice($log)
def $f(n):
    return n + len($log)
@$Counted()
def $g(n=«int»):
    return n + $Counted.times
---
print($f(«int»), $f(1), $g(), $g(2), $log)
""",
    "threads": """
import threading
class $Work(threading.Thread):
    def __init__(self, n):
        super().__init__()
        self.n, self.found = n, None
    def run(self):
        self.found = «int» + self.n
def $add(n, into):
    into.append(n)
---
$into = []
$threads = [threading.Thread(target=$add, args=(n, $into)) for n in range(2)] + [$Work(«int»)]
for $thread in $threads:
    $thread.start()
    $thread.join()
print($into, $threads[2].found)
""",
    "executors": """
from concurrent.futures import ThreadPoolExecutor, as_completed
def $f(n, k=«int»):
    if n > 2:
        raise ValueError(n)
    return [n, k]
---
with ThreadPoolExecutor(1) as $pool:
    $one = $pool.submit($f, «1|2», k=3)
    $bad = $pool.submit($f, 5)
    $many = list($pool.map($f, [0, 1], [«int», 2]))
$seen = []
$one.add_done_callback(lambda future: $seen.append(future.result()))
try:
    $bad.result()
except ValueError as error:
    $seen.append(error.args)
print($one.result(), $many, $seen, [future.result() for future in as_completed([$one])])
""",
    "getters": """
import operator
class $Point:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def moved(self, by, *, up=0):
        return $Point(self.x + by, self.y + up)
$p = $Point(«int», $Point(«int», «str»))
---
print(operator.attrgetter("x")($p), operator.attrgetter("y.y", "x")($p), operator.itemgetter(1)([1, «int»]), operator.itemgetter("a", "b")({"a": 1, "b": «str»}))
print(operator.methodcaller("moved", 2, up=1)($Point(1, 2)).y, sorted([(2, "a"), (1, "b")], key=operator.itemgetter(0)))
$d = {}
operator.setitem($d, "k", «int»)
print($d, operator.getitem($d, "k"))
""",
    "what an exception holds": """
class $Bad(Exception):
    def __init__(self, code, *more):
        super().__init__(code, *more)
        self.code = code
def $f(n):
    try:
        try:
            if n:
                raise KeyError(n, «int»)
            raise $Bad(«int», n)
        except KeyError as error:
            a, b = error.args
            raise ValueError(a + b) from error
    except ValueError as error:
        return error.__cause__.args, error.args[0]
    except $Bad as error:
        return error.args, error.code
def $group(n):
    found = []
    try:
        raise ExceptionGroup("several", [ValueError(n), KeyError("k", n)])
    except* KeyError as group:
        found.append(group.exceptions[0].args)
    except* ValueError as group:
        found.append(len(group.exceptions))
    return found
---
print($f(0), $f(«1|2»), $group(«int»))
""",
    "what a generator returns": """
def $parts(n):
    yield n
    return [n, "done"]
def $outer(n):
    found = yield from $parts(n)
    yield found
---
$it = $parts(«int»)
print(next($it))
try:
    next($it)
except StopIteration as stop:
    print(stop.value)
print(list($outer(«int»)))
async def $work(n):
    return n + 1
try:
    $work(«int»).send(None)
except StopIteration as stop:
    print(stop.value)
""",
    "matched classes": """
from dataclasses import dataclass
@dataclass
class $Move:
    x: int
    y: int = 0
class $Text:
    __match_args__ = ("text",)
    def __init__(self, text):
        self.text = text
def $act(command):
    match command:
        case $Move(x=1):
            return "one"
        case $Move(a, b) if b:
            return a + b
        case $Move(a):
            return a
        case $Text(text):
            return text
        case {"k": int() as k, **rest}:
            return k, rest
        case [first, *_, ("x" | "y") as last]:
            return first, last
---
print($act($Move(1)), $act($Move(«2|3», 4)), $act($Move(5)), $act($Text(«str»)), $act({"k": «int», "l": 2}), $act([1, 2, "y"]), $act(None))
""",
    "names by text": """
class $Box:
    pass
$number = «int»
def $put(v):
    globals()["$number"] = v
---
$b = $Box()
vars($b)["v"] = «int»
$b.__dict__["w"] = «str»
print($b.v, $b.w, getattr($b, "v"), sorted(vars($b)))
$put(«str»)
print($number, globals()["$number"])
""",
    "defaults bound again": """
from functools import partial
def $f(a, b=«int», *, c=2):
    return a, b, c
$g = partial(partial($f, 1), c=«int»)
---
$f.__defaults__ = («str»,)
print($f(1), $g(), $g.args, $g.keywords, $f.__defaults__)
""",
    "asynchronous": """
import contextlib
import asyncio
class $Steps:
    def __init__(self, n):
        self.n = n
    def __aiter__(self):
        return self
    async def __anext__(self):
        if not self.n:
            raise StopAsyncIteration
        self.n -= 1
        return self.n
class $Scope:
    async def __aenter__(self):
        await asyncio.sleep(0)
        return «int»
    async def __aexit__(self, kind, error, trace):
        return kind is ValueError
@contextlib.asynccontextmanager
async def $scope(n):
    yield n + 1
async def $parts(n):
    yield n
    yield n + 1
async def $main(n):
    found = []
    async with $Scope() as a, $scope(n) as b:
        found.append((a, b))
        raise ValueError(n)
    it = $parts(n)
    found.append(await anext(it))
    found.append(await it.__anext__())
    found.append(await anext(it, "end"))
    task = asyncio.create_task($double(n))
    found.append(await task)
    found.append(task.result())
    found.append(await asyncio.to_thread(len, found))
    queue = asyncio.Queue()
    await queue.put(n)
    queue.put_nowait(«str»)
    found.append((await queue.get(), queue.get_nowait(), queue.empty()))
    async for step in $Steps(2):
        print(step)
    return found
async def $double(n):
    return 2 * n
---
print(asyncio.run($main(«int»)))
""",
    "values of a context": """
import contextvars
$level = contextvars.ContextVar("level", default=«int»)
def $read():
    return $level.get()
---
$token = $level.set(«str»)
print($read())
$level.reset($token)
print($read(), $level.get(1))
""",
    "chain of maps": """
from collections import ChainMap
$base = {"a": «int», "b": 2}
$chain = ChainMap({"a": «str»}, $base)
---
$chain["c"] = 3
print($chain["a"], $chain["b"], "c" in $base, $chain.get("d", «int»), $chain.new_child({"b": 0})["b"], $chain.maps[1] is $base)
""",
}

HELPER = """
«block»
def $helper(n=1, *, m=«int»):
    return «int n m»
class $Tool:
    level = 2
    def __init__(self, n):
        self.n = n
    def use(self):
        return self.n * self.level
$VALUE = «table»
_hidden = 1
"""
"""A second file, and how it is imported."""
IMPORTS = (
    ("from $m import $helper, $Tool, $VALUE", "print($helper(), $Tool(«int»).use(), $VALUE)"),
    ("import $m", "print($m.$helper(«int»), $m.$Tool(1).use(), $m.$VALUE)\n$m.$Tool.level = «int»\nprint($m.$Tool(2).use())"),
    ("import $m as other_$m", "print(other_$m.$helper(m=2), sorted(other_$m.$VALUE))\nother_$m.$VALUE = «str»\nprint(other_$m.$VALUE)"),
    ("from $m import *", "print($helper(2), $Tool(3).use(), len($VALUE))"),
)
