"""The hooks that count the steps of a position, and the position of a graph's train step."""
from typing import Any, List, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.graph.walk import RunNeeds, operations_of
from legacy_towers.inputs.position import Position
from legacy_towers.tensor_types import Coordinator, Graph, Session, SessionRunHook, Tensor

# The graph's collection of positions.
_COLLECTION = "legacy_towers_input_positions"


class CountSteps(tf.train.SessionRunHook):
    """Counts the steps of a position: the runs that compute something of the towers' batches.

    It registers the position in the graph, where `position_of` finds it.
    """

    def __init__(
        self, position: Position, batches: Any, ids: Sequence[Tensor] = (), registers: bool = True
    ) -> None:
        """
        Args:
          batches: a structure of tensors that are computed from the batches of a step, or are these.
          ids: per tower, the ids of its examples without copies; () for a position that does not count them.
          registers: whether it registers the position.
        """
        self._position = position
        operations = operations_of(batches)
        self._needs = RunNeeds(operations)
        self._ids = list(ids)
        self._counts = False
        if registers:
            tf.add_to_collection(_COLLECTION, _Registered(position, operations[0].name))

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        if not self._position.begins_by_pipeline:
            self._position.begin()

    def before_run(self, run_context: Any) -> Any:
        """Fetches the ids in a run that is a step, if they are counted."""
        self._counts = self._needs(run_context) and not self._position.is_other_run(run_context)
        return tf.train.SessionRunArgs(self._ids) if self._counts and self._ids else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Counts a step that has ended."""
        if self._counts:
            self._position.advance(run_values.results or ())

    def end(self, session: Session) -> None:
        self._position.end()


class _Registered(NamedTuple):
    """A position in a graph's collection.

    A MetaGraph keeps collections of what has the name of an operation, without a warning: the position is not part of
    it.
    """

    position: Position
    name: str


def position_of(graph: Graph) -> Optional[Position]:
    """Returns the position of the input pipeline of a graph's train step; None if there is none.

    Raises:
      InputError: the graph has several.
    """
    found = [each.position for each in graph.get_collection(_COLLECTION) if isinstance(each, _Registered)]
    if len(found) > 1:
        raise InputError("the graph has {} train steps: build one in a graph of its own".format(len(found)))
    return found[0] if found else None


def counting_hooks(
    position: Optional[Position], per_tower: Sequence[Any], ids: Sequence[Tensor]
) -> List[SessionRunHook]:
    """Returns the hooks that count the steps, or the runs of each tower, of a session; none without a position."""
    if position is None:
        return []
    if not position.by_tower:
        return [CountSteps(position, per_tower, ids)]
    return [
        CountSteps(position, batch, ids[tower:tower + 1], registers=tower == 0) for tower, batch in enumerate(per_tower)
    ]
