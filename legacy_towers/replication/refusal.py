"""The error of a graph that can't be replicated."""
import os
from typing import Any, NoReturn

from legacy_towers.compat.versions.tracebacks import user_line
from legacy_towers.errors import TowerError

SENTENCE = "the graph can't be replicated: {}"


class NotReplicable(TowerError):
    """A graph can't be replicated. The message names the operation and the line that made it."""


def refuse(reason: str, operation: Any = None) -> NoReturn:
    """Raises `NotReplicable`.

    Args:
      reason: why the graph can't be replicated.
      operation: the operation that prevents it; None if it is not one operation.
    """
    place = "" if operation is None else " ({})".format(place_of(operation))
    raise NotReplicable(SENTENCE.format(reason + place))


def place_of(operation: Any) -> str:
    """Returns "'loss', train.py, line 31: loss = ...", without the line if it is unknown."""
    line = user_line(operation)
    folder = os.path.join(os.getcwd(), "")
    line = line[len(folder):] if line.startswith(folder) else line
    return "{!r}{}".format(operation.name, line and ", " + line)
