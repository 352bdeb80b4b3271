"""Runs the command `legacy-towers` for `python -m legacy_towers`."""
import os
import sys

# -m puts the working directory first on sys.path; a difflib.py there would be imported instead of Python's own.
if sys.path and os.path.realpath(sys.path[0]) == os.path.realpath(os.getcwd()):
    del sys.path[0]

from legacy_towers.cli.main import main  # noqa: E402

sys.exit(main())
