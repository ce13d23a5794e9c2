"""The statements of generated programs: for each kind, when it can stand, and what makes its lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .expressions import PRODUCERS

if TYPE_CHECKING:
    from .generate import Draft

TYPES = tuple(PRODUCERS)
ITERABLES = (
    ("range(COUNT)", "int"), ("«ints»[:4]", "int"), ("[*«strs»][:4]", "str"), ("list(«table».items())[:3]", "item"), ("enumerate(«strs»[:3])", "numbered"),
    ("(1, 2)", "int"), ("zip(«ints»[:3], «strs»)", "numbered"), ("reversed([1, 2])", "int"), ("sorted({3, 1})", "int"), ("(q * 2 for q in [1, 2])", "int"), ("iter([5])", "int"),
)  # fmt: skip
"""What loops go over, with the type of the target."""
TARGETS = {"item": ("str", "int"), "numbered": ("int", "str")}
AUGMENTED = {
    "int": ("+= «int»", "-= «int»", "*= 2", "%= 9", "//= 2"),
    "float": ("+= «float»", "-= 1", "/= 2"),
    "str": ("+= 'z'",),
    "ints": ("+= [«int»]", "*= 1"),
    "table": ("|= {'u': «int»}",),
}
MUTATIONS = {
    "ints": (
        "NAME.append(«int»)",
        "NAME.insert(0, «int»)",
        "NAME[:1] = [«int»]",
        "NAME.sort()",
        "NAME.extend([«int»])",
        "NAME[0:0] = [1, 2]",
        "del NAME[1:]",
    ),
    "strs": ("NAME.append(«str»)", "NAME.reverse()", "del NAME[2:]"),
    "table": ("NAME[«str»] = «int»", "NAME.pop(«str», None)", "NAME.update(k=«int»)", "NAME.setdefault('k', «int»)"),
}
RAISING = (
    "raise ValueError(«str»)",
    "raise KeyError",
    "(0).missing",
    "[][«int»]",
    "{}[«str»]",
    "«int» // 0",
    "None + 1",
    "int('x')",
    "next(iter([]))",
    "raise TypeError from None",
)
HANDLERS = ("except Exception", "except (ValueError, LookupError, ArithmeticError, AttributeError, TypeError, StopIteration)")

Statement = tuple[Callable[["Draft"], bool], Callable[["Draft"], list[str]]]


def indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def assign(d: Draft) -> list[str]:
    kind = d.pick(TYPES)
    names = d.of_type(kind, writable=True)
    name = d.pick(names) if names and d.chance(0.4) else d.name("v")
    line = f"{name} = {d.expression(kind)}"
    d.variables[name] = kind
    if d.chance(0.1):
        line = line.replace(" = ", f" = {d.name('also')} = ", 1)
    return [line]


def rebind(d: Draft) -> list[str]:
    """A variable of another type from here on; only in a scope of its own, where nothing before it is run again."""
    name = d.name("w")
    kind = d.pick(TYPES)
    lines = [f"{name} = {d.expression(d.pick(TYPES))}", f"print({name})", f"{name} = {d.expression(kind)}"]
    d.variables[name] = kind
    return lines


def augment(d: Draft) -> list[str]:
    kind = d.pick(tuple(AUGMENTED))
    names = d.of_type(kind, writable=True)
    return [f"{d.pick(names)} {d.filled(d.pick(AUGMENTED[kind]))}"] if names else assign(d)


def mutate(d: Draft) -> list[str]:
    kind = d.pick(tuple(MUTATIONS))
    names = d.of_type(kind, writable=True)
    return [d.filled(d.pick(MUTATIONS[kind]).replace("NAME", d.pick(names)))] if names else assign(d)


def alias(d: Draft) -> list[str]:
    names = [*d.of_type("ints"), *d.of_type("table")]
    if not names:
        return assign(d)
    name, other = d.name("same"), d.pick(names)
    d.variables[name] = d.variables[other]
    if other in d.fixed:
        d.fixed = d.fixed | {name}
    return [f"{name} = {other}", f"print({name} is {other})"]


def show(d: Draft) -> list[str]:
    return [f"print({', '.join(d.expression(d.pick(TYPES)) for _ in range(1 + d.random.randrange(2)))})"]


def branch(d: Draft) -> list[str]:
    lines = [f"if {d.expression('bool')}:", *nested(d)]
    if d.chance(0.3):
        lines += [f"elif {d.expression('bool')}:", *nested(d)]
    return [*lines, "else:", *nested(d)] if d.chance(0.5) else lines


def both_ways(d: Draft) -> list[str]:
    """A variable that both branches bind, with different types at times."""
    name = d.name("v")
    kind = d.pick(TYPES)
    other = d.pick(TYPES) if d.chance(0.4) else kind
    lines = [
        f"if {d.expression('bool')}:",
        f"    {name} = {d.expression(kind)}",
        "else:",
        f"    {name} = {d.expression(other)}",
        f"print({name})",
    ]
    if other == kind:
        d.variables[name] = kind
    return lines


def nested(
    d: Draft, variables: dict[str, str] | None = None, fixed: Sequence[str] = (), rounds: int = 1, loop: bool | None = None
) -> list[str]:
    with d.scope(variables or {}, fixed=fixed, rounds=rounds, loop=loop):
        return indented(d.block(2))


def loop_for(d: Draft) -> list[str]:
    text, kind = d.random.choice(ITERABLES)
    names = [d.name("i") for _ in TARGETS.get(kind, (kind,))]
    source = d.filled(text.replace("COUNT", d.pick(("2", "3", "0", "4"))))
    variables = dict(zip(names, TARGETS.get(kind, (kind,))))
    lines = [f"for {', '.join(names)} in {source}:", *nested(d, variables, rounds=4, loop=True)]
    return [*lines, "else:", *nested(d)] if d.chance(0.15) else lines


def loop_while(d: Draft) -> list[str]:
    name, end = d.name("n"), d.pick(("1", "2", "3"))
    head = [f"{name} = 0", f"while {name} < {end}:", f"    {name} += 1"]
    if d.chance(0.3):
        head = [f"{name} = 0", "while True:", f"    {name} += 1", f"    if {name} > {end}:", "        break"]
    lines = [*head, *nested(d, {name: "int"}, fixed=[name], rounds=3, loop=True)]
    d.variables[name] = "int"
    return lines


def loop_next(d: Draft) -> list[str]:
    it, item = d.name("it"), d.name("x")
    body = nested(d, {item: "int"}, rounds=4, loop=True)
    if d.chance(0.5):
        return [f"{it} = iter({d.expression('ints')}[:4])", f"while ({item} := next({it}, None)) is not None:", *body]
    return [
        f"{it} = iter({d.expression('ints')}[:4])",
        "while True:",
        "    try:",
        f"        {item} = next({it})",
        "    except StopIteration:",
        "        break",
        *body,
    ]


def leave_loop(d: Draft) -> list[str]:
    return [f"if {d.expression('bool')}:", f"    {d.pick(('break', 'continue'))}"]


def attempt(d: Draft) -> list[str]:
    inner = nested(d)
    if d.chance(0.6):
        raising = d.filled(d.pick(RAISING))
        inner += [f"    {raising}"] if d.chance(0.6) else [f"    if {d.expression('bool')}:", f"        {raising}"]
    name = d.name("error")
    lines = ["try:", *inner, f"{d.pick(HANDLERS)} as {name}:", f"    print(type({name}).__name__)", *nested(d)]
    if d.chance(0.3):
        lines += ["else:", *nested(d)]
    return [*lines, "finally:", *nested(d, loop=False)] if d.chance(0.3) else lines


def function(d: Draft) -> list[str]:
    """A function within, which reads what is around it, and its call."""
    name, n = d.name("inner"), d.name("p")
    outer = {key: kind for key, kind in d.variables.items()}
    with d.scope({**outer, n: "int"}, fixed=[*outer], loop=False):
        before, d.work = d.work, 0
        body = [*d.block(2), f"return {d.expression(d.pick(TYPES))}"]
        d.work = before + d.work
    return [f"def {name}({n}={d.pick(('0', '3'))}):", *indented(body), f"print({name}(), {name}({d.expression('int')}))"]


def matching(d: Draft) -> list[str]:
    value, name = d.expression("maybe"), d.name("m")
    return [
        f"match {value}:", "    case None:", *indented(nested(d)), f"    case {name} if {name} > 1:", *indented(nested(d, {name: "int"})),
        "    case _:", *indented(nested(d)),
    ]  # fmt: skip


def narrowed(d: Draft) -> list[str]:
    name = d.name("v")
    lines = [f"{name} = {d.expression('maybe')}"]
    if d.chance(0.5):
        lines += [f"if {name} is None:", f"    {name} = {d.expression('int')}"]
        d.variables[name] = "int"
        return lines
    return [*lines, f"if {name} is not None:", *nested(d, {name: "int"})]


def check(d: Draft) -> list[str]:
    return [f"assert {d.expression('bool')} or True, {d.expression('str')}"]


def _shallow(d: Draft) -> bool:
    return d.depth < 2 and d.work * d.rounds < 200


def _anywhere(d: Draft) -> bool:
    return True


STATEMENTS: dict[str, Statement] = {
    "show": (_anywhere, show),
    "assign": (_anywhere, assign),
    "assign again": (_anywhere, assign),
    "augment": (_anywhere, augment),
    "mutate": (_anywhere, mutate),
    "alias": (_anywhere, alias),
    "both ways": (_anywhere, both_ways),
    "check": (_anywhere, check),
    "rebind": (lambda d: d.rounds == 1, rebind),
    "branch": (_shallow, branch),
    "for": (_shallow, loop_for),
    "while": (_shallow, loop_while),
    "next": (_shallow, loop_next),
    "try": (_shallow, attempt),
    "function": (lambda d: _shallow(d) and d.rounds == 1, function),
    "match": (_shallow, matching),
    "narrowed": (_shallow, narrowed),
    "leave loop": (lambda d: d.in_loop, leave_loop),
}
