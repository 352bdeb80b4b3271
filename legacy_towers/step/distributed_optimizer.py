"""`DistributedOptimizer`, with Horovod's interface: wraps a TF1 optimizer to apply the gradients of all towers."""
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from legacy_towers.compat import tf
from legacy_towers.devices import canonical
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.base import (
    GradientRow,
    Reduction,
    ReductionContext,
    ReductionLike,
    TowerGradients,
    pairs_of,
)
from legacy_towers.gradients.chain import chain
from legacy_towers.gradients.named import reduction_from
from legacy_towers.gradients.reduce import prepare
from legacy_towers.gradients.sums.add_n import mean, sum
from legacy_towers.gradients.transforms.accumulate import accumulate
from legacy_towers.gradients.transforms.densify import densify
from legacy_towers.gradients.transforms.scale import scale
from legacy_towers.gradients.wrappers.compressed import compressed
from legacy_towers.graph.walk import ancestors, operations_of
from legacy_towers.step.distributed_losses import check_losses, check_only_loss
from legacy_towers.tensor_types import (
    DeviceString,
    Gradient,
    GradientPairs,
    Graph,
    Operation,
    Optimizer,
    SessionRunHook,
    Tensor,
    Variable,
)
from legacy_towers.text.names import quoted, tower_scope
from legacy_towers.update.apply import apply_reduced


class Compression:
    """Horovod's names of the dtypes in which gradients are reduced; see `lt.gradients.compressed`."""

    none = "none"
    fp16 = "fp16"
    bf16 = "bf16"


_NARROW = {Compression.fp16: "float16", Compression.bf16: "bfloat16"}
_OPS = ("average", "sum")


