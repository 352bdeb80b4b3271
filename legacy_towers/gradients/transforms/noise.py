"""`add_noise`: Gaussian noise added to gradients."""
from typing import Any, Dict, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, Reduction, ReductionTraits, TowerGradients
from legacy_towers.gradients.transforms.each import add_gradients, check_scalar, map_gradients, values_of
from legacy_towers.tensor_types import Gradient, Tensor


class AddNoise(Reduction):
    """See `add_noise`."""

    traits = ReductionTraits(linear=False)

    def __init__(self, stddev: float, gamma: Optional[float], seed: Optional[int]) -> None:
        check_scalar(stddev, "stddev", "add_noise()", positive=True)
        if gamma is not None:
            check_scalar(gamma, "gamma", "add_noise()", positive=True)
        if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
            raise ArgumentError("add_noise(): seed is {!r}: it must be an integer or None".format(seed))
        self.stddev = stddev
        self.gamma = gamma
        self.seed = seed

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        with tf.name_scope(gradients.context.scope + "/"):
            stddev = self._stddev_now(gradients)
            numbers = {row.name: number for number, row in enumerate(gradients.rows)}
            noises: Dict[Tuple[str, int], Any] = {}
            workers = gradients.context.workers

            def add(gradient: Gradient, row: GradientRow, position: int) -> Tensor:
                # Copies of one result get the same noise: they must stay equal.
                source = 0 if gradients.reduced else position
                if (row.name, source) not in noises:
                    # By the tower's index: a tower that applies its own gradients is the only one in its context.
                    tower = gradients.context.towers[source]
                    if workers is not None and not gradients.reduced:
                        tower += workers.index * len(gradients.context.towers)
                    seed = None if self.seed is None else self.seed + tower * len(numbers) + numbers[row.name]
                    noises[row.name, source] = _noise_like(gradient, tf.cast(stddev, gradient.dtype), seed)
                return add_gradients(gradient, noises[row.name, source])

            return map_gradients(gradients, add)

    def _stddev_now(self, gradients: TowerGradients) -> Any:
        # In float64: a global step has more digits than float32 holds.
        stddev = tf.cast(self.stddev, tf.float64)
        if self.gamma is None:
            return stddev
        if gradients.context.global_step is None:
            raise ArgumentError(
                "{!r} needs the global step, by which the noise decays: pass global_step".format(self)
            )
        steps = tf.cast(gradients.context.global_step, tf.float64)
        return stddev * tf.pow(1.0 + steps, tf.cast(self.gamma, tf.float64) * -0.5)

    def __repr__(self) -> str:
        options = [("gamma", self.gamma), ("seed", self.seed)]
        given = ["{}={!r}".format(name, value) for name, value in options if value is not None]
        return "add_noise({})".format(", ".join([repr(self.stddev)] + given))


def add_noise(stddev: float, gamma: Optional[float] = None, seed: Optional[int] = None) -> AddNoise:
    """Returns the reduction that adds Gaussian noise of mean 0 to each element of every gradient.

    With `gamma` the noise decays: at global step t (0 in the first step) its variance is stddev^2 / (1 + t)^gamma. The
    paper uses gamma = 0.55 and a stddev^2 (its eta) of 0.01, 0.3 or 1.0.

    Before `mean()` each tower's gradients get their own noise, so that their mean over N towers has 1 / N of its
    variance; after it there is one noise. A sparse gradient gets noise on the rows that it has, on each index once (as
    additional rows: optimizers sum repeated indices); the rows that it does not have get none.

    Args:
      stddev: the standard deviation, a positive number or a scalar tensor.
      gamma: the rate of decay, a positive number or a scalar tensor, which needs the global step; None: no decay.
      seed: an integer makes the noise the same in each run of the program, with another sequence for each variable and
        tower; None: another noise in each run.

    Raises:
      ArgumentError: an argument is none of these; or, when it runs, `gamma` is given and there is no global step.

    Source of the method: Neelakantan et al. 2015, "Adding Gradient Noise Improves Learning for Very Deep Networks".
    """
    return AddNoise(stddev, gamma, seed)


def _noise_like(gradient: Gradient, stddev: Any, seed: Optional[int]) -> Any:
    if not isinstance(gradient, tf.IndexedSlices):
        return tf.random.normal(tf.shape(gradient), dtype=gradient.dtype, seed=seed) * stddev
    indices, _ = tf.unique(gradient.indices)
    shape = tf.concat([tf.shape(indices), tf.shape(values_of(gradient))[1:]], axis=0)
    noise = tf.random.normal(shape, dtype=gradient.dtype, seed=seed) * stddev
    return tf.IndexedSlices(noise, indices, gradient.dense_shape)
