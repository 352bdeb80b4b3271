"""The gradients of towers where the graph has fixed the size of its batch.

TensorFlow writes a known size into the constants of a gradient, so that copies of it would be wrong for a tower's part
of the batch: the gradients of the copied losses are derived again.
"""
from typing import Any, Dict, List

from legacy_towers.compat import tf
from legacy_towers.graph.op_kinds import VARIABLE_OPS
from legacy_towers.graph.walk import ancestors
from legacy_towers.replication.losses import SUM
from legacy_towers.replication.refusal import refuse
from legacy_towers.replication.sparse import variables_of
from legacy_towers.tensor_types import Operation, Tensor


def gradients_of_towers(step: Any, gradients: List[Tensor], readers: List[Operation]) -> None:
    """Derives gradients for each tower, and registers them.

    Args:
      step: the `ReplicatedStep`.
      gradients: the gradients of the graph that are needed.
      readers: the operations that read them.

    Raises:
      NotReplicable: it is not known which variable a gradient is of.
    """
    by_scope: Dict[str, List[Tensor]] = {}
    for each in gradients:
        by_scope.setdefault(step.regions.call_of(each.op).scope, []).append(each)
    for scope, own in by_scope.items():
        _derive(step, scope, own, readers)


def _derive(step: Any, scope: str, gradients: List[Tensor], readers: List[Operation]) -> None:
    call, regions = step.regions.calls.by_scope[scope], step.regions
    rule = step.rules[scope]
    if rule.kind == SUM and rule.adds_others:
        refuse("its loss adds a sum over a batch of a fixed size and a regularization loss: take the mean over the "
               "examples, or leave the first dimension of the inputs unknown (None)", rule.operation)
    if regions.inner:
        refuse("its loss has gradients in it, and the size of its batch is fixed: leave the first dimension of the "
               "inputs unknown (None)", call.roots[0])
    trained = {each for each in ancestors(call.roots, graph=step.graph) if each.type in VARIABLE_OPS}
    of_variables = variables_of(readers, set(gradients), regions, trained)
    for each in gradients:
        found = of_variables.get(each, [])
        if len(found) != 1:
            refuse("it is not clear which variable a gradient of a batch of a fixed size is of ({}): leave the first "
                   "dimension of the inputs unknown (None)".format(
                       ", ".join(sorted(str(one.name) for one in found)) or "none is updated by it"), each.op)
    variables = {each.op: each for each in step.graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
                 + step.graph.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)}
    needed = sorted({of_variables[each][0] for each in gradients}, key=lambda each: str(each.name))
    for each in needed:
        if each not in variables:
            refuse("the variable is in no collection of the graph", each)
    roots = [out for root in call.roots for out in root.outputs if root in regions.dependent]
    step.towers.copy(roots)
    made: List[Dict[Operation, Any]] = []
    for tower, device in enumerate(step.devices):
        with tf.device(device), tf.name_scope("replicate/tower_{}/".format(tower)):
            derived = tf.gradients([step.towers.of(each)[tower] for each in roots],
                                   [variables[each] for each in needed])
        made.append(dict(zip(needed, derived)))
    for gradient in gradients:
        step.towers.register(gradient, [
            _part(each[of_variables[gradient][0]], gradient, gradient in step.sparse) for each in made
        ])


def _part(derived: Any, gradient: Tensor, is_sparse: bool) -> Tensor:
    if derived is None:
        refuse("the loss of a tower has no gradient for it", gradient.op)
    if not isinstance(derived, tf.IndexedSlices):
        if is_sparse:
            refuse("a gradient is sparse for the whole batch and dense for a tower", gradient.op)
        return derived
    if not is_sparse:
        return tf.convert_to_tensor(derived)
    if gradient.dtype.is_floating:
        return derived.values
    return tf.cast(derived.indices, gradient.dtype)
