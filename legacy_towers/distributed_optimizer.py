"""`DistributedOptimizer`, in the shape that Horovod gave it: any TF1 optimizer, over the gradients of all towers."""
import collections
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.devices import canonical
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.accumulate import accumulate
from legacy_towers.gradients.add_n import mean, sum
from legacy_towers.gradients.base import (
    GradientRow,
    Reduction,
    ReductionLike,
    Site,
    TowerGradients,
    as_reduction,
    pairs_of,
)
from legacy_towers.gradients.chain import chain
from legacy_towers.gradients.compacted import compacted
from legacy_towers.gradients.densify import densify
from legacy_towers.gradients.reduce import prepare
from legacy_towers.gradients.scale import scale
from legacy_towers.graph_walk import ancestors, descendants, operations_of
from legacy_towers.names import quoted, tower_scope
from legacy_towers.update.apply import apply_reduced

GradientPairs = List[Tuple[Optional[Any], Any]]


class Compression:
    """What gradients travel as, under Horovod's names: `lt.Compression.fp16`. See `lt.gradients.compacted`."""

    none = "none"
    fp16 = "fp16"
    bf16 = "bf16"


_NARROW = {Compression.fp16: "float16", Compression.bf16: "bfloat16"}
_OPS = ("average", "sum")


class DistributedOptimizer(tf.train.Optimizer):
    """Wraps an optimizer: gradients of one loss per tower are made one, and it applies them.

        losses = []
        for index, device in enumerate(devices):
            with tf.device(device), tf.variable_scope("model", reuse=index > 0, use_resource=True):
                losses.append(loss_of(next_batch()))
        optimizer = lt.DistributedOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), compression=lt.Compression.fp16)
        train_op = optimizer.minimize(losses, global_step=tf.train.get_or_create_global_step())

    For code that has `hvd.DistributedOptimizer(optimizer)`. There each process is a worker with one loss; here one
    process has all towers, so a list of losses stands where the one loss stood. Its slots, their names in checkpoints,
    its hyperparameters are those of the wrapped optimizer. Gradients can be clipped between `compute_gradients` and
    `apply_gradients`.

    Args:
      optimizer: a `tf.train.Optimizer`.
      name: of the operations and of what the reduction remembers; by default "Distributed" and the optimizer's class.
      reduction: how the towers' gradients meet, in place of `op` and `compression`; see `lt.gradients`.
      devices: one device string per loss; by default each loss's own device.
      op: "average" or "sum" of the towers' gradients.
      compression: `lt.Compression.fp16` or `.bf16`: gradients travel between devices in 16 bits per number.
      sparse_as_dense: whether gradients of embeddings are made dense before they are reduced.
      backward_passes_per_step: the gradients of that many runs make one update. In the runs between, variables and
        slots stay; the global step counts every run.
      average_aggregated_gradients: whether such an update takes the mean of these gradients; else, as with Horovod,
        their sum.

    Attributes:
      reduction: how the towers' gradients meet; print it.
      hooks: what must run beside the train op, for MonitoredTrainingSession; [] for most reductions. Complete once
        gradients have been computed.

    Raises:
      ArgumentError: an argument is out of range, or contradicts another; `optimizer` is no optimizer.
    """

    def __init__(
        self,
        optimizer: Any,
        name: Optional[str] = None,
        *,
        reduction: Optional[ReductionLike] = None,
        devices: Optional[Sequence[str]] = None,
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
        self.hooks: List[Any] = []
        self._optimizer = optimizer
        self._devices = None if devices is None else list(devices)
        self._computed: List[_Computed] = []

    def compute_gradients(
        self,
        loss: Any,
        var_list: Optional[Sequence[Any]] = None,
        gate_gradients: int = tf.train.Optimizer.GATE_OP,
        aggregation_method: Optional[int] = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Optional[Any] = None,
    ) -> GradientPairs:
        """Returns (gradient, variable) pairs: of each variable the gradients of all towers, made one.

        Args:
          loss: a list with one scalar tensor per tower; a single one where there is one tower.
          var_list: the variables; by default all trainable ones of the graph.
          gate_gradients, aggregation_method, colocate_gradients_with_ops: as in `tf.train.Optimizer`, for each tower.
          grad_loss: as there, a list with one tensor per tower where `loss` is a list.

        Raises:
          ArgumentError: there is no loss, one is no tensor or stands twice, or there are not as many devices or
            `grad_loss`.
          TowerError: the towers' gradients don't fit together; names variable and tower. Or `loss` is a single tensor,
            and the graph has another tower's loss beside it; say [loss] where one tower is meant.
        """
        losses = list(loss) if isinstance(loss, (list, tuple)) else [loss]
        of_losses = list(grad_loss) if isinstance(grad_loss, (list, tuple)) else [grad_loss] * len(losses)
        _check_losses(losses)
        devices = [each.device for each in losses] if self._devices is None else self._devices
        if not losses or not len(losses) == len(devices) == len(of_losses):
            raise ArgumentError(
                "{} losses for {} devices and {} grad_loss: give one per tower".format(
                    len(losses), len(devices), len(of_losses)
                )
            )
        variables = tf.trainable_variables() if var_list is None else tf.nest.flatten(var_list)
        if losses[0] is loss:
            _check_alone(loss, variables)
        with tf.name_scope(self.get_name()) as scope:
            site = Site(devices, list(range(len(losses))), None, tf.train.get_global_step(), scope.rstrip("/"))
            prepared = prepare(self.reduction, site, variables)
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
        self.hooks += prepared.reduction.hooks(site)
        pairs = pairs_of(reduced)
        if reduced.apply_if is not None or reduced.beside:
            self._computed.append(_Computed(tf.get_default_graph(), reduced, [each for each, _ in pairs]))
        return pairs

    def apply_gradients(
        self,
        grads_and_vars: Iterable[Tuple[Optional[Any], Any]],
        global_step: Optional[Any] = None,
        name: Optional[str] = None,
    ) -> Any:
        """Returns the op by which the wrapped optimizer applies gradients, in the runs in which they are complete.

        Args:
          grads_and_vars: what `compute_gradients` returned, clipped or otherwise changed or not.
          global_step: incremented by 1 in every run.
          name: of the op.

        Raises:
          TowerError: the gradients come from several calls of `compute_gradients`, of which each would decide on its
            own whether a run applies them.
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
        """Returns the computation with conditions that these gradients come from, None if from none."""
        here = [each for each in self._computed if each.graph is tf.get_default_graph()]
        if not here:
            return None
        # What a gradient was computed of lies behind what compute_gradients returned: no need to walk further.
        ends = [gradient for each in here for gradient in each.gradients]
        needed = ancestors([gradient for gradient, _ in pairs], stop_at=ends)
        found = [each for each in here if not needed.isdisjoint(operations_of(each.gradients))]
        if len(found) > 1:
            raise TowerError(
                "the gradients to apply come from {} calls of compute_gradients, and with the reduction {!r} each of "
                "them decides which runs apply its gradients: compute the gradients of all towers in one call, and "
                "apply those of each call by themselves".format(len(found), self.reduction)
            )
        return found[0] if found else None


class _Computed(NamedTuple):
    """What `compute_gradients` made in a graph, where not every run applies it or something runs beside."""

    graph: Any
    reduced: TowerGradients
    gradients: List[Optional[Any]]


def _check_losses(losses: Sequence[Any]) -> None:
    for index, each in enumerate(losses):
        if not tf.is_tensor(each):
            raise ArgumentError("the loss of tower {} is {!r}: give a scalar tensor per tower".format(index, each))
        for other in range(index):
            if losses[other] is each:
                raise ArgumentError(
                    "towers {} and {} have the same loss, {!r}: give each tower's own, of its own batch".format(
                        other, index, each.name
                    )
                )


def _check_alone(loss: Any, variables: Sequence[Any]) -> None:
    """Raises TowerError if the graph has another loss like this one, of the same variables: another tower's."""
    ours = ancestors([loss])
    used = ours & {variable.op for variable in variables}
    alike = collections.Counter(operation.type for operation in ours)
    for operation in descendants(used) - ours:
        kinds = [(each.dtype, each.shape.ndims) for each in operation.outputs]
        if operation.type != loss.op.type or kinds != [(loss.dtype, loss.shape.ndims)]:
            continue
        theirs = ancestors([operation])
        # What is computed of this loss, such as its moving average, is no other one.
        if loss.op in theirs or not used <= theirs:
            continue
        if operation.device != loss.device or collections.Counter(each.type for each in theirs) == alike:
            raise TowerError(
                "the loss is {!r} alone, but {!r} looks like the loss of another tower, of the same variables: give a "
                "list with every tower's loss, or [loss] where this tower is to train alone".format(
                    loss.name, operation.outputs[0].name
                )
            )


def _reduction(
    reduction: Optional[ReductionLike],
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
        made: Reduction = mean() if op == "average" else sum()
        if is_compressed:
            made = compacted(made, _NARROW.get(compression, compression))
    elif is_compressed or op != "average":
        raise ArgumentError(
            "op and compression say what the reduction is, and reduction={!r} is given too: use "
            "lt.gradients.sum(), .tree() or .compacted(...) in it instead".format(reduction)
        )
    else:
        made = as_reduction(reduction)
    parts: List[ReductionLike] = [densify()] if sparse_as_dense else []
    parts.append(made)
    if passes != 1:
        parts.append(accumulate(passes))
        if not average_passes:
            parts.append(scale(float(passes)))
    elif average_passes:
        raise ArgumentError("average_aggregated_gradients=True is for backward_passes_per_step of 2 or more")
    return chain(*parts) if len(parts) > 1 else made
