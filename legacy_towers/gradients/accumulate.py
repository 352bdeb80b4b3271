"""One update from the gradients of several steps."""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.gradients.each import changed, device_of, plus, values_of, with_values
from legacy_towers.gradients.shares import wide
from legacy_towers.gradients.stored import LOCAL, Stored, made_at, stored


class Accumulate(Reduction):
    """See `accumulate`."""

    def __init__(self, steps: int) -> None:
        if not isinstance(steps, int) or isinstance(steps, bool) or steps < 1:
            raise ArgumentError("accumulate(): steps is {!r}: allowed are integers from 1".format(steps))
        self.steps = steps

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        self._check_fit(gradients)
        if self.steps == 1:
            return gradients
        with tf.name_scope(gradients.site.scope + "/"):
            count = made_at(gradients.site.scope, "accumulated_steps", [], tf.int64, 0, LOCAL)
            before = count.read_value()
            counts = gradients.apply_if
            after = before + (1 if counts is None else tf.cast(counts, tf.int64))
            is_full = tf.greater_equal(after, self.steps)
            sums = _sums_of(changed(gradients, _widened))
            totals = _totals(sums, tf.equal(before, 0), counts)

            def mean(gradient: Any, row: GradientRow, position: int) -> Any:
                total = totals[row.name, position]
                quotient = values_of(total) / tf.constant(self.steps, total.dtype)
                return with_values(total, tf.cast(quotient, gradient.dtype))

            result = changed(gradients, mean)
            writes: List[Any] = []
            for each in sums:
                with tf.device(each.device):
                    writes += each.kept.write(totals[each.name, each.position])
            with tf.control_dependencies([before]):
                writes.append(tf.assign(count, tf.where(is_full, tf.zeros([], tf.int64), after)).op)
            # A step that does not count leaves the count below `steps`, so it is not full in one.
            return result._replace(apply_if=is_full, beside=result.beside + tuple(writes), of_earlier=repr(self))

    def _check_fit(self, gradients: TowerGradients) -> None:
        if self.steps > 1 and gradients.site.apart and gradients.apply_if is not None:
            raise ArgumentError(
                "{!r} stands behind a reduction that skips steps, but each tower applies gradients of its own: towers "
                "that skip different steps would not be ready in the same one. Leave out one of the two, or take a "
                "strategy whose towers' gradients are made one".format(self)
            )
        if self.steps > 1 and not gradients.reduced and gradients.site.shares_vary:
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

    In the other steps variables, slots and moving averages stay; the global step counts each one. (What it hands on
    then, and nobody applies, is the sum so far, divided by `steps`.) A step that a reduction in front of it skips, such
    as `dynamic_loss_scale()`, is neither added nor counted: the update waits for `steps` good ones.

    Behind `mean()` it keeps one sum per variable; with weights that is the mean over steps of each step's weighted
    mean: every step counts the same, however many examples it had. Before `mean()` it keeps one sum per tower, with the
    same result, but only where towers weigh the same in every step. Sums are in local variables beside the gradients;
    of sparse gradients all rows are kept as they came, never a dense sum. Those of 16 bits are added up in float32.

    A checkpoint drops the sums and their count: after a restore the next step is the first of `steps`.

    Args:
      steps: how many; with 1 every gradient passes as it is.

    Raises:
      ArgumentError: `steps` is no integer from 1; or, when it runs, it stands before the reducing member and the
        towers' weights are tensors, or behind what skips steps where each tower applies gradients of its own; or a
        gradient's shape is not known before the graph runs, and its variable's is not either.
    """
    return Accumulate(steps)


def _widened(gradient: Any, row: GradientRow, position: int) -> Any:
    return with_values(gradient, wide(values_of(gradient)))


class _Sum(NamedTuple):
    """One gradient of this step, and the sum that it is added to."""

    name: str
    position: int
    gradient: Any
    kept: Stored
    device: str


def _sums_of(gradients: TowerGradients) -> List[_Sum]:
    return [
        _Sum(
            row.name,
            position,
            gradient,
            stored(gradients, row, position, "accumulated"),
            device_of(gradients, row, position),
        )
        for row in gradients.rows
        for position, gradient in enumerate(row.gradients)
        if gradient is not None
    ]


def _totals(sums: Sequence[_Sum], is_first: Any, counts: Optional[Any]) -> Dict[Tuple[str, int], Any]:
    """Returns the sums after this step: the gradients alone in a first one, what was there where it doesn't count.

    Nothing is multiplied by 0 for that: 0 times an infinite number is NaN. All gradients share one condition, as each
    takes long to build.
    """

    def branch(make: Callable[[_Sum], List[Any]]) -> Callable[[], List[Any]]:
        def made() -> List[Any]:
            parts: List[Any] = []
            for each in sums:
                with tf.device(each.device):
                    parts += make(each)
            return parts

        return made

    def added() -> List[Any]:
        return _listed(tf.cond(is_first, branch(lambda each: _passed(each.gradient)), branch(_added)))

    if not sums:
        return {}
    if counts is None:
        parts = added()
    else:
        parts = _listed(tf.cond(counts, added, branch(lambda each: _passed(each.kept.before))))
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


def _passed(gradient: Any) -> List[Any]:
    return [tf.identity(part) for part in _parts(gradient)]


def _added(each: _Sum) -> List[Any]:
    return _parts(plus(each.kept.before, each.gradient))


def _parts(gradient: Any) -> List[Any]:
    return [gradient.values, gradient.indices] if isinstance(gradient, tf.IndexedSlices) else [gradient]


def _listed(result: Any) -> List[Any]:
    # tf.cond returns a list of one as that one.
    return list(result) if isinstance(result, (list, tuple)) else [result]