class DistributedOptimizer(tf.train.Optimizer):
    """Wraps an optimizer: reduces the gradients of one loss per tower, and applies the result.

        losses = []
        for index, device in enumerate(devices):
            with tf.device(device), tf.variable_scope("model", reuse=index > 0, use_resource=True):
                losses.append(loss_of(next_batch()))
        optimizer = lt.DistributedOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), compression=lt.Compression.fp16)
        train_op = optimizer.minimize(losses, global_step=tf.train.get_or_create_global_step())

    For code that uses `hvd.DistributedOptimizer(optimizer)`. With Horovod each process is a worker with one loss; here
    one process has all towers, so that a list of losses takes the place of the loss. Slots, their names in checkpoints,
    and hyperparameters are those of the wrapped optimizer. Gradients can be clipped between `compute_gradients` and
    `apply_gradients`.

    Source: A. Sergeev and M. Del Balso, "Horovod: fast and easy distributed deep learning in TensorFlow", 2018.

    Args:
      optimizer: a `tf.train.Optimizer`.
      name: of the operations, and of the reduction's variables; by default "Distributed" and the optimizer's class.
      reduction: how the towers' gradients are reduced, in place of `op` and `compression`; see `lt.gradients`. Or its
        name as on the command line, such as "tree".
      devices: one device string per loss; by default each loss's own device.
      op: "average" or "sum" of the towers' gradients.
      compression: `lt.Compression.fp16` or `.bf16`: gradients are reduced in 16 bits per number.
      sparse_as_dense: whether to convert sparse gradients of embeddings to dense ones before they are reduced.
      backward_passes_per_step: how many runs' gradients are accumulated for one update. Variables and slots stay as
        they are in the other runs; the global step counts every run.
      average_aggregated_gradients: whether such an update applies the mean of these gradients; False: their sum, as
        with Horovod.

    Attributes:
      reduction: how the towers' gradients are reduced; print it.
      hooks: `tf.train.SessionRunHook`s for MonitoredTrainingSession; [] for most reductions. Complete after
        `compute_gradients`.

    Raises:
      ArgumentError: an argument is out of range, or contradicts another; `optimizer` is not an optimizer.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        name: Optional[str] = None,
        *,
        reduction: Union[None, str, ReductionLike] = None,
        devices: Optional[Sequence[DeviceString]] = None,
        op: str = "average",
        compression: Any = Compression.none,
        sparse_as_dense: bool = False,
        backward_passes_per_step: int = 1,
        average_aggregated_gradients: bool = False,
    ) -> None:
        if isinstance(optimizer, type) or not hasattr(optimizer, "compute_gradients"):
            raise ArgumentError(
                "optimizer is {!r}: give a tf.train.Optimizer, such as tf.train.AdamOptimizer(1e-3)".format(optimizer)
            )
        super().__init__(use_locking=False, name=name or "Distributed" + type(optimizer).__name__)
        if devices is not None and not isinstance(devices, (list, tuple)):
            raise ArgumentError("devices is {!r}: give a list with one device string per loss".format(devices))
        for device in devices or ():
            canonical(device)
        self.reduction = _reduction(
            reduction, op, compression, sparse_as_dense, backward_passes_per_step, average_aggregated_gradients
        )
        self.hooks: List[SessionRunHook] = []
        self._optimizer = optimizer
        self._devices = None if devices is None else list(devices)
        self._computed: List[_Computed] = []

    def compute_gradients(
        self,
        loss: Union[Tensor, Sequence[Tensor]],
        var_list: Optional[Sequence[Variable]] = None,
        gate_gradients: int = tf.train.Optimizer.GATE_OP,
        aggregation_method: Optional[int] = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Union[None, Tensor, Sequence[Tensor]] = None,
    ) -> GradientPairs:
        """Returns (gradient, variable) pairs: for each variable the reduced gradient of all towers.

        Args:
          loss: a list with one scalar tensor per tower; with one tower also the tensor itself.
          var_list: the variables; by default all trainable ones of the graph.
          gate_gradients, aggregation_method, colocate_gradients_with_ops: as in `tf.train.Optimizer`, for each tower.
          grad_loss: as in `tf.train.Optimizer`; a list with one tensor per tower where `loss` is a list.

        Raises:
          ArgumentError: there is no loss, one is not a tensor or is listed twice, or there are not as many devices or
            `grad_loss`.
          TowerError: the towers' gradients don't fit together; the message names variable and tower. Or `loss` is a
            single tensor, and the graph has another tower's loss too; pass [loss] if one tower is intended.
        """
        losses: List[Tensor] = list(loss) if isinstance(loss, (list, tuple)) else [loss]
        of_losses = list(grad_loss) if isinstance(grad_loss, (list, tuple)) else [grad_loss] * len(losses)
        check_losses(losses)
        devices = [each.device for each in losses] if self._devices is None else self._devices
        if not losses or not len(losses) == len(devices) == len(of_losses):
            raise ArgumentError(
                "{} losses for {} devices and {} grad_loss: give one per tower".format(
                    len(losses), len(devices), len(of_losses)
                )
            )
        variables = tf.trainable_variables() if var_list is None else tf.nest.flatten(var_list)
        if losses[0] is loss:
            check_only_loss(loss, variables)
        with tf.name_scope(self.get_name()) as scope:
            context = ReductionContext(
                devices, list(range(len(losses))), None, tf.train.get_global_step(), scope.rstrip("/")
            )
            prepared = prepare(self.reduction, context, variables)
            of_towers = []
            for index, (each, device, of_loss) in enumerate(zip(losses, devices, of_losses)):
                with tf.device(device or None), tf.name_scope(tower_scope(index)):
                    pairs = self._optimizer.compute_gradients(
                        prepared.scale_loss(each),
                        var_list=variables,
                        gate_gradients=gate_gradients,
                        aggregation_method=aggregation_method,
                        colocate_gradients_with_ops=colocate_gradients_with_ops,
                        grad_loss=of_loss,
                    )
                of_towers.append(pairs)
        reduced = prepared.reduce(of_towers)
        self.hooks += prepared.reduction.hooks(context)
        pairs = pairs_of(reduced)
        if reduced.apply_if is not None or reduced.unconditional_ops:
            self._computed.append(_Computed(tf.get_default_graph(), reduced, [each for each, _ in pairs]))
        return pairs

    def apply_gradients(
        self,
        grads_and_vars: Iterable[Tuple[Optional[Gradient], Variable]],
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Operation:
        """Returns the op by which the wrapped optimizer applies gradients, in the runs in which they are complete.

        Args:
          grads_and_vars: what `compute_gradients` returned, unchanged, clipped or otherwise changed.
          global_step: incremented by 1 in every run.
          name: of the op.

        Raises:
          TowerError: the gradients come from several calls of `compute_gradients`, each of which decides on its own
            whether a run applies them.
        """
        pairs = list(grads_and_vars)
        computed = self._source_of(pairs)
        if computed is None:
            return self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        rows = [GradientRow(str(variable.op.name), variable, [gradient]) for gradient, variable in pairs]
        applied = apply_reduced(self._optimizer, computed.reduced._replace(rows=rows), global_step)
        return applied if name is None else tf.group(applied, name=name)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a slot of the wrapped optimizer."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> List[str]:
        """Returns the names of the wrapped optimizer's slots."""
        return list(self._optimizer.get_slot_names(*args, **kwargs))

    def variables(self, *args: Any, **kwargs: Any) -> List[Any]:
        """Returns the variables of the wrapped optimizer."""
        return list(self._optimizer.variables(*args, **kwargs))

    def _source_of(self, pairs: GradientPairs) -> "Optional[_Computed]":
        """Returns the call of `compute_gradients` that these gradients come from, if its runs may apply nothing."""
        here = [each for each in self._computed if each.graph is tf.get_default_graph()]
        if not here:
            return None
        # Gradients that compute_gradients returned are the ends of the walk: their ancestors do not matter.
        ends = [gradient for each in here for gradient in each.gradients]
        needed = ancestors([gradient for gradient, _ in pairs], stop_at=ends)
        found = [each for each in here if not needed.isdisjoint(operations_of(each.gradients))]
        if len(found) > 1:
            raise TowerError(
                "the gradients to apply come from {} calls of compute_gradients, and with the reduction {!r} each call "
                "decides which runs apply its gradients: compute the gradients of all towers in one call, and apply "
                "those of each call separately".format(len(found), self.reduction)
            )
        return found[0] if found else None


