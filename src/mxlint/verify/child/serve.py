"""python serve.py SOCKET [MODULE…]: the fork server of a verifying run (server.py says what it does)."""

import os
import sys

folder = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, folder)
from experiment.server import serve  # type: ignore[import-not-found]

sys.path.remove(folder)
serve(int(sys.argv[1]), sys.argv[2:])
