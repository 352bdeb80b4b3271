"""Gradients over the workers of a cluster: within each worker first, then by few all-reduces between them."""
from typing import Any, Dict, List, Sequence, Tuple

from legacy_towers.cluster.parameter_servers import ParameterServerWorkers, is_on_server
from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.devices import short_name
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.gradients.slices_over_workers import slices_over_workers

# An all-reduce takes about a millisecond, however small it is: gradients up to the first size are sent together, in
# messages up to the second.
_SMALL_BYTES = 256 * 1024
_MESSAGE_BYTES = 4 * 1024 * 1024


def updated(reduction: Reduction, gradients: TowerGradients, state: Any) -> TowerGradients:
    """Returns `reduction.update(gradients, state)`; over all workers, where it reduces the towers of one worker.

        worker 0: towers 0 1 -> reduction \\                / the result of 4 towers
                                           -> all-reduce ->
        worker 1: towers 2 3 -> reduction /                \\ the result of 4 towers

    A chain does so with its member that reduces: what comes after it gets the result of all workers, so that a global
    norm, for example, is that of all.

    Raises:
      TowerError: a gradient is sparse.
    """
    result = reduction.update(gradients, state)
    workers = gradients.context.workers
    if workers is None or gradients.reduced or not result.reduced or reduction.traits.passes_regularization:
        return result
    is_sum = reduction.traits.sums or gradients.context.tower_weights is not None
    if isinstance(workers, ParameterServerWorkers):
        return result._replace(rows=[_on_server(row, workers, is_sum, gradients.context.scope) for row in result.rows])
    return result._replace(rows=_over_workers(result.rows, workers, is_sum, gradients.context.scope))


def _on_server(row: GradientRow, workers: ParameterServerWorkers, is_sum: bool, scope: str) -> GradientRow:
    """Returns the row over all workers, summed on the variable's server, at the chief."""
    gradient = row.gradients[0]
    if gradient is None:
        return row
    device = row.device if is_on_server(row.device) else workers.host
    combined = workers.combined_gradient(gradient, is_sum, "{}/{}".format(scope, row.name), device)
    reduced_by = "{}, sum over {} workers on {}".format(row.reduced_by, workers.required, short_name(device))
    return row._replace(gradients=[combined], reduced_by=reduced_by)


def _over_workers(rows: Sequence[GradientRow], workers: Workers, is_sum: bool, scope: str) -> List[GradientRow]:
    """Returns the rows over all workers: large gradients one by one, small ones as parts of a longer tensor."""
    result = list(rows)
    sparse = [position for position, row in enumerate(rows) if isinstance(row.gradients[0], tf.IndexedSlices)]
    combined_slices = slices_over_workers([rows[position] for position in sparse], workers, is_sum, scope)
    for position, each in zip(sparse, combined_slices):
        reduced_by = "{}, rows gathered from {} workers".format(rows[position].reduced_by, workers.size)
        result[position] = rows[position]._replace(gradients=[each], reduced_by=reduced_by)
    for positions in _messages(rows):
        gradients = [rows[position].gradients[0] for position in positions]
        if len(positions) == 1:
            combined = [workers.combined(gradients[0], is_sum, "{}/{}".format(scope, rows[positions[0]].name))]
        else:
            with tf.device(workers.device):
                flat = tf.concat([tf.reshape(each, [-1]) for each in gradients], axis=0)
                name = "{}/{} and {} others".format(scope, rows[positions[0]].name, len(positions) - 1)
                sizes = [each.shape.num_elements() for each in gradients]
                parts = tf.split(workers.combined(flat, is_sum, name), sizes)
                combined = [tf.reshape(part, each.shape) for part, each in zip(parts, gradients)]
        for position, each in zip(positions, combined):
            reduced_by = "{}, all-reduce over {} workers".format(rows[position].reduced_by, workers.size)
            result[position] = rows[position]._replace(gradients=[each], reduced_by=reduced_by)
    return result


def _messages(rows: Sequence[GradientRow]) -> List[List[int]]:
    """Returns the positions of the rows that are sent together, from the last row to the first.

    Backpropagation yields the last ones first: these are sent while the others are computed. Sparse gradients are left
    out.
    """
    messages: List[List[int]] = []
    open_messages: Dict[Any, Tuple[List[int], int]] = {}  # dtype -> (the positions, their bytes)
    for position in reversed(range(len(rows))):
        gradient = rows[position].gradients[0]
        if gradient is None or isinstance(gradient, tf.IndexedSlices):
            continue
        size = gradient.shape.num_elements() * gradient.dtype.size if gradient.shape.is_fully_defined() else None
        if size is None or size > _SMALL_BYTES:
            messages.append([position])
            continue
        members, filled = open_messages.get(gradient.dtype, ([], _MESSAGE_BYTES))
        if filled + size > _MESSAGE_BYTES:
            members, filled = [], 0
            messages.append(members)
        members.append(position)
        open_messages[gradient.dtype] = (members, filled + size)
    return messages
