"""python run.py [real|plain]: this experiment by hand, with the program as it is or with mx.compile left out."""

import os
import sys

folder = os.path.dirname(os.path.realpath(__file__))
os.chdir(os.path.join(folder, "work"))
os.environ["TMPDIR"] = os.path.join(folder, "work", "tmp")
sys.path.insert(0, folder)
from experiment.main import main  # type: ignore[import-not-found]

sys.path.remove(folder)
mode = sys.argv[1] if len(sys.argv) > 1 else "real"
main(folder, mode, int(sys.argv[2]) if len(sys.argv) > 2 else None)
