"""Programs of several files: one has state that a compiled function reads, another sets it and calls nothing of that. A driver that mxlint is not shown does.

A program is a way to read, a way to come to the state, a way to write it, and a layout of the files. Beside them stand twins in which nothing gets old. What the
driver finds under MLX says which is which.

In the texts `FROM` stands for the module that has the model, `ARGUMENTS` for what one is made of, `WRITE` for the statements that write, and `OWNER` in these for
what they write on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle, product
from textwrap import indent
from typing import NamedTuple


class Reader(NamedTuple):
    """A class whose compiled function reads state: what it computes, what the constructor sets up, and how others write that. `before` stands before the class, `fields`
    in it, `parameters` are those of the constructor, and `arguments` what is given for them."""

    computes: str
    sets_up: str
    writes: Mapping[str, str]
    before: str = ""
    fields: str = ""
    parameters: str = ""
    arguments: str = ""


READERS = {
    "attribute": Reader(
        "x * self.scale",
        "self.scale = 1.0",
        {
            "set": "OWNER.scale = value",
            "augmented": "OWNER.scale += value",
            "setattr": "setattr(OWNER, 'scale', value)",
            "unknown name": "setattr(OWNER, others.get('name', 'scale'), value)",
            "unknown names": "for name, number in {**others, 'scale': value}.items():\n    setattr(OWNER, name, number)",
            "vars": "vars(OWNER)['scale'] = value",
            "update of __dict__": "OWNER.__dict__.update(scale=value)",
            "object": "object.__setattr__(OWNER, 'scale', value)",
            "condition": "if value > 1:\n    OWNER.scale = value",
            "both": "OWNER.ready, OWNER.scale = True, value",
            "deleted": "del OWNER.scale",
            "deleted by name": "delattr(OWNER, 'scale')",
        },
        fields="scale = 0.5",
    ),
    "list": Reader(
        "x * self.levels[0]",
        "self.levels = [1.0, 2.0]",
        {
            "item": "OWNER.levels[0] = value",
            "insert": "OWNER.levels.insert(0, value)",
            "clear": "OWNER.levels.clear()\nOWNER.levels.append(value)",
            "another": "OWNER.levels = [value]",
            "slice": "OWNER.levels[:] = [value, value]",
            "alias": "levels = OWNER.levels\nlevels[0] = value",
        },
    ),
    "dict": Reader(
        "x * self.options['scale']",
        "self.options = {'scale': 1.0}",
        {
            "item": "OWNER.options['scale'] = value",
            "update": "OWNER.options.update(scale=value)",
            "unknown update": "OWNER.options.update({**others, 'scale': value})",
            "or": "OWNER.options |= {'scale': value}",
            "augmented": "OWNER.options['scale'] *= value",
        },
    ),
    "config": Reader(
        "x * self.config.scale",
        "self.config = config",
        {
            "field": "OWNER.config.scale = value",
            "replaced": "from dataclasses import replace\n\nOWNER.config = replace(OWNER.config, scale=value)",
            "setattr": "setattr(OWNER.config, 'scale', value)",
            "update of vars": "vars(OWNER.config).update(scale=value)",
        },
        before="from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    scale: float = 1.0\n    name: str = 'small'\n\n\n",
        parameters=", config: Config",
        arguments="Config()",
    ),
    "class": Reader(
        "x * self.scale",
        "self.ready = False",
        {"set": "OWNER.scale = value", "setattr": "setattr(OWNER, 'scale', value)", "of its class": "type(OWNER).scale = value"},
        fields="scale = 1.0",
    ),
}


class Way(NamedTuple):
    """How a file comes to what it writes on: the file, what the driver makes the model of, the statement of the driver that makes the file write, and what that
    writes on. `shared` is a further file, `readers` and `forms` are those that go with it, and `without` a way to write that does not."""

    writer: str
    calls: str
    owner: str = "model"
    made: str = "Model(ARGUMENTS)"
    shared: str = ""
    readers: tuple[str, ...] = tuple(READERS)
    forms: tuple[str, ...] = ("method", "closure")
    without: str = ""


_CONFIGURE = "writer.configure(model, 2.0, {})"
_ALONE = "writer.configure(2.0, {})"
WAYS = {
    "parameter": Way("from FROM import Model\n\n\ndef configure(model: Model, value, others):\n    WRITE\n", _CONFIGURE),
    "text": Way(
        "from FROM import Model\n\n\ndef configure(model: 'Model | None', value, others):\n    if model is None:\n        return\n    WRITE\n",
        _CONFIGURE,
    ),
    "type checking": Way(
        "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from FROM import Model\n\n\n"
        "def configure(model: Model, value, others):\n    WRITE\n",
        _CONFIGURE,
    ),
    "helper": Way(
        "from FROM import Model\n\n\ndef _apply(target, value, others):\n    WRITE\n\n\n"
        "def configure(model: Model, value, others):\n    _apply(model, value, others)\n",
        _CONFIGURE,
        "target",
    ),
    "method": Way(
        "from FROM import Model\n\n\nclass Tuner:\n    def tune(self, model: Model, value, others):\n        WRITE\n",
        "writer.Tuner().tune(model, 2.0, {})",
    ),
    "kept": Way(
        "from FROM import Model\n\n\nclass Controller:\n    def __init__(self, model: Model):\n        self.model = model\n\n"
        "    def step(self, value, others):\n        WRITE\n",
        "writer.Controller(model).step(2.0, {})",
        "self.model",
    ),
    "dataclass": Way(
        "from dataclasses import dataclass\n\nfrom FROM import Model\n\n\n@dataclass\nclass Controller:\n    model: Model\n\n"
        "    def step(self, value, others):\n        WRITE\n",
        "writer.Controller(model).step(2.0, {})",
        "self.model",
    ),
    "several": Way(
        "from FROM import Model\n\n\ndef configure(models: list[Model], value, others):\n    for model in models:\n        WRITE\n",
        "writer.configure([model], 2.0, {})",
    ),
    "subclass": Way(
        "from FROM import Model\n\n\nclass Tuned(Model):\n    def tune(self, value, others):\n        WRITE\n",
        "model.tune(2.0, {})",
        "self",
        "writer.Tuned(ARGUMENTS)",
        forms=("method",),
    ),
    "instance": Way(
        "from SHARED import MODEL\n\n\ndef configure(value, others):\n    WRITE\n",
        _ALONE,
        "MODEL",
        "shared.MODEL",
        "from FROM import *\n\nMODEL = Model(ARGUMENTS)\n",
        forms=("method", "function"),
    ),
    "module": Way(
        "import SHARED as shared\n\n\ndef configure(value, others):\n    WRITE\n",
        _ALONE,
        "shared.MODEL",
        "shared.MODEL",
        "from FROM import *\n\nMODEL = Model(ARGUMENTS)\n",
        forms=("method", "function"),
    ),
    "factory": Way(
        "from SHARED import current\n\n\ndef configure(value, others):\n    model = current()\n    WRITE\n",
        _ALONE,
        made="shared.current()",
        shared="from FROM import *\n\n_models = [Model(ARGUMENTS)]\n\n\ndef current():\n    return _models[0]\n",
        forms=("method", "function"),
    ),
    "class": Way(
        "from FROM import Model\n\n\ndef configure(value, others):\n    WRITE\n",
        _ALONE,
        "Model",
        readers=("class",),
        without="of its class",
    ),
}


def _read_outside(reader: Reader) -> Reader:
    """One whose compiled function does not read the state, and another function does."""
    return reader._replace(computes=f"x * 3.0\n\n    def level(self, x):\n        return {reader.computes}")


def _prepared(reader: Reader) -> Reader:
    """One whose constructor lets the other file set the state."""
    return reader._replace(sets_up=f"{reader.sets_up}\n        from WRITER import prepare\n        prepare(self, 1.0, {{}})")


def _as_it_is(reader: Reader) -> Reader:
    return reader


class Twin(NamedTuple):
    """What nothing gets old in: how the reader differs, how the file comes to the model."""

    way: Way
    reader: Callable[[Reader], Reader] = _as_it_is
    form: str = "method"


_METER = (
    "class Meter:\n    def __init__(self):\n        self.scale, self.levels, self.options, self.config = 1.0, [1.0], {'scale': 1.0}, self\n"
)
TWINS = {
    "compiled again": Twin(
        Way("from FROM import Model\n\n\ndef configure(model: Model, value, others):\n    WRITE\n    model.build()\n", _CONFIGURE)
    ),
    "read outside": Twin(WAYS["parameter"], _read_outside),
    "kept, read outside": Twin(WAYS["kept"], _read_outside),
    "read outside, closure": Twin(WAYS["parameter"], lambda reader: reader._replace(computes="x * 3.0"), "closure"),
    "another class": Twin(
        Way(
            f"from FROM import Model\n\n\n{_METER}\n    def of(self, model: Model):\n        return str(model)\n\n\n"
            "def configure(model: Meter, value, others):\n    WRITE\n",
            "writer.configure(writer.Meter(), 2.0, {})",
        )
    ),
    "another class, kept": Twin(
        Way(
            f"from FROM import Model\n\n\n{_METER}\n\nclass Controller:\n    def __init__(self, model: Model):\n        self.model = model\n"
            "        self.meter = Meter()\n\n    def step(self, value, others):\n        WRITE\n",
            "writer.Controller(model).step(2.0, {})",
            "self.meter",
        )
    ),
    "made before": Twin(
        Way(
            "from FROM import *\n\n\ndef configured(value, others):\n    model = Model(ARGUMENTS)\n    WRITE\n    return model\n",
            "writer.configured(2.0, {})",
        )
    ),
    "helper of a maker": Twin(
        Way(
            "from FROM import *\n\n\ndef _configure(model: Model, value, others):\n    WRITE\n\n\n"
            "def configured(value, others):\n    model = Model(ARGUMENTS)\n    _configure(model, value, others)\n    return model\n",
            "writer.configured(2.0, {})",
        )
    ),
    "called in sight": Twin(
        Way(
            "import mlx.core as mx\nfrom FROM import *\n\n\ndef configure(model: Model, value, others):\n    WRITE\n\n\n"
            "def main():\n    model = Model(ARGUMENTS)\n    configure(model, 2.0, {})\n    return model(mx.ones(1))\n",
            "writer.main()",
        )
    ),
    "called by the constructor": Twin(
        Way(
            "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from FROM import Model\n\n\n"
            "def prepare(model: Model, value, others):\n    WRITE\n",
            "",
        ),
        _prepared,
    ),
    "the same": Twin(
        Way("from FROM import Model\n\n\ndef configure(model: Model, value, others):\n    vars(model).update(vars(model))\n", _CONFIGURE)
    ),
    "another attribute": Twin(
        Way(
            "from FROM import Model\n\n\ndef configure(model: Model, value, others):\n    model.ready = value\n    model.names = [value]\n",
            _CONFIGURE,
        )
    ),
    "copied": Twin(
        Way(
            "from copy import deepcopy\n\nfrom FROM import Model\n\n\ndef state(model: Model, value, others):\n"
            "    found = {name: held for name, held in vars(model).items() if name != '_run'}\n    found['scale'] = value\n    return found\n",
            "writer.state(model, 2.0, {})",
        )
    ),
    "constructor of a subclass": Twin(
        Way(
            "from FROM import *\n\n\nclass Tuned(Model):\n    def __init__(self, value, others):\n        super().__init__(ARGUMENTS)\n        WRITE\n",
            "",
            "self",
            "writer.Tuned(2.0, {})",
        )
    ),
}


class Layout(NamedTuple):
    """Where the model and the writer lie, and what the writer imports the model from."""

    model: str
    writer: str
    imports: str
    also: Mapping[str, str] = {}


LAYOUTS = {
    "flat": Layout("model.py", "writer.py", "model"),
    "relative": Layout("kit/model.py", "kit/writer.py", ".model", {"kit/__init__.py": ""}),
    "handed on": Layout("kit/model.py", "kit/writer.py", "kit", {"kit/__init__.py": "from .model import *\n"}),
    "deeper": Layout(
        "kit/nets/model.py",
        "kit/tools/writer.py",
        "..nets.model",
        {"kit/__init__.py": "", "kit/nets/__init__.py": "", "kit/tools/__init__.py": ""},
    ),
    "source folder": Layout(
        "src/kit/model.py", "src/kit/writer.py", "kit.model", {"src/kit/__init__.py": "", "pyproject.toml": "[project]\nname = 'kit'\n"}
    ),
}


FORMS = {
    "method": "",
    "closure": "import mlx.core as mx\nfrom FROM import Model\n\n\ndef make_step(model: Model):\n    @mx.compile\n    def step(x):\n        return COMPUTES\n\n"
    "    return step\n",
    "function": "import mlx.core as mx\nHAS\n\n\n@mx.compile\ndef step(x):\n    return COMPUTES\n",
}
"""What compiles the function that reads: the class of the model, or another file, of a model that it is given or one that is there."""


class Program(NamedTuple):
    """`files` are shown to mxlint; `driver` is not: its `main()` gives what is computed before and after something was written. `reads`: the file that reads the
    state in a compiled function."""

    name: str
    files: dict[str, str]
    driver: str
    reads: str

    @property
    def row(self) -> int:
        """The line that reads."""
        return next(number for number, line in enumerate(self.files[self.reads].splitlines(), 1) if "return x * " in line)


def programs() -> Iterator[Program]:
    """All that goes together, but that not all ways to write go with all the rest. Layouts take turns."""
    layouts = cycle(LAYOUTS.items())
    for way_name, way in WAYS.items():
        for form, reader_name in product(way.forms, way.readers):
            if form == "closure" and way_name == "class":
                continue
            writes = [write for write in READERS[reader_name].writes if write != way.without]
            for write in writes if form == "method" and way_name in EACH_WRITE else writes[:2]:
                layout_name, layout = next(layouts)
                name = f"{way_name}, {reader_name}, {write}, {form}, {layout_name}"
                yield _program(name, way, READERS[reader_name], READERS[reader_name].writes[write], layout, form)


EACH_WRITE = ("parameter", "kept", "subclass", "instance")
"""The ways that go with each way to write."""


def twins() -> Iterator[Program]:
    """The programs in which nothing gets old."""
    layouts = cycle(LAYOUTS.items())
    for name, twin in TWINS.items():
        for reader_name in ("attribute", "list", "dict", "config"):
            layout_name, layout = next(layouts)
            reader = READERS[reader_name]
            write = next(iter(reader.writes.values()))
            yield _program(f"{name}, {reader_name}, {layout_name}", twin.way, twin.reader(reader), write, layout, twin.form)


def _program(name: str, way: Way, reader: Reader, write: str, layout: Layout, form: str) -> Program:
    folder = layout.writer.rpartition("/")[0]
    holder, writer, shared, core = (
        path.removeprefix("src/").removesuffix(".py").replace("/", ".")
        for path in (layout.model, layout.writer, *(f"{folder}/{other}.py".removeprefix("/") for other in ("shared", "core")))
    )
    has = way.writer.partition("\n")[0] if form == "function" else ""
    owner = "model" if form == "closure" else "current()" if way.owner == "model" else way.owner
    marks = {
        "COMPUTES": reader.computes.replace("self", owner),
        "HAS": has.replace("SHARED", shared),
        "FROM": layout.imports,
        "SHARED": shared,
        "WRITER": writer,
        "ARGUMENTS": reader.arguments,
        "OWNER": way.owner,
    }

    def filled(text: str) -> str:
        text = re.sub(r"^( *)WRITE\n", lambda found: indent(write, found[1]) + "\n", text, flags=re.MULTILINE)
        return re.sub("|".join(marks), lambda found: marks[found[0]], text)

    files = {layout.model: filled(_model(reader, compiles=form == "method")), layout.writer: filled(way.writer), **layout.also}
    modules = {"writer": writer}
    if way.shared:
        modules["shared"] = shared
        files[f"{folder}/shared.py".removeprefix("/")] = filled(way.shared)
    if form != "method":
        modules["core"] = core
        files[reads := f"{folder}/core.py".removeprefix("/")] = filled(FORMS[form])
    imports = "".join(f"import {module} as {name}\n" for name, module in modules.items())
    step = {"method": "model", "closure": "core.make_step(model)", "function": "core.step"}[form]
    driver = (
        f"import mlx.core as mx\n{imports}from {holder} import *\n\n\ndef main():\n    model = {filled(way.made)}\n    step = {step}\n"
        f"    before = step(mx.ones(1)).item()\n    {way.calls or 'pass'}\n    return before, step(mx.ones(1)).item()\n"
    )
    return Program(name, files, driver, layout.model if form == "method" else reads)


def _model(reader: Reader, *, compiles: bool) -> str:
    """The file with the class that has the state."""
    fields = f"    {reader.fields}\n\n" if reader.fields else ""
    has = f"{reader.before}class Model:\n{fields}    def __init__(self{reader.parameters}):\n        {reader.sets_up}\n"
    if not compiles:
        return has
    return (
        f"import mlx.core as mx\n\n\n{has}"
        "        self.build()\n\n    def build(self):\n        self._run = mx.compile(self._forward)\n\n"
        f"    def _forward(self, x):\n        return {reader.computes}\n\n    def __call__(self, x):\n        return self._run(x)\n"
    )
