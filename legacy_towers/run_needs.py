"""Does this run need a batch? Asked before each run, so the answers are kept."""
from typing import Any, Dict, FrozenSet, Iterable, Tuple

from legacy_towers.graph_walk import ancestors, operations_of


class RunNeeds:
    """Says of a run, from what its caller fetches and feeds, whether it computes any of some operations."""

    def __init__(self, operations: Iterable[Any]) -> None:
        """
        Args:
          operations: `tf.Operation`s of one graph.
        """
        self._operations = frozenset(operations)
        self._known: Dict[Tuple[FrozenSet[Any], FrozenSet[Any]], bool] = {}

    def __call__(self, run_context: Any) -> bool:
        """Returns whether the run of this `tf.train.SessionRunContext` needs one that its caller doesn't feed."""
        original, graph = run_context.original_args, run_context.session.graph
        return self.for_run(
            frozenset(operations_of(original.fetches, graph)),
            frozenset(operations_of(list(original.feed_dict or {}), graph)),
            graph,
        )

    def for_run(self, fetched: FrozenSet[Any], fed: FrozenSet[Any], graph: Any) -> bool:
        """Returns the same for a run of `graph` that fetches and feeds these `tf.Operation`s."""
        if (fetched, fed) not in self._known:
            reached = ancestors(list(fetched), fed, graph) - fed
            self._known[fetched, fed] = not reached.isdisjoint(self._operations)
        return self._known[fetched, fed]
