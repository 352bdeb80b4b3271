"""`legacy-towers run --check PATH`: reads, asks, prints."""
import logging
import os
import sys

from legacy_towers.errors import UserError
from legacy_towers.oldtf.check import project, words

FAILED = 1


def run(path: str, as_json: bool) -> int:
    """Prints what the script or folder at `path` would miss, and returns the exit code.

    It is 1 if anything would be missing, or if a file of it could not be read: what that would miss nobody knows.

    Args:
      path: the script or folder; "-mNAME": the module or package that `python -m NAME` would run.
      as_json: whether to print one JSON object.
    """
    # What TensorFlow says of the age of names as they are looked up is not the script's.
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    if path.startswith("-m"):
        if path == "-m":
            raise UserError("-m needs the name of a module")
        checked = project.check_module(path[len("-m") :])
    else:
        checked = project.check(path)
    # Not before: a wrong path is told at once.
    from legacy_towers.compat import tf

    version = ".".join(tf.__version__.split(".")[:2])
    try:
        print(words.as_json(checked, version) if as_json else words.as_text(checked, version), flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        # At exit Python would say so once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise UserError("the answer can't be printed: {}".format(error.strerror)) from error
    return FAILED if checked.missing or checked.unread else 0