class _Computed(NamedTuple):
    """The result of a `compute_gradients`, where not every run applies it or operations run in the same step."""

    graph: Graph
    reduced: TowerGradients
    gradients: List[Optional[Gradient]]


def _reduction(
    reduction: Union[None, str, ReductionLike],
    op: str,
    compression: Any,
    sparse_as_dense: bool,
    passes: int,
    average_passes: bool,
) -> Reduction:
    if op not in _OPS:
        raise ArgumentError("op is {!r}: allowed are {}".format(op, quoted(_OPS)))
    is_compressed = compression not in (None, Compression.none)
    if reduction is None:
        base: Reduction = mean() if op == "average" else sum()
        if is_compressed:
            base = compressed(base, _NARROW.get(compression, compression))
    elif is_compressed or op != "average":
        raise ArgumentError(
            "op and compression choose a reduction, and reduction={!r} is given too: use lt.gradients.sum(), .tree() "
            "or .compressed(...) in it instead".format(reduction)
        )
    else:
        base = reduction_from(reduction)
    members: List[ReductionLike] = [densify()] if sparse_as_dense else []
    members.append(base)
    if passes != 1:
        members.append(accumulate(passes))
        if not average_passes:
            members.append(scale(float(passes)))
    elif average_passes:
        raise ArgumentError("average_aggregated_gradients=True is for backward_passes_per_step of 2 or more")
    return chain(*members) if len(members) > 1 else base
