"""The traceback of an error, from where the user's own code begins."""
import sys
import traceback
from typing import List

from legacy_towers.jobs import JOB_MODULE


def print_traceback(error: BaseException) -> None:
    """Prints the traceback of `error` to standard error; see `traceback_lines`."""
    sys.stderr.write("".join(traceback_lines(error)))


def traceback_lines(error: BaseException) -> List[str]:
    """Returns the traceback of `error`, without what called the job; whole if no code of a job was running."""
    first = error.__traceback__
    while first is not None and not str(first.tb_frame.f_globals.get("__name__")).startswith(JOB_MODULE):
        first = first.tb_next
    # A job file that can't be compiled has run no line: the error itself says where.
    if first is None and not isinstance(error, SyntaxError):
        first = error.__traceback__
    return traceback.format_exception(type(error), error, first)
