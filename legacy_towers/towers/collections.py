"""What one call of a model function adds to the graph's collections."""
from typing import Dict, List, NamedTuple

from legacy_towers.compat import tf
from legacy_towers.tensor_types import Operation, Tensor, Variable


class Collected(NamedTuple):
    """The entries that one tower added, per collection.

    Lists in `update_ops` are flattened: an assignment to a partitioned variable is a list with an entry per slice.
    """

    losses: List[Tensor]
    regularization_losses: List[Tensor]
    update_ops: List[Operation]
    summaries: List[Tensor]
    global_variables: List[Variable]
    trainable_variables: List[Variable]


def _keys() -> Dict[str, str]:
    keys = tf.GraphKeys
    return {
        "losses": keys.LOSSES,
        "regularization_losses": keys.REGULARIZATION_LOSSES,
        "update_ops": keys.UPDATE_OPS,
        "summaries": keys.SUMMARIES,
        "global_variables": keys.GLOBAL_VARIABLES,
        "trainable_variables": keys.TRAINABLE_VARIABLES,
    }


class CollectionRecorder:
    """Finds what was added to the collections since it was created.

    Filtering by name scope would miss entries: the losses of `get_variable(regularizer=)` are created outside of every
    tower's scope, and a model function may leave its scope on purpose.
    """

    def __init__(self) -> None:
        self._before = {name: len(tf.get_collection(key)) for name, key in _keys().items()}

    def added(self) -> Collected:
        """Returns the entries added since this recorder was created, in the order in which they were added."""
        added = {name: tf.get_collection(key)[self._before[name] :] for name, key in _keys().items()}
        return Collected(**dict(added, update_ops=tf.nest.flatten(added["update_ops"])))
