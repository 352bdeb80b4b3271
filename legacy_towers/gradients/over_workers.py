"""Gradients over the workers of a cluster: within each worker first, then by few all-reduces between them."""
from typing import Any, List, Optional, Sequence

from legacy_towers.cluster.messages import FusedVector, reduce_fused
from legacy_towers.cluster.parameter_servers import ParameterServerWorkers, is_on_server
from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.devices import short_name
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.gradients.slices_over_workers import slices_over_workers
from legacy_towers.tensor_types import DType, Tensor


def updated(reduction: Reduction, gradients: TowerGradients, state: Any) -> TowerGradients:
    """Returns `reduction.update(gradients, state)`; over all workers, where it reduces the towers of one worker.

        worker 0: towers 0 1 -> reduction \\                / the result of 4 towers
                                           -> all-reduce ->
        worker 1: towers 2 3 -> reduction /                \\ the result of 4 towers

    A chain does so with its member that reduces: what comes after it gets the result of all workers, so that a global
    norm, for example, is that of all.
    """
    result = reduction.update(gradients, state)
    workers = gradients.context.workers
    if workers is None or gradients.reduced or not result.reduced or reduction.traits.passes_regularization:
        return result
    is_sum = reduction.traits.sums or gradients.context.tower_weights is not None
    if isinstance(workers, ParameterServerWorkers):
        return result._replace(rows=[_on_server(row, workers, is_sum, gradients.context.scope) for row in result.rows])
    name, context = reduction.traits.transfer_dtype, gradients.context
    rows = over_workers(
        result.rows, workers, is_sum, context.scope, name and tf.as_dtype(name), context.fused
    )
    return result._replace(rows=rows)


def _on_server(row: GradientRow, workers: ParameterServerWorkers, is_sum: bool, scope: str) -> GradientRow:
    """Returns the row over all workers, summed on the variable's server, at the chief."""
    gradient = row.gradients[0]
    if gradient is None:
        return row
    device = row.device if is_on_server(row.device) else workers.host
    combined = workers.combined_gradient(gradient, is_sum, "{}/{}".format(scope, row.name), device)
    reduced_by = "{}, sum over {} workers on {}".format(row.reduced_by, workers.required, short_name(device))
    return row._replace(gradients=[combined], reduced_by=reduced_by)


def over_workers(
    rows: Sequence[GradientRow],
    workers: Workers,
    is_sum: bool,
    scope: str,
    transfer_dtype: Optional[DType] = None,
    fused: Optional[FusedVector] = None,
) -> List[GradientRow]:
    """Returns rows of one gradient each over all workers: their sum, or their mean.

    Args:
      transfer_dtype: the dtype of 16 bits that dense gradients are sent in; None: their own.
      fused: what is summed in the same messages, if they are not compressed; None for nothing.
    """

    def combined(tensor: Tensor, name: str) -> Tensor:
        if transfer_dtype is None or not _is_compressed(tensor):
            return workers.combined(tensor, is_sum, name)
        return workers.combined_in_16_bits(transfer_dtype, tensor, is_sum, name)

    result = list(rows)
    sparse = [position for position, row in enumerate(rows) if isinstance(row.gradients[0], tf.IndexedSlices)]
    combined_slices = slices_over_workers([rows[position] for position in sparse], workers, is_sum, scope)
    for position, each in zip(sparse, combined_slices):
        reduced_by = "{}, rows gathered from {} workers".format(rows[position].reduced_by, workers.size)
        result[position] = rows[position]._replace(gradients=[each], reduced_by=reduced_by)
    dense = [position for position in range(len(rows)) if isinstance(rows[position].gradients[0], tf.Tensor)]
    tensors = [rows[position].gradients[0] for position in dense]
    names = ["{}/{}".format(scope, rows[position].name) for position in dense]
    if fused is not None and transfer_dtype is None:
        with tf.device(workers.device):
            # It is summed, also among gradients whose mean is taken.
            tensors.append(fused.tensor if is_sum else fused.tensor * workers.size)
        names.append("fused with {}".format(scope))
        *reduced, fused.total = reduce_fused(tensors, names, workers, combined)
    else:
        reduced = reduce_fused(tensors, names, workers, combined)
    for position, gradient in zip(dense, reduced):
        reduced_by = "{}, all-reduce over {} workers".format(rows[position].reduced_by, workers.size)
        if transfer_dtype is not None and _is_compressed(gradient):
            kind = "all-gather" if workers.gathers_16_bits else "all-reduce"
            reduced_by = "{}, {} over {} workers in {}".format(
                rows[position].reduced_by, kind, workers.size, transfer_dtype.name
            )
        result[position] = rows[position]._replace(gradients=[gradient], reduced_by=reduced_by)
    return result


def _is_compressed(tensor: Tensor) -> bool:
    return tensor.dtype in (tf.float32, tf.float64) and tensor.shape.is_fully_defined()
