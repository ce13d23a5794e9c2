"""Modules that are not installed: what takes their place can be named, called, entered, iterated, decorated with and inherited from.

What comes of a stand-in is a stand-in again, so that it can be told wherever it goes: it has no value, and whoever needs a number, a length or an
array of it is refused. Each use is recorded with its place.
"""

from __future__ import annotations

import ast
import dis
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MARK = "<stand-in for "
"""How the name of a stand-in's type begins, and its text: MLX and Python name the type of what they do not take."""
ITEMS = 2
"""So many items has a stand-in that is iterated and wraps nothing."""
MOST_USES = 256
MOST_TYPES = 512
TEXTS = frozenset({"__version__", "__author__", "__doc__", "__name__", "__qualname__"})
"""Attributes that are texts for people. Others with such names are asked for by protocols, which a stand-in has not."""
VALUE = frozenset({"__mlx_array__", "__array__", "__array_interface__", "__array_struct__", "__cuda_array_interface__", "__dlpack__"})
"""Attributes by which libraries ask for the numbers of an array."""
_UNPACK, _UNPACK_EX = dis.opmap["UNPACK_SEQUENCE"], dis.opmap["UNPACK_EX"]


class StandInUsed(ImportError):
    """The program needs the value of something that is not installed."""


@dataclass(slots=True)
class Record:
    """What the program did with stand-ins. `root`: its folder; `within`: the number of the compiled object whose trace is under way;
    `advice`: how to install a module, where that is known."""

    root: str = ""
    within: Callable[[], int | None] = lambda: None
    advice: Mapping[str, str | None] = field(default_factory=dict)
    uses: dict[tuple[str, str, str, int, int | None], None] = field(default_factory=dict)
    kinds: dict[str, type] = field(default_factory=dict)
    bases: dict[str, type] = field(default_factory=dict)
    decorators: dict[str, dict[int, set[str]]] = field(default_factory=dict)

    def add(self, name: str, how: str) -> None:
        """A use of `name` by the program."""
        frame = self.frame()
        if frame is not None and len(self.uses) < MOST_USES:
            self.uses[name, how, frame.f_code.co_filename[len(self.root) :], frame.f_lineno, self.within()] = None

    def frame(self) -> types.FrameType | None:
        """Where the program is."""
        frame: types.FrameType | None = sys._getframe(2)
        while frame is not None and not frame.f_code.co_filename.startswith(self.root):
            frame = frame.f_back
        return frame

    def refusal(self, name: str) -> StandInUsed:
        self.add(name, "refused")
        frame = self.frame()
        code = None if frame is None else frame.f_code
        who = "the program" if code is None or code.co_name.startswith("<") else f"`{code.co_name}`"
        return StandInUsed(f"{self.absence(name)} ({who} needs {name})")

    def absence(self, name: str) -> str:
        """That the module of a stand-in is not installed, and what to do."""
        module = name.partition(".")[0]
        known = self.advice.get(module)
        return f"{module} is not installed in this environment: pip install {known}" if known else f"the module {module} is not installed"

    def decorates(self, argument: Any) -> bool:
        """Whether the program is applying a decorator to a function or class."""
        name, frame = getattr(argument, "__name__", None), self.frame()
        if name is None or frame is None:
            return False
        file = frame.f_code.co_filename
        if file not in self.decorators:
            self.decorators[file] = _decorators(file)
        return name in self.decorators[file].get(frame.f_lineno, ())


record = Record()
"""Of this process."""


def _decorators(file: str) -> dict[int, set[str]]:
    """The names of what is decorated, by the rows of the decorators."""
    found: dict[int, set[str]] = {}
    try:
        with open(file, encoding="utf-8") as stream:
            tree = ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError):
        return found
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", ()):
            for row in range(decorator.lineno, (decorator.end_lineno or decorator.lineno) + 1):
                found.setdefault(row, set()).add(getattr(node, "name", ""))
    return found


class StandIn:
    """Something of a missing module. `name`: how the program comes to it; `wrapped`: what it was called with, if that was one iterable."""

    __slots__ = ("_name", "_own", "_wrapped")

    def __init__(self, name: str, wrapped: Iterable[Any] | None = None) -> None:
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_wrapped", wrapped)
        object.__setattr__(self, "_own", {})

    # -- attributes ----------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and name not in TEXTS:
            if name in VALUE:
                record.add(self._name, "refused")
            raise AttributeError(name)
        own = object.__getattribute__(self, "_own")
        return own[name] if name in own else made(f"{self._name}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        self._own[name] = value

    def __delattr__(self, name: str) -> None:
        self._own.pop(name, None)

    # -- calls and blocks ----------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and record.decorates(args[0]):
            record.add(self._name, "decorator")
            return args[0]
        record.add(self._name, "called")
        iterable = args[0] if len(args) == 1 and not isinstance(args[0], (str, bytes, StandIn)) and hasattr(args[0], "__iter__") else None
        return made(f"{self._name}()", iterable)

    def __enter__(self) -> Any:
        record.add(self._name, "entered")
        return made(self._name)

    def __exit__(self, *_: object) -> None:
        pass

    async def __aenter__(self) -> Any:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        pass

    def __await__(self) -> Generator[Any, None, Any]:
        yield from ()
        return made(self._name)

    # -- items ---------------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Any]:
        if self._wrapped is not None:
            record.add(self._name, "iterated")
            return iter(self._wrapped)
        record.add(self._name, "taken for two items")
        return iter([made(self._name) for _ in range(_unpacked(sys._getframe(1)) or ITEMS)])

    async def __aiter__(self) -> Any:
        for item in iter(self):
            yield item

    def __len__(self) -> int:
        if self._wrapped is not None and hasattr(self._wrapped, "__len__"):
            record.add(self._name, "iterated")
            return len(self._wrapped)
        raise record.refusal(self._name)

    def __getitem__(self, key: Any) -> Any:
        return made(self._name)

    def __setitem__(self, key: Any, value: Any) -> None:
        record.add(self._name, "called")

    __delitem__ = __getitem__

    # -- what it is ----------------------------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        record.add(self._name, "taken for true")
        return True

    def __contains__(self, item: Any) -> bool:
        return bool(self)

    def __repr__(self) -> str:
        record.add(self._name, "text")
        return f"{MARK}{self._name}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __hash__(self) -> int:
        return id(self)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        record.add(self._name, "inherited")
        return (base(self._name),)

    def __instancecheck__(self, value: Any) -> bool:
        return self.__subclasscheck__(type(value))

    def __subclasscheck__(self, cls: type) -> bool:
        """What is here and does not come from there is none of its objects."""
        if issubclass(cls, StandIn):
            return bool(self)
        return record.bases.get(self._name) in getattr(cls, "__mro__", ())

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _: object) -> Any:
        return self

    def __reduce__(self) -> Any:
        return made, (self._name,)


