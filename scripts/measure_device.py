"""What the table says goes wrong under shapeless=True, measured on another device than the CPU, where the table is measured.

measure_device.py measure cuda    with an MLX whose default device is that one: write raw/cuda/<version>.json
measure_device.py larger cuda     anywhere, with the same version: what of that is right there goes wrong on the CPU at larger sizes, too
measure_device.py fold            what is right there → devices.json

The experiments are those of measure_mlx.py, on each name that goes wrong at a later shape in that version. With TF32, the default of a GPU,
compiled and uncompiled products differ in the fourth digit by themselves: it is switched off. An operation that writes beyond the end of a smaller array
may give the right values by luck. At a larger size the values themselves tell, so only what goes wrong there on the CPU is said to be right elsewhere.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from measure_mlx import DATA, dump, measure
from recipes import RECIPES

FILE = DATA / "devices.json"
FORWARD, GRAD = ("forward", "axes"), ("grad", "grad_axes")
AT_A_TIME = os.cpu_count() or 1
SETTINGS = {"MEASURE_DEVICE": "1", "MLX_ENABLE_TF32": "0"}


def entries(path: Path, part: str = "entries") -> dict[str, dict[str, Any]]:
    """The facts of one measurement by name."""
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))[part]
    return found


def unsafe(facts: dict[str, Any]) -> bool:
    """Whether anything goes wrong at a later shape."""
    measured = facts.get("shapeless") or {}
    return any(part.get("forward") == "unsafe" for part in (measured, *measured.get("ranks", {}).values()))


def write(device: str) -> int:
    """Measure every unsafe name of the installed version on its default device."""
    import mlx.core as mx

    if mx.default_device().type == mx.cpu:
        print("the default device of this MLX is the CPU", file=sys.stderr)
        return 2
    os.environ.update(SETTINGS)
    version = mx.__version__.partition("+")[0]
    names = sorted(name for name, facts in entries(DATA / "raw" / f"{version}.json").items() if unsafe(facts))
    kept: dict[str, Any] = {}
    for name, facts in measured(names):
        kept[name] = facts
        save(device, version, kept, {})
    print(f"{len(kept)} of {len(names)} names of MLX {version} on {device}", file=sys.stderr)
    return 0


def larger(device: str) -> int:
    """Measure on the CPU, at larger sizes alone, what was right on the device."""
    import mlx.core as mx

    os.environ["MEASURE_LARGER"] = "1"
    version = mx.__version__.partition("+")[0]
    there, here = entries(DATA / "raw" / device / f"{version}.json"), entries(DATA / "raw" / f"{version}.json")
    names = [name for name, facts in there.items() if any(right(name, here[name]["shapeless"], facts["shapeless"]))]
    save(device, version, there, dict(measured(names)))
    return 0


def measured(names: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each name does under shapeless=True, several at a time."""
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        for name, facts in zip(names, pool.map(measure, names)):
            if isinstance(facts, str):
                print(f"{name}: {facts}", file=sys.stderr)
            elif "shapeless" in facts:
                yield name, {"shapeless": facts["shapeless"]}


def save(device: str, version: str, there: dict[str, Any], at_larger: dict[str, Any]) -> None:
    """Write down what was measured on a device, and on the CPU at larger sizes."""
    path = DATA / "raw" / device / f"{version}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump({"mlx": version, "device": device}, {"larger": at_larger, "entries": there}), encoding="utf-8")


def right(name: str, cpu: dict[str, Any], device: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The axes of the first argument, by its number of dimensions, along which what goes wrong on the CPU is right on the device; under grad, too."""
    ranks = {str(case.inputs.split()[0].count(",") + 1) for case in RECIPES[name].cases if case.inputs}
    for rank in sorted(ranks):
        here, there = (facts.get("ranks", {}).get(rank, facts) for facts in (cpu, device))
        wrong = [axis for axis, outcome in here.get("axes", {}).items() if outcome not in ("ok", "unknown")]
        axes = [axis for axis in wrong if well(there, axis, FORWARD) and not (there["grad"] == "unsafe" and not well(there, axis, GRAD))]
        if axes:
            yield rank, axes


def well(facts: dict[str, Any], axis: str, mode: tuple[str, str]) -> bool:
    """Whether a change of that axis is known to do no harm."""
    verdict, axes = mode
    return facts.get(verdict) == "ok" or facts.get(verdict) == "unsafe" and facts.get(axes, {}).get(axis) == "ok"


def fold() -> int:
    """All measurements of devices as one small file: device, name, version, number of dimensions, axes."""
    data: dict[str, dict[str, dict[str, dict[str, list[str]]]]] = {}
    for path in sorted((DATA / "raw").glob("*/*.json")):
        device, version = path.parent.name, path.stem
        there = entries(path)
        for name, facts in entries(path, "larger").items():
            found = dict(right(name, facts["shapeless"], there[name]["shapeless"]))
            if found:
                data.setdefault(device, {}).setdefault(name, {})[version] = found
    FILE.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


def main(arguments: list[str]) -> int:
    """Measure, or fold what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    for action in MEASURING:
        actions.add_parser(action).add_argument("device")
    actions.add_parser("fold")
    options = parser.parse_args(arguments)
    return fold() if options.action == "fold" else MEASURING[options.action](options.device)


MEASURING = {"measure": write, "larger": larger}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
