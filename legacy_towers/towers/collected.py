"""What one call of a model function adds to the graph's collections."""
from typing import Any, Dict, List, NamedTuple

from legacy_towers.compat import tf


class Collected(NamedTuple):
    """The entries that one tower added, per collection.

    Of `update_ops`, what was added as a list stands one by one: an assignment to a variable that is cut into parts is
    one for each part.
    """

    losses: List[Any]
    regularization_losses: List[Any]
    update_ops: List[Any]
    summaries: List[Any]
    global_variables: List[Any]
    trainable_variables: List[Any]


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
    """Tells what was added to the collections since it was made.

    A name scope would not do as a filter: the losses of `get_variable(regularizer=)` are made outside every tower's
    scope, and a model function may leave its scope on purpose.
    """

    def __init__(self) -> None:
        self._before = {name: len(tf.get_collection(key)) for name, key in _keys().items()}

    def added(self) -> Collected:
        """Returns the entries added since, in the order in which they were added."""
        added = {name: tf.get_collection(key)[self._before[name] :] for name, key in _keys().items()}
        return Collected(**dict(added, update_ops=tf.nest.flatten(added["update_ops"])))
