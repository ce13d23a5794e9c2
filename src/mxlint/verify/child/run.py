"""python run.py [real|plain]: this experiment by hand, with the program as it is or with mx.compile left out."""

import os
import sys

home = os.path.dirname(os.path.realpath(__file__))
mode = sys.argv[1] if len(sys.argv) > 1 else "real"
folder, result = (sys.argv[2], int(sys.argv[3])) if len(sys.argv) > 2 else (home, None)
os.chdir(os.path.join(folder, "work"))
os.environ["TMPDIR"] = os.path.join(folder, "work", "tmp")
sys.path.insert(0, home)
from experiment.main import main  # type: ignore[import-not-found]

sys.path.remove(home)
main(folder, mode, result)
