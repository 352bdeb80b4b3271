"""The traceback of an error, from the first frame of the user's own code on."""
import sys
import traceback
from typing import List

from legacy_towers.training.job import JOB_MODULE


def print_traceback(error: BaseException) -> None:
    """Prints the traceback of `error` to standard error; see `traceback_lines`."""
    sys.stderr.write("".join(traceback_lines(error)))


def traceback_lines(error: BaseException) -> List[str]:
    """Returns the traceback of `error` without the frames above the job's code; all frames if none is of a job."""
    first = error.__traceback__
    while first is not None and not str(first.tb_frame.f_globals.get("__name__")).startswith(JOB_MODULE):
        first = first.tb_next
    # No line of a job file with a SyntaxError has run: the error itself has the place.
    if first is None and not isinstance(error, SyntaxError):
        first = error.__traceback__
    return traceback.format_exception(type(error), error, first)
