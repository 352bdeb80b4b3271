"""What a task does that refuses to start: it gives its reason to the other tasks of its cluster, which end too."""
import argparse
import contextlib
import sys
from typing import Iterator

from legacy_towers.cli.cluster_options import cluster_of
from legacy_towers.errors import UserError


@contextlib.contextmanager
def refusing(arguments: argparse.Namespace) -> Iterator[None]:
    """Reports a UserError of the block inside to the other tasks of the cluster, until they have read it.

    Not after the start of this task: the tasks compare each other then, and notice one that ends.

    Args:
      arguments: with the options of a cluster; the block sets `has_started`.
    """
    try:
        yield
    except UserError as error:
        if arguments.cluster is not None and not getattr(arguments, "has_started", False):
            _refuse(arguments, str(error))
        raise


def _refuse(arguments: argparse.Namespace, reason: str) -> None:
    from legacy_towers import cluster as clusters

    try:
        found = cluster_of(arguments)
    except UserError:  # this is the error, and nobody else is known
        return
    # At once: the other tasks may not have started yet.
    print("legacy-towers: {} does not start: {}".format(found.task, reason), file=sys.stderr, flush=True)
    clusters.refuse(found, reason, arguments.start_seconds, arguments.allow_any_interface)
