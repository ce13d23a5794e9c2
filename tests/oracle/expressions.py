"""The expressions of generated programs, by type: literals, and templates whose holes are expressions of the types that they name.

They raise nothing and stay small: products are taken modulo, texts are cut.
"""

from __future__ import annotations

LITERALS: dict[str, tuple[str, ...]] = {
    "int": ("0", "1", "2", "3", "7", "12", "-1", "-4"),
    "float": ("0.5", "1.0", "2.25", "-1.5"),
    "str": ("'a'", "'bc'", "'text'", "''", "'x y'"),
    "bool": ("True", "False"),
    "ints": ("[1, 2, 3]", "[]", "[4]", "[2, 2, 0, 5]", "list(range(4))"),
    "strs": ("['a', 'bc']", "['x']", "[]", "['q', 'w', 'q']"),
    "table": ("{'a': 1, 'b': 2}", "{}", "dict(k=3)", "{'x': 0}"),
    "pair": ("(1, 2)", "(0, 5)"),
    "maybe": ("None", "1", "0", "5"),
}
PRODUCERS: dict[str, tuple[str, ...]] = {
    "int": (
        "«int» + «int»", "«int» - «int»", "«int» * «int» % 101", "«int» // (abs(«int») + 1)", "-«int»", "«int» % 7", "abs(«int»)", "max(«int», «int»)",
        "len(«ints»)", "sum(«ints»)", "len(«str»)", "(«ints» or [9])[0]", "max(«ints», default=«int»)", "«table».get(«str», «int»)", "«pair»[«0|1|-1»]",
        "int(«bool»)", "«int» if «bool» else «int»", "«str».count('a')", "(lambda q: q + «int»)(«int»)", "«maybe» or «int»", "«int» and «int»",
        "divmod(«int», 5)[1]", "len(«table»)", "int(«float»)", "next(iter(«ints»), «int»)", "sum(q for q in «ints» if q > 0)", "[*«ints», «int»][-1]",
        "(«int» << 1) & 15", "len({*«ints»})", "sum(map(abs, «ints»))", "«ints».count(«int»)", "min([«int», «int»])", "(j := «int») + j", "round(«float»)",
    ),
    "float": ("«float» + «int»", "«int» / 2", "«float» * 2 % 31", "float(«int»)", "«float» if «bool» else 1.5", "max(«float», 0.0)", "abs(-«float»)", "round(«float», 1)"),
    "str": (
        "(«str» + «str»)[:12]", "str(«int»)", "«str».upper()", "«str»[::-1]", "'-'.join(«strs»)[:12]", "«str» if «bool» else «str»", "«str» or 'empty'", "«str»[:2]",
        "«str».replace('a', 'z')", "repr(«maybe»)", "'%d' % «int»", "'{}:{}'.format(«int», 1)", "(«strs» or ['none'])[0]", "type(«int»).__name__", "«str».strip().title()",
        "next(iter(sorted(«table»)), 'no key')", "('ab' * 2)[1:]", "''.join(sorted(«str»))[:9]",
    ),
    "bool": (
        "«int» < «int»", "«int» == «int»", "not «bool»", "«bool» and «bool»", "«bool» or «bool»", "«int» in «ints»", "«maybe» is None", "isinstance(«maybe», int)",
        "bool(«ints»)", "«str» != «str»", "«str» in «table»", "any(q > 1 for q in «ints»)", "0 <= «int» < 5", "«str».startswith('a')", "all(«strs»)", "«ints» == «ints»",
    ),
    "ints": (
        "[«int», «int»]", "«ints» + [«int»]", "«ints»[1:]", "[q + «int» for q in «ints»]", "[q for q in «ints» if q > «int»]", "sorted(«ints»)", "[*«ints», «int»]",
        "list(map(lambda q: q * 2 % 9, «ints»))", "list(«table».values())", "[len(q) for q in «strs»]", "list(range(abs(«int») % 4))", "«ints»[::-1]", "list(«pair»)",
        "[q for q, w in zip(«ints», «ints»)]", "list(set(«ints»))[:0]", "[i * q for i, q in enumerate(«ints»)]", "list(filter(None, «ints»))", "«ints» if «bool» else «ints»",
    ),
    "strs": ("[«str», «str»]", "«strs» + [«str»]", "«str».split()", "[q.upper() for q in «strs»]", "[str(q) for q in «ints»]", "sorted(«table»)", "list(«str»)[:3]", "«strs»[:1]"),
    "table": (
        "{«str»: «int»}", "{**«table», 'k': «int»}", "{q: len(q) for q in «strs»}", "dict(zip(«strs», «ints»))", "«table» | «table»", "{k: v + 1 for k, v in «table».items()}",
        "dict(«table», z=«int»)", "dict.fromkeys(«strs», «int»)",
    ),
    "pair": ("(«int», «int»)", "divmod(«int», 3)", "«pair»[::-1]", "tuple([«int», «int»])", "(«int»,) + («int»,)", "«pair» if «bool» else «pair»"),
    "maybe": ("«int» if «bool» else None", "None", "«table».get(«str»)", "next((q for q in «ints» if q > 2), None)", "«maybe» and «int»", "«int» or None", "dict(a=None).get('a')"),
}  # fmt: skip
