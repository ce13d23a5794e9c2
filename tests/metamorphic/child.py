"""Runs programs under MLX without compilation, each in a fork. Reads one folder a line, writes one JSON object a line: how it ended, and what
its compiled functions returned at each call."""

from __future__ import annotations

import json
import sys

from differential.child import forked


def main() -> None:
    for line in sys.stdin:
        answer = forked(json.loads(line), False)
        raised = answer.get("raised")
        shown = {"raised": raised and raised["type"], "results": answer.get("results"), "left": answer.get("globals")}
        sys.stdout.write(json.dumps(shown) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
