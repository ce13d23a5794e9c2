"""Measure what MLX does, and fold the measurements of several versions into the table that mxlint reads.

measure_mlx.py measure             run the installed MLX, write raw/<version>.json
measure_mlx.py measure NAME...     these names only, into what is there already
measure_mlx.py fold                all of raw/ → facts.json
measure_mlx.py --sample 40         measure 40 names again and compare with the table; 1 and a diff if they differ
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from folding import combine, fold, loosely, resolve
from recipes import RECIPES, SKIPPED

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "src" / "mxlint" / "models" / "mlx"
LIMIT = 45.0  # seconds of silence after which a step counts as hung
IDLE = 5.0  # the same where neither it nor a compiler that it started has computed anything meanwhile: memory that was corrupted may block malloc


def _install_hint() -> str:
    if sys.platform == "darwin":
        extra = "verify"
    else:
        extra = "verify-cuda" if Path("/dev/nvidiactl").exists() else "verify-cpu"
    return f"MLX is not installed here. Install it with: pip install 'mxlint[{extra}]'"


def _start(name: str, done: set[str], guarded: bool = False) -> tuple[int, int]:
    """A child that measures one name: (process id, file descriptor that its lines come from)."""
    reader, writer = os.pipe()
    # MLX starts no thread on import, so a fork is safe and 30 times cheaper than a new interpreter; not so where it starts a GPU's driver
    if sys.platform == "linux" and not os.environ.get("MEASURE_DEVICE"):
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            os.close(reader)
            _child(name, done, writer, guarded)
        os.close(writer)
        return pid, reader
    command = [sys.executable, str(HERE / "measure_mlx.py"), "child", name, *sorted(done)]
    child = subprocess.Popen(command, stdout=writer, stderr=subprocess.DEVNULL)
    os.close(writer)
    return child.pid, reader


def _child(name: str, done: set[str], writer: int, guarded: bool = False) -> None:
    """Run the experiments, one line of JSON before and after each; never returns."""
    code = 0
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        if not os.environ.get("MEASURE_DEBUG"):
            os.dup2(quiet, 2)
        from experiments import run

        for step, result in run(name, RECIPES[name], done, guarded):
            os.write(writer, (json.dumps([step, result]) + "\n").encode())
        os.write(writer, b'["end", null]\n')
    except BaseException as error:  # noqa: BLE001  the parent reports it
        os.write(writer, (json.dumps(["error", f"{type(error).__name__}: {error}"[:300]]) + "\n").encode())
        code = 1
    finally:
        os._exit(code)


def _lines(pid: int, reader: int) -> tuple[list[list[Any]], bool]:
    """Every line the child wrote until it ended, or until it was silent for too long and was killed; and whether it was."""
    hung = False
    data = b""
    heard, computed = time.monotonic(), None
    while True:
        ready, _, _ = select.select([reader], [], [], IDLE)
        if not ready:
            before, computed = computed, _computed(pid)
            if time.monotonic() - heard < LIMIT and (computed is None or computed != before):
                continue
            hung = True
            os.kill(pid, signal.SIGKILL)
        heard, computed = time.monotonic(), None
        chunk = os.read(reader, 1 << 16)
        if not chunk:
            break
        data += chunk
    os.close(reader)
    os.waitpid(pid, 0)
    return [json.loads(line) for line in data.decode().splitlines()], hung


def _computed(group: int) -> int | None:
    """The time that the processes of a group have spent on a core; None where nobody counts it."""
    spent = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            spent += sum(map(int, fields[11:15]))
    return spent or None


def measure(name: str) -> dict[str, Any] | str:
    """The facts about one name, or why there are none. A step that kills the process is a fact, and the rest goes on without it."""
    if name not in RECIPES:
        return "no recipe"
    steps: dict[str, Any] = {}
    while True:
        pid, reader = _start(name, set(steps))
        running = error = None
        finished = 0
        for step, result in _lines(pid, reader)[0]:
            if step == "end":
                _guard(name, steps)
                return combine(name, RECIPES[name], steps)
            if step == "error":
                error = str(result)
            elif running == step:
                steps[step], running = result, None
                finished += 1
            else:
                running = step
        # memory that an earlier step corrupted may kill a later one: only what dies as the first of its process is to blame
        if finished == 0:
            if running is None or running in ("basic", "compiled"):
                return error or f"the process died in {running}"
            steps[running] = {"first": "ok", "later": "crash"}


def _guard(name: str, steps: dict[str, Any]) -> None:
    """Do again what gave wrong values, with guarded memory: what dies then has read or written out of bounds."""
    wrong = {step for step, result in steps.items() if result and "wrong" in result.get("later", "").split("|")}
    while wrong and os.environ.get("MEASURE_GUARDED"):
        pid, reader = _start(name, steps.keys() - wrong, guarded=True)
        running = None
        lines, hung = _lines(pid, reader)
        for step, result in lines:
            wrong.discard(step if result is not None else "")
            running = step if result is None and step != "end" else None
        if running is None:
            return
        wrong.discard(running)
        if not hung:
            steps[running]["later"] = steps[running]["later"].replace("wrong", "crash")


def _public(module: Any, prefix: str) -> list[str]:
    names = []
    for name in sorted(dir(module)):
        if name.startswith("_"):
            continue
        value = getattr(module, name)
        if type(value).__name__ == "module" or not callable(value):
            continue
        names.append(prefix + name)
    return names


def public_names() -> list[str]:
    """Every public callable that the table should know, and every attribute of an array."""
    import mlx.core as mx
    import mlx.optimizers
    import mlx.utils
    from mlx import nn

    found = _public(mx, "mlx.core.")
    for part in ("random", "fast", "linalg", "fft", "metal", "cuda", "distributed"):
        if hasattr(mx, part):
            found += _public(getattr(mx, part), f"mlx.core.{part}.")
    found += [f"mlx.core.array.{name}" for name in sorted(dir(mx.array))]
    found += _public(nn, "mlx.nn.")
    for module, prefix in (
        (nn.losses, "mlx.nn.losses."),
        (nn.init, "mlx.nn.init."),
        (nn.utils, "mlx.nn.utils."),
        (mlx.optimizers, "mlx.optimizers."),
        (mlx.utils, "mlx.utils."),
    ):
        own = prefix.rstrip(".")
        found += [n for n in _public(module, prefix) if getattr(getattr(module, n.rpartition(".")[2]), "__module__", own).startswith(own)]
    return found


def skip_reason(name: str) -> str | None:
    return SKIPPED.get(name) or SKIPPED.get(name.rpartition(".")[0] + ".*")


def missing_names() -> list[str]:
    """Public names of the installed MLX that have neither a recipe nor a reason."""
    known = {name.partition("[")[0] for name in RECIPES}
    return [name for name in public_names() if name not in known and not skip_reason(name)]


def aliases() -> dict[str, str]:
    """Other paths to the same classes: where a class is defined → the name that the table uses."""
    import mlx.optimizers
    from mlx import nn

    found = {"mlx.nn.utils.value_and_grad": "mlx.nn.value_and_grad"}
    for module, prefix in ((nn, "mlx.nn."), (mlx.optimizers, "mlx.optimizers.")):
        for name in dir(module):
            value = getattr(module, name)
            home = getattr(value, "__module__", None)
            if (
                not name.startswith("_")
                and callable(value)
                and isinstance(home, str)
                and home.startswith(prefix)
                and home + "." + name != prefix + name
            ):
                found[f"{home}.{name}"] = prefix + name
    return dict(sorted(found.items()))


def _measure_all(names: list[str]) -> int:
    import mlx.core as mx
    from experiments import resolve as find

    version = mx.__version__.partition("+")[0]
    path = DATA / "raw" / f"{version}.json"
    raw: dict[str, Any] = json.loads(path.read_text())["entries"] if names else {}
    raw = {name: facts for name, facts in raw.items() if name in RECIPES}
    begun = time.time()
    for name in names or sorted(RECIPES):
        # Python falls back where an array lacks an operator: bytes() reads its buffer, `in` iterates
        if RECIPES[name].kind != "operator":
            try:
                find(name)
            except AttributeError:
                continue
        result = measure(name)
        if isinstance(result, str):
            print(f"{name}: {result}", file=sys.stderr)
        else:
            raw[name] = result
    for name in missing_names():
        print(f"{name}: no recipe and no reason to skip it", file=sys.stderr)
    head = {"mlx": version, "platform": f"{platform.system()} {platform.machine()} cpu", "aliases": aliases()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump(head, {"entries": raw}))
    print(f"{len(raw)} names of MLX {version} in {time.time() - begun:.0f} s", file=sys.stderr)
    return 0


def dump(head: dict[str, Any], tables: dict[str, dict[str, Any]]) -> str:
    """JSON with sorted keys and one entry a line, so that a change of one fact is a change of one line."""
    parts = [f'"{key}": {json.dumps(value, sort_keys=True)}' for key, value in head.items()]
    for title, table in tables.items():
        rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(table[key], sort_keys=True, separators=(',', ':'))}" for key in sorted(table))
        parts.append(f'"{title}": {{\n{rows}\n}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _fold_all() -> int:
    raws = [json.loads(path.read_text()) for path in (DATA / "raw").glob("*.json")]
    table = fold(raws)
    head = {"versions": table["versions"]}
    (DATA / "facts.json").write_text(dump(head, {"skipped": SKIPPED, "aliases": table["aliases"], "entries": table["entries"]}))
    return 0


def sample(count: int) -> int:
    """Measure some names again under the installed MLX; 0 if they are as the table says."""
    import mlx.core as mx

    version = mx.__version__.partition("+")[0]
    table = json.loads((DATA / "facts.json").read_text())
    if version not in table["versions"]:
        print(
            f"MLX {version} is not one of the measured versions ({', '.join(table['versions'])}): run `measure_mlx.py measure` and `fold`"
        )
        return 1
    known = {name: facts for name, facts in resolve(table, version).items() if name in RECIPES}
    chosen = random.Random(count).sample(sorted(known), min(count, len(known)))
    bad = 0
    for name in chosen:
        found = measure(name)
        if isinstance(found, str) or loosely(found) != loosely(known[name]):
            bad += 1
            print(f"{name}\n  table    {json.dumps(known[name], sort_keys=True)}\n  measured {json.dumps(found, sort_keys=True)}")
    print(f"{len(chosen) - bad} of {len(chosen)} names of MLX {version} are as the table says")
    return 1 if bad else 0


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["child"]:
        writer = os.dup(1)
        _child(arguments[1], set(arguments[2:]), writer)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", nargs="?", choices=("measure", "fold"))
    parser.add_argument("names", nargs="*", metavar="NAME", help="measure these only (default: all)")
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--show", metavar="NAME", help="measure one name and print its facts")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.names if name not in RECIPES]:
        parser.error(f"no recipe: {', '.join(unknown)}")
    if options.action == "fold":
        return _fold_all()
    try:
        import mlx.core
    except ImportError:
        print(_install_hint(), file=sys.stderr)
        return 2
    # Fresh and freed memory is filled with rubbish, so that what reads out of bounds cannot be right by accident; malloc reads it at start.
    # Old versions of MLX keep the kernels they build in the temporary directory under names without a version.
    # What reads or writes out of bounds shall die of it, where there is a C compiler for the malloc that sees to it.
    if sys.platform == "linux" and "MALLOC_PERTURB_" not in os.environ:
        kernels = Path(tempfile.gettempdir()) / f"mxlint-measure-{mlx.core.__version__}"
        kernels.mkdir(exist_ok=True)
        environment = {**os.environ, "MALLOC_PERTURB_": "165", "TMPDIR": str(kernels)}
        guard = kernels / "guard.so"
        build = ["cc", "-O1", "-fPIC", "-shared", str(HERE / "guard.c"), "-o", str(guard)]
        if shutil.which("cc") and subprocess.run(build, check=False).returncode == 0:
            environment |= {"LD_PRELOAD": str(guard), "MEASURE_GUARDED": "1"}
        os.execve(sys.executable, [sys.executable, str(HERE / "measure_mlx.py"), *arguments], environment)
    if sys.platform == "linux":
        import experiments  # noqa: F401  before any fork
    if options.show:
        print(json.dumps(measure(options.show), indent=1, sort_keys=True))
        return 0
    if options.sample:
        os.environ.pop("MEASURE_GUARDED", None)  # it makes no difference that is compared
        return sample(options.sample)
    if options.action == "measure":
        return _measure_all(options.names)
    parser.error("nothing to do: measure, fold or --sample N")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
