"""The statement of a script that made an operation."""
import re

from legacy_towers.compat.versions.tracebacks import user_line
from legacy_towers.tensor_types import Operation

# "train.py, line 31, in main: loss = x / 2"
_STATEMENT = re.compile(r", line \d+(?:, in [^:]+)?: (?P<text>.*)")


def statement_of(operation: Operation) -> str:
    """Returns the line of the script that made an operation, "loss = x / 2"; "" if it is unknown."""
    match = _STATEMENT.search(user_line(operation))
    return match.group("text") if match else ""
