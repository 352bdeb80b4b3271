"""`accumulate`: one update from the gradients of several steps."""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.gradients.state_variables import LOCAL, StoredGradient, new_variable, store_gradient
from legacy_towers.gradients.tower_weights import upcast
from legacy_towers.gradients.transforms.each import add_gradients, device_of, map_gradients, values_of, with_values
from legacy_towers.tensor_types import Gradient


class Accumulate(Reduction):
    """See `accumulate`."""

    def __init__(self, steps: int) -> None:
        if not isinstance(steps, int) or isinstance(steps, bool) or steps < 1:
            raise ArgumentError("accumulate(): steps is {!r}: it must be an integer of at least 1".format(steps))
        self.steps = steps

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        self._check_position(gradients)
        if self.steps == 1:
            return gradients
        with tf.name_scope(gradients.context.scope + "/"):
            count = new_variable(gradients.context.scope, "accumulated_steps", [], tf.int64, 0, LOCAL)
            before = count.read_value()
            is_counted = gradients.apply_if
            after = before + (1 if is_counted is None else tf.cast(is_counted, tf.int64))
            is_full = tf.greater_equal(after, self.steps)
            sums = _sums_of(map_gradients(gradients, _widened))
            totals = _totals(sums, tf.equal(before, 0), is_counted)

            def mean(gradient: Gradient, row: GradientRow, position: int) -> Any:
                total = totals[row.name, position]
                quotient = values_of(total) / tf.constant(self.steps, total.dtype)
                return with_values(total, tf.cast(quotient, gradient.dtype))

            result = map_gradients(gradients, mean)
            writes: List[Any] = []
            for each in sums:
                with tf.device(each.device):
                    writes += each.kept.write(totals[each.name, each.position])
            with tf.control_dependencies([before]):
                writes.append(tf.assign(count, tf.where(is_full, tf.zeros([], tf.int64), after)).op)
            # A step that does not count leaves the count below `steps`, so that `is_full` is false in it.
            return result._replace(
                apply_if=is_full,
                unconditional_ops=result.unconditional_ops + tuple(writes),
                delayed_by=repr(self),
            )

    def _check_position(self, gradients: TowerGradients) -> None:
        if self.steps > 1 and gradients.context.local_updates and gradients.apply_if is not None:
            raise ArgumentError(
                "{!r} comes after a reduction that skips steps, but each tower applies its own gradients: towers "
                "that skip different steps would not be ready in the same one. Leave out one of the two, or use a "
                "strategy that reduces the towers' gradients to one".format(self)
            )
        if self.steps > 1 and not gradients.reduced and gradients.context.weights_vary:
            raise ArgumentError(
                "{!r} comes before the reduction of the towers' gradients to one, but these are weighted by the "
                "examples of each step: their sum over steps has no weight. Put it after, as in chain(mean(), "
                "{!r})".format(self, self)
            )

    def __repr__(self) -> str:
        return "accumulate({!r})".format(self.steps)


def accumulate(steps: int) -> Accumulate:
    """Returns the reduction that sums gradients over `steps` steps, and applies their mean in every `steps`-th step.

        step            1          2           3                      4
        gradient        a          b           c                      d
        accumulate(3)   -          -           (a + b + c) / 3        -

    In the other steps variables, slots and moving averages are not changed; the global step counts every step. (The
    result in those steps, which is not applied, is the sum so far divided by `steps`.) A step that an earlier member of
    the chain skips, such as `dynamic_loss_scale()`, is neither added nor counted.

    After `mean()` there is one sum per variable; with weights the result is the mean over steps of each step's weighted
    mean: all steps count the same, however many examples they had. Before `mean()` there is one sum per tower, with the
    same result, but only where the towers' weights are the same in every step. Sums are local variables on the
    gradients' devices; sparse gradients are kept as rows, never as a dense sum. Sums of 16-bit gradients are float32.

    A checkpoint does not contain the sums and their count: after a restore the next step is the first of `steps`.

    Args:
      steps: an integer of at least 1; with 1 gradients are returned unchanged.

    Raises:
      ArgumentError: `steps` is not an integer of at least 1; or, when it runs, it comes before the reduction to one and
        the towers' weights are tensors; it comes after a member that skips steps and each tower applies its own
        gradients; or the shapes of a gradient and its variable are not known before the graph runs.

    Source: gradient accumulation, as in Horovod's `backward_passes_per_step`.
    """
    return Accumulate(steps)


def _widened(gradient: Gradient, row: GradientRow, position: int) -> Any:
    return with_values(gradient, upcast(values_of(gradient)))


class _Sum(NamedTuple):
    """One gradient of this step, and the sum that it is added to."""

    name: str
    position: int
    gradient: Any
    kept: StoredGradient
    device: str


def _sums_of(gradients: TowerGradients) -> List[_Sum]:
    return [
        _Sum(
            row.name,
            position,
            gradient,
            store_gradient(gradients, row, position, "accumulated"),
            device_of(gradients, row, position),
        )
        for row in gradients.rows
        for position, gradient in enumerate(row.gradients)
        if gradient is not None
    ]


def _totals(sums: Sequence[_Sum], is_first: Any, is_counted: Optional[Any]) -> Dict[Tuple[str, int], Any]:
    """Returns the sums after this step: of the gradient alone in a first step, unchanged in a step that does not count.

    It selects with `tf.cond` and does not multiply by 0: 0 times infinity is NaN. All gradients share one condition,
    since each takes long to build.
    """

    def branch(make: Callable[[_Sum], List[Any]]) -> Callable[[], List[Any]]:
        def build() -> List[Any]:
            parts: List[Any] = []
            for each in sums:
                with tf.device(each.device):
                    parts += make(each)
            return parts

        return build

    def added() -> List[Any]:
        return _listed(tf.cond(is_first, branch(lambda each: _identities(each.gradient)), branch(_added)))

    if not sums:
        return {}
    if is_counted is None:
        parts = added()
    else:
        parts = _listed(tf.cond(is_counted, added, branch(lambda each: _identities(each.kept.before))))
    totals = {}
    for each in sums:
        if isinstance(each.gradient, tf.IndexedSlices):
            rows, indices, parts = parts[0], parts[1], parts[2:]
            rows.set_shape(each.kept.before.values.shape)
            indices.set_shape([None])
            totals[each.name, each.position] = tf.IndexedSlices(rows, indices, each.gradient.dense_shape)
        else:
            totals[each.name, each.position], parts = parts[0], parts[1:]
    return totals


def _identities(gradient: Gradient) -> List[Any]:
    return [tf.identity(part) for part in _parts(gradient)]


def _added(each: _Sum) -> List[Any]:
    return _parts(add_gradients(each.kept.before, each.gradient))


def _parts(gradient: Gradient) -> List[Any]:
    return [gradient.values, gradient.indices] if isinstance(gradient, tf.IndexedSlices) else [gradient]


def _listed(result: Any) -> List[Any]:
    # tf.cond returns the only element of a list of one.
    return list(result) if isinstance(result, (list, tuple)) else [result]
