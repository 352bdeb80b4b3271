"""Replays recorded batches in the step of an input pipeline, whose own operations don't run.

Feeding the tensors of the pipeline's batches is not enough. TensorFlow removes the control edges of a fed node only if
it is a placeholder, and its optimizer adds such edges (from constants that it makes of a batch's shape), so that the
operations before a fed identity run anyway. Seen on TF 2.21.
"""
from typing import Any, Dict, List, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.inputs.base import Input, TowerBatches, scope_within
from legacy_towers.tensor_types import ConfigProto, Tensor
from legacy_towers.text.names import tower_scope


def parts_of(batches: TowerBatches) -> Dict[str, Tensor]:
    """Returns the tensors of the batches by name: "tower 0/x", of a sparse x "tower 0/x (part 1)", "tower 0 count"."""
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


def read_batches(source: Input, devices: Sequence[str], config: ConfigProto, steps: int) -> List[Dict[str, np.ndarray]]:
    """Runs an input pipeline in a graph of its own, and returns the values of each step by the names of `parts_of`."""
    with tf.Graph().as_default():
        batches = source.build(devices)
        # Through identities: a session returns fed values as they are, without running an operation.
        parts = {name: tf.identity(part) for name, part in parts_of(batches).items()}
        with tf.train.SingularMonitoredSession(hooks=batches.hooks, config=config) as session:
            return [{name: np.array(value) for name, value in session.run(parts).items()} for _ in range(steps)]


class ReplayedInput(Input):
    """The batches of another input pipeline, as placeholders of the same structure and static shapes.

        replayed = ReplayedInput(source)
        step = build_train_step(model_fn, replayed, ...)
        session.run(step.train_op, replayed.feed_dict(values))   # values: "tower 0/image" -> array, as `parts_of` names

    The other pipeline is built too, for its structure, but it does not run: its hooks and queue runners are left out.
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
        plan = batches.plan._replace(steps_ahead=0)
        replayed = batches._replace(per_tower=made, hooks=[], plan=plan, input_ops=(), counts=counts)
        self._placeholders = parts_of(replayed)
        return replayed

    def feed_dict(self, values: Dict[str, np.ndarray]) -> Dict[Any, np.ndarray]:
        """Returns the feed_dict for values by the names of `parts_of`."""
        return {self._placeholders[name]: value for name, value in values.items()}
