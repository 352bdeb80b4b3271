"""`legacy-towers run --check PATH`: reads, asks, prints."""
import os

from legacy_towers.oldtf.check import project, words

MISSING = 1


def run(path: str, as_json: bool) -> int:
    """Prints what the script or folder at `path` would miss, and returns the exit code.

    It is 1 if anything would be missing, or if the script that is named is itself no Python.
    """
    checked = project.check(path)
    # Not before: a wrong path is told at once.
    from legacy_towers.compat import tf

    version = ".".join(tf.__version__.split(".")[:2])
    print(words.as_json(checked, version) if as_json else words.as_text(checked, version))
    return MISSING if checked.missing or os.path.normpath(path) in checked.unread else 0
