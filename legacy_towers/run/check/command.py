"""The command `legacy-towers run --check PATH`."""
import logging
import os
import sys

from legacy_towers.errors import UserError
from legacy_towers.run.check import output, project

FAILED = 1


def run(path: str, as_json: bool) -> int:
    """Prints the missing APIs of the script or folder at `path`.

    Args:
      path: the script or folder; "-mNAME": the module or package that `python -m NAME` would run.
      as_json: whether to print one JSON object.

    Returns:
      The exit code: 1 if an API is missing, or if a file could not be read, since its APIs are then unknown; else 0.

    Raises:
      UserError: `path` is not a script, folder or module, or the result can't be printed.
    """
    # Looking names up logs deprecation warnings that are not the script's.
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    if path.startswith("-m"):
        if path == "-m":
            raise UserError("-m needs the name of a module")
        checked = project.check_module(path[len("-m") :])
    else:
        checked = project.check(path)
    # Imported late, so that a wrong path is reported without waiting for the import of TensorFlow.
    from legacy_towers.compat import tf

    version = ".".join(tf.__version__.split(".")[:2])
    try:
        print(output.as_json(checked, version) if as_json else output.as_text(checked, version), flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        # Python flushes standard output at exit and would report the error a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise UserError("the result of --check can't be printed: {}".format(error.strerror)) from error
    return FAILED if checked.missing or checked.unread else 0
