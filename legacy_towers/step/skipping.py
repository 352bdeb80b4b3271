"""`skip_nonfinite`: a step whose loss or gradients are NaN or infinite changes no variable but the global step."""
from typing import Dict, List, NamedTuple, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.transforms.each import positions
from legacy_towers.gradients.transforms.numerics import finite
from legacy_towers.step.objective_gradients import ObjectiveGradients
from legacy_towers.step.setup import Setup
from legacy_towers.tensor_types import Tensor


class Guarded(NamedTuple):
    """Gradients that are applied in steps that are finite.

    Attributes:
      gradients: of each objective.
      is_finite: name of an objective -> bool scalar tensor, whether its step is applied; {} where all are.
    """

    gradients: List[ObjectiveGradients]
    is_finite: Dict[str, Tensor]


def guarded(setup: Setup, gradients: Sequence[ObjectiveGradients]) -> Guarded:
    """Returns the gradients such that they are applied in steps that are finite, if the step asks for it.

    Checked are the losses over all towers, and the gradients as they are applied: one that is NaN in any tower is NaN
    in the mean. Where objectives are trained jointly, all of them are applied or none is.

    Raises:
      ArgumentError: towers train asynchronously.
    """
    if not setup.options.skip_nonfinite:
        return Guarded(list(gradients), {})
    if setup.strategy.updates == "asynchronous":
        raise ArgumentError(
            "skip_nonfinite with {!r}: each tower applies its updates in runs of its own, which nobody would count. "
            "Leave it out, or use another strategy".format(setup.strategy)
        )
    alternate = gradients[0].objective.steps is not None
    flags = {each.objective.name: _flags(each) for each in gradients}
    workers = setup.options.workers
    with tf.name_scope("skip_nonfinite"):
        if workers is not None and setup.strategy.updates == "own":
            # Each worker sees its own gradients alone.
            flags = {
                name: [workers.all_true(tf.reduce_all(tf.stack(flags[name])), "all finite: {}".format(name))]
                for name in flags
            }
        if alternate:
            is_finite = {name: tf.reduce_all(tf.stack(flags[name])) for name in flags}
        else:
            common = tf.reduce_all(tf.stack([flag for name in flags for flag in flags[name]]))
            is_finite = {name: common for name in flags}
    result = []
    for each in gradients:
        flag = is_finite[each.objective.name]
        reduced = [
            one._replace(apply_if=flag if one.apply_if is None else tf.logical_and(one.apply_if, flag))
            for one in each.reduced
        ]
        result.append(each._replace(reduced=reduced))
    return Guarded(result, is_finite)


def _flags(gradients: ObjectiveGradients) -> List[Tensor]:
    flags = [tf.math.is_finite(gradients.loss)]
    for reduced in gradients.reduced:
        found = [finite(reduced, row, position) for row in reduced.rows for position in positions(reduced)]
        flags += [flag for flag in found if flag is not None]
    return flags
