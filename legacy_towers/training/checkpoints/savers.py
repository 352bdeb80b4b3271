"""The savers of a graph, as MonitoredTrainingSession finds them."""
from typing import Any, List

from legacy_towers.compat import tf


def graph_savers() -> List[Any]:
    """Returns the `tf.train.Saver`s of the default graph's collection SAVERS, and adds one if there is none.

    That one is created as by MonitoredTrainingSession: it is built when the graph is finalized, so that variables of
    other hooks are saved too.
    """
    savers: List[Any] = tf.get_collection_ref(tf.GraphKeys.SAVERS)
    if not savers:
        savers.append(tf.train.Saver(sharded=True, allow_empty=True, defer_build=True))
    return savers
