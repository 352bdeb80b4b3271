"""`python -m legacy_towers` is the command `legacy-towers`."""
import os
import sys

# -m puts the working directory first on the path; a difflib.py there would be imported for Python's own.
if sys.path and os.path.realpath(sys.path[0]) == os.path.realpath(os.getcwd()):
    del sys.path[0]

from legacy_towers.cli.main import main  # noqa: E402

sys.exit(main())
