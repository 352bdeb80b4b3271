"""One update from the gradients of several steps."""
from typing import Any, Dict, List, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.gradients.each import changed, values_of, with_values
from legacy_towers.gradients.stored import LOCAL, Stored, made_at, stored


class Accumulate(Reduction):
    """See `accumulate`."""

    def __init__(self, steps: int) -> None:
        if not isinstance(steps, int) or isinstance(steps, bool) or steps < 1:
            raise ArgumentError("accumulate(): steps is {!r}: allowed are integers from 1".format(steps))
        self.steps = steps

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        self._check_weights(gradients)
        if self.steps == 1:
            return gradients
        with tf.name_scope(gradients.site.scope + "/"):
            count = made_at(gradients.site.scope, "accumulated_steps", [], tf.int64, 0, LOCAL)
            before = count.read_value()
            counts = tf.constant(True) if gradients.apply_if is None else gradients.apply_if
            after = before + tf.cast(counts, tf.int64)
            is_full = tf.greater_equal(after, self.steps)
            kept: Dict[Tuple[str, int], Tuple[Stored, Any]] = {}

            def add(gradient: Any, row: GradientRow, position: int) -> Any:
                place = stored(gradients, row, position, "accumulated")
                total = _total(gradient, place.before, tf.equal(before, 0), gradients.apply_if)
                kept[row.name, position] = place, total
                return with_values(total, values_of(total) / tf.constant(self.steps, gradient.dtype))

            result = changed(gradients, add)
            writes: List[Any] = []
            for place, total in kept.values():
                writes += place.write(total)
            with tf.control_dependencies([before]):
                writes.append(tf.assign(count, tf.where(is_full, tf.zeros([], tf.int64), after)).op)
            return result._replace(
                # A skipped step leaves the count below `steps`, so this holds no step that was skipped.
                apply_if=is_full,
                beside=result.beside + tuple(writes),
                of_earlier=repr(self),
            )

    def _check_weights(self, gradients: TowerGradients) -> None:
        shares = gradients.site.shares
        if self.steps > 1 and not gradients.reduced and shares is not None and any(map(tf.is_tensor, shares)):
            raise ArgumentError(
                "{!r} stands in front of the reduction that makes the towers' gradients one, but these weigh by the "
                "examples of each step: their sum over steps has no weight. Put it behind, as in chain(mean(), "
                "{!r})".format(self, self)
            )

    def __repr__(self) -> str:
        return "accumulate({!r})".format(self.steps)


def accumulate(steps: int) -> Accumulate:
    """Returns the reduction that gathers gradients over `steps` steps, and has their mean applied in every last one.

        step            1          2           3                      4
        gradient        a          b           c                      d
        accumulate(3)   -          -           (a + b + c) / 3        -

    In the other steps variables, slots and moving averages stay; the global step counts each one. A step that a
    reduction in front of it skips, such as `dynamic_loss_scale()`, is neither added nor counted: the update waits for
    `steps` good ones.

    Behind `mean()` it keeps one sum per variable; with weights that is the mean over steps of each step's weighted
    mean: every step counts the same, however many examples it had. Before `mean()` it keeps one sum per tower, with the
    same result, but only where towers weigh the same in every step. Sums are in local variables beside the gradients;
    of sparse gradients all rows are kept as they came, never a dense sum.

    A checkpoint drops the sums and their count: after a restore the next step is the first of `steps`.

    Args:
      steps: how many; with 1 every gradient passes as it is.

    Raises:
      ArgumentError: `steps` is no integer from 1; or, when it runs, it stands before the reducing member and the
        towers' weights are tensors.
    """
    return Accumulate(steps)


def _total(gradient: Any, before: Any, is_first: Any, counts: Any) -> Any:
    """Returns the sum after this step: the gradient alone in a first one, and what was there where it doesn't count.

    Nothing is multiplied by 0 for that: 0 times an infinite number is NaN.
    """
    if isinstance(gradient, tf.IndexedSlices):
        parts = _where(
            is_first,
            counts,
            [gradient.values, gradient.indices],
            [before.values, before.indices],
            lambda: [
                tf.concat([before.values, gradient.values], axis=0),
                tf.concat([before.indices, gradient.indices], axis=0),
            ],
        )
        parts[0].set_shape(before.values.shape)
        parts[1].set_shape([None])
        return tf.IndexedSlices(parts[0], parts[1], gradient.dense_shape)
    (total,) = _where(is_first, counts, [gradient], [before], lambda: [before + gradient])
    return total


def _where(is_first: Any, counts: Any, alone: List[Any], before: List[Any], both: Any) -> List[Any]:
    def added() -> List[Any]:
        return _listed(tf.cond(is_first, lambda: [tf.identity(each) for each in alone], both))

    if counts is None:
        return added()
    return _listed(tf.cond(counts, added, lambda: [tf.identity(each) for each in before]))


def _listed(result: Any) -> List[Any]:
    # tf.cond returns a list of one as that one.
    return list(result) if isinstance(result, (list, tuple)) else [result]
