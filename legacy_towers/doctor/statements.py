"""The statement of a script that made an operation."""
from legacy_towers.compat.versions.tracebacks import text_of_user_line
from legacy_towers.tensor_types import Operation


def statement_of(operation: Operation) -> str:
    """Returns the line of the script that made an operation, "loss = x / 2"; "" if it is unknown."""
    return text_of_user_line(operation)
