"""Recorded batches in place of a way in: the same step, but nothing is pulled.

Feeding the tensors that a way in gave its towers does not do it. TensorFlow reroutes the control edges of a fed node
only where it is a placeholder, and its optimizer adds such edges (from constants that it made of a batch's shape), so
that what lies behind a fed identity runs after all. Seen on TF 2.21.
"""
from typing import Any, Dict, List, Sequence

import numpy as np

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.inputs.base import Input, TowerBatches, scope_within
from legacy_towers.names import tower_scope


def parts_of(batches: TowerBatches) -> Dict[str, Any]:
    """Returns "tower 0/image" -> tensor, "tower 0/count" too; of a sparse or ragged component one tensor per part."""
    parts = {}
    for tower, batch in enumerate(batches.per_tower):
        for path, leaf in structure.leaves(batch):
            tensors = tf.nest.flatten(leaf, expand_composites=True)
            for number, tensor in enumerate(tensors):
                name = "tower {}/{}".format(tower, path or "batch")
                parts[name if len(tensors) == 1 else "{} (part {})".format(name, number)] = tensor
    for tower, count in enumerate(batches.counts or []):
        parts["tower {} count".format(tower)] = count
    return parts


class ReplayedInput(Input):
    """The batches of another way in, as placeholders of the same structure and static shapes.

        replayed = ReplayedInput(source)
        step = build_train_step(model_fn, replayed, ...)
        session.run(step.train_op, replayed.feed_dict(values))   # values: "tower 0/image" -> array, as `parts_of` names

    The other way in is built too, for its structure; nothing of it runs, and its hooks and queue runners are left out.

    Args:
      source: the way in.
    """

    def __init__(self, source: Input) -> None:
        self._source = source
        self._placeholders: Dict[str, Any] = {}

    def build(self, devices: Sequence[str]) -> TowerBatches:
        runners = tf.get_collection_ref(tf.GraphKeys.QUEUE_RUNNERS)
        before = list(runners)
        batches = self._source.build(devices)
        runners[:] = before
        made: List[Any] = []
        for tower, (batch, device) in enumerate(zip(batches.per_tower, devices)):
            with tf.name_scope(scope_within(tower_scope(tower) + "/replayed")), tf.device(device):
                tensors = tf.nest.flatten(batch, expand_composites=True)
                made.append(tf.nest.pack_sequence_as(
                    batch, [tf.placeholder(tensor.dtype, tensor.shape) for tensor in tensors], expand_composites=True
                ))
        counts = batches.counts and [tf.placeholder(count.dtype, count.shape) for count in batches.counts]
        replayed = batches._replace(per_tower=made, hooks=[], pulls=(), counts=counts)
        self._placeholders = parts_of(replayed)
        return replayed

    def feed_dict(self, values: Dict[str, np.ndarray]) -> Dict[Any, np.ndarray]:
        """Returns what `session.run` takes, for values by the names of `parts_of`."""
        return {self._placeholders[name]: value for name, value in values.items()}
