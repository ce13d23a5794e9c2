"""How a run ended, in words: what can be said of the program from it, and what is missing on this machine."""

from __future__ import annotations

from mxlint.verify.child.refusals import said
from mxlint.verify.runner import Outcome

HALF_THE_MEMORY = 1 << 30


CRASHES = (4, 6, 7, 8, 11)
"""Signals that a process dies of by its own fault."""


INSTALL = "install mlx there ('mlx[cpu]' or 'mlx[cuda]' on Linux), or name another interpreter with --python"


def died(outcome: Outcome) -> bool:
    """Whether a process died by its own fault, and not for want of memory."""
    return outcome.answer is None and outcome.signal in CRASHES and outcome.peak < HALF_THE_MEMORY


def unusable(outcome: Outcome) -> str | None:
    """Why a run says nothing about the program."""
    if outcome.stopped is not None:
        return _after(
            {
                "time": "the program was still running when its time was over",
                "memory": "the program used more memory than it was given",
                "processes": "the program started more processes than it was given",
                "output": "the program printed more than it was given room for",
                "files": "the program left more files than it was given room for",
                "interfered": "the program interfered with its measurement",
            }[outcome.stopped],
            outcome,
        )
    if outcome.answer is None:
        if outcome.signal is not None:
            return _after(f"the process died of signal {outcome.signal}", outcome)
        return _after(f"the process left early with exit code {outcome.exit_code}", outcome)
    if "calls" not in outcome.answer:
        return "the program could not be started"
    for item in outcome.answer["exceptions"]:
        if item["type"] == "StandInUsed":
            return str(item["message"])
        if item["type"] == "Denied":
            return f"the program {item['message']}"
    return None


def _after(ending: str, outcome: Outcome) -> str:
    """An ending, with the first thing that the program was not let do before it."""
    return f"{ending}; it {said(outcome.refused[0])}" if outcome.refused else ending


def out_of_reach(outcome: Outcome) -> str | None:
    """What is missing on this machine."""
    answer = outcome.answer
    if answer is None:
        return None
    if answer["status"] == "no mlx":
        if answer["detail"].startswith("No module named 'mlx"):
            return f"MLX is not installed for {answer['python']}: {INSTALL}"
        return f"MLX cannot be imported by {answer['python']}: {answer['detail']}"
    if answer.get("canary"):
        return f"{answer['canary']}; on the CPU it needs a C++ compiler: install g++"
    for kernel, extra in (
        ("No Metal back-end", "'mxlint[verify]' on a Mac"),
        ("No CUDA back-end", "'mxlint[verify-cuda]' where there is an NVIDIA GPU"),
    ):
        if any(kernel in item["message"] for item in answer.get("exceptions", ())):
            return f"the program has kernels of its own for a GPU that is not here ({kernel}): run it with {extra}"
    if any("[Compile::eval_cpu]" in item["message"] for item in answer.get("exceptions", ())):
        return "MLX's C++ compiler fails on this machine: install g++ in full, and see that the disk is not full"
    return None