def _refused(self: StandIn, *_: Any) -> Any:
    raise record.refusal(self._name)


def _again(self: StandIn, *_: Any) -> Any:
    return made(self._name)


for _word in ("int", "float", "complex", "index", "bytes", "array"):
    setattr(StandIn, f"__{_word}__", _refused)
for _word in ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"):
    setattr(StandIn, f"__{_word}__", _again)
    setattr(StandIn, f"__r{_word}__", _again)
for _word in ("neg", "pos", "abs", "invert", "round", "trunc", "floor", "ceil", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(StandIn, f"__{_word}__", _again)


def made(name: str, wrapped: Iterable[Any] | None = None) -> Any:
    """A stand-in by its name, with a type of that name."""
    if name not in record.kinds:
        if len(record.kinds) >= MOST_TYPES:
            name = name.partition(".")[0]
        record.kinds.setdefault(name, type(f"{MARK}{name}>", (StandIn,), {"__slots__": (), "__module__": "builtins"}))
    return record.kinds[name](name, wrapped)


def _unpacked(frame: types.FrameType | None) -> int | None:
    """How many items an assignment to several names takes."""
    if frame is None or frame.f_lasti < 0:
        return None
    operation, argument = frame.f_code.co_code[frame.f_lasti], frame.f_code.co_code[frame.f_lasti + 1]
    return argument if operation == _UNPACK else argument + 1 if operation == _UNPACK_EX else None


class Inherited:
    """The base of classes that inherit from a missing one: what that would have given them is a stand-in."""

    _stand_in = ""

    def __init_subclass__(cls, **_: Any) -> None:
        super().__init_subclass__()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if (args or kwargs) and type(self).__init__ is Inherited.__init__:  # what it makes of them nobody knows
            raise record.refusal(self._stand_in)
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        other = getattr(super(), "__getattr__", None)
        try:
            if other is not None:
                return other(name)
        except AttributeError:
            pass
        if name.startswith("__"):
            raise AttributeError(name)
        return made(f"{self._stand_in}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        record.add(self._stand_in, "called")
        return made(f"{self._stand_in}()")


def base(name: str) -> type:
    """The class that takes the place of a missing one, always the same."""
    if name not in record.bases:
        record.bases[name] = type(name.rpartition(".")[2], (Inherited,), {"_stand_in": name})
    return record.bases[name]


class Module(types.ModuleType):
    """A module that is not there: anything may be imported from it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in TEXTS:
            raise AttributeError(name)
        return made(f"{self.__name__}.{name}")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked last, when no module was found: `outside` are those that the program imports from elsewhere."""

    def __init__(self, outside: Iterable[str]) -> None:
        self.outside = set(outside)

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        within = isinstance(sys.modules.get(name.rpartition(".")[0]), Module)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if within or name in self.outside else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def install(outside: Mapping[str, str | None], root: str, within: Callable[[], int | None]) -> None:
    """Let modules that are not installed be imported. `outside`: those that the program imports from elsewhere, and how to install each."""
    record.root, record.within, record.advice = root, within, outside
    sys.meta_path.append(_Finder(outside))


def holds(value: Any) -> str | None:
    """The missing part that a value stands for or comes from."""
    if isinstance(value, StandIn):
        return str(value._name)
    if isinstance(value, Module):
        return value.__name__
    cls = value if isinstance(value, type) else type(value)
    return str(cls._stand_in) if issubclass(cls, Inherited) else None


def report(namespaces: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What is to be said of stand-ins: the modules that are missing and were used, the uses, and the names of the program that hold one."""
    names = {name: found for held in namespaces.values() for name, value in held.items() if (found := holds(value)) is not None}
    modules = dict.fromkeys(name.partition(".")[0] for name, *_ in record.uses)
    return {
        "stand_ins": sorted(modules),
        "absences": {module: record.absence(module) for module in sorted({*modules, *(name.partition(".")[0] for name in names.values())})},
        "uses": [{"name": name, "how": how, "file": file, "row": row, "within": within} for name, how, file, row, within in record.uses],
        "standing_in": names,
    }
