"""Examines a MetaGraph file, without running it."""
from typing import List, Sequence

from legacy_towers.doctor.examine import Finding, examine
from legacy_towers.errors import ArgumentError
from legacy_towers.graph.meta_graphs import imported, meta_graph_of
from legacy_towers.tensor_types import Graph


def examine_file(path: str, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> List[Finding]:
    """Returns what the checks find in the MetaGraph at `path`; those that need session runs find nothing.

    Raises:
      UserError: the file can't be imported, or a code is that of no check.
    """
    return examine([(imported_file(path), None)], select, ignore)


def imported_file(path: str) -> Graph:
    """Returns the graph of the MetaGraph at `path`, on the devices that it names.

    Raises:
      ArgumentError: it can't be imported.
    """
    try:
        return imported(meta_graph_of(path), clear_devices=False)
    except ArgumentError as error:
        text = str(error)
        raise ArgumentError(text if path in text else "{}: {}".format(path, text)) from error
