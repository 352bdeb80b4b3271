"""One tower's summaries under the names that they have without towers."""
import re
from typing import List, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.tensor_types import Tensor
from legacy_towers.towers.output import TRAIN
from legacy_towers.towers.replicate import Tower


def keep_summaries(towers: Sequence[Tower], chosen: int) -> List[Tensor]:
    """Keeps the summaries of one tower, without the tower's prefix, and drops those of the others.

    The graph's collection of summaries then holds the same names as for a model without towers, so that
    `tf.summary.merge_all()` and MonitoredTrainingSession write one curve per name.

    Args:
      chosen: index of the tower to keep; negative ones count from the last one that trains.

    Returns:
      The summaries kept: scalar string tensors.

    Raises:
      TowerError: a summary's tag is computed in the graph, so that its prefix can't be removed.
    """
    tower = chosen_tower(towers, chosen)
    kept = [_without_prefix(summary, tower) for summary in tower.collected.summaries]
    collection = tf.get_collection_ref(tf.GraphKeys.SUMMARIES)
    dropped = {id(summary) for each in towers for summary in each.collected.summaries}
    collection[:] = [summary for summary in collection if id(summary) not in dropped] + kept
    return kept


def chosen_tower(towers: Sequence[Tower], chosen: int) -> Tower:
    """Returns the tower of index `chosen`; negative ones count from the last one that trains."""
    training = [tower for tower in towers if tower.mode == TRAIN]
    if chosen < -len(training):
        raise ArgumentError("summary_tower is {}: only {} towers train".format(chosen, len(training)))
    return towers[chosen] if chosen >= 0 else training[chosen]


def _without_prefix(summary: Tensor, tower: Tower) -> Tensor:
    op = summary.op
    if op.type == "MergeSummary":
        return tf.summary.merge([_without_prefix(merged, tower) for merged in op.inputs], collections=[])
    tag = tf.get_static_value(op.inputs[0]) if op.inputs else None
    if tag is None:
        raise TowerError(
            "the summary {!r} of tower {} has a tag that is computed in the graph: give it a constant name, so that "
            "the tower's prefix can be removed".format(op.name, tower.index)
        )
    text = tag.decode("utf-8") if isinstance(tag, bytes) else tag.item().decode("utf-8")
    # tf.summary writes a family before the scope and again after it: "family/tower_0/family/loss".
    plain = re.sub("^((?:[^/]+/)?)" + re.escape(tower.scope), r"\1", text)
    if plain == text:
        return summary
    graph = op.graph
    with tf.name_scope("summaries/"), tf.device(op.device), tf.control_dependencies(op.control_inputs):
        renamed = tf.constant(plain)
        copy = graph.create_op(
            op.type,
            [renamed] + list(op.inputs)[1:],
            [output.dtype for output in op.outputs],
            name=plain,
            attrs=dict(op.node_def.attr),
        )
    return copy.outputs[0]
