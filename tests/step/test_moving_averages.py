"""Moving averages of variables under every strategy and where steps apply nothing, against numpy."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf

TOWERS, STEPS = 3, 7
RATE, DECAY = 0.125, 0.5
SLOPES = np.random.RandomState(0).normal(size=[STEPS, TOWERS, 2])


class Reference:
    """The values of each tower's w, of the plain-named w, and of its average, step by step."""

    def __init__(self):
        self.own = np.tile([1.0, -2.0], [TOWERS, 1])
        self.plain = self.own[0].copy()
        self.average = self.plain.copy()
        self.waiting = []

    def follow(self, step):
        bounded = min(DECAY, (1.0 + step) / (10.0 + step))
        self.average = bounded * self.average + (1 - bounded) * self.plain


def every_step(reference, step, slopes):
    reference.plain = reference.plain - RATE * slopes.mean(0)
    reference.follow(step)


def every_second(reference, step, slopes):
    reference.waiting.append(slopes.mean(0))
    if len(reference.waiting) == 2:
        reference.plain = reference.plain - RATE * np.mean(reference.waiting, 0)
        reference.waiting = []
        reference.follow(step)


def local_sgd(reference, step, slopes):
    # The moving average uses the value after the towers' last synchronization, in this step or an earlier one.
    reference.own = reference.own - RATE * slopes
    if step % 2 == 0:
        reference.plain = reference.own.mean(0)
        reference.own = np.tile(reference.plain, [TOWERS, 1])
    reference.follow(step)


def independent_every_second(reference, step, slopes):
    reference.waiting.append(slopes)
    if len(reference.waiting) == 2:
        reference.own = reference.own - RATE * np.mean(reference.waiting, 0)
        reference.waiting = []
    if step % 3 == 0:
        reference.plain = reference.own.mean(0)
        reference.own = np.tile(reference.plain, [TOWERS, 1])
    if not reference.waiting:
        reference.follow(step)


SECOND = lt.gradients.chain(lt.gradients.mean(), lt.gradients.accumulate(2))


@pytest.mark.parametrize(
    "variables, reduction, expected",
    [
        (lt.variables.ParameterServer("/cpu:1"), None, every_step),
        (lt.variables.ParameterServer(), SECOND, every_second),
        (lt.variables.Replicated(), None, every_step),
        (lt.variables.Replicated(), SECOND, every_second),
        (lt.variables.LocalSGD(sync_every=1), None, every_step),
        (lt.variables.LocalSGD(sync_every=2), None, local_sgd),
        (lt.variables.LocalSGD(sync_every=3), SECOND, independent_every_second),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_the_average_follows_the_plain_named_variable(variables, reduction, expected):
    slopes = [tf.placeholder(tf.float64, [2]) for _ in range(TOWERS)]

    def model_fn(batch, mode):
        w = tf.get_variable("w", [2], tf.float64, tf.constant_initializer([1.0, -2.0]))
        return lt.TowerOutput(loss=tf.reduce_sum(w * batch))

    step = lt.build_train_step(
        model_fn, lt.inputs.from_tensors(slopes), tf.train.GradientDescentOptimizer(RATE), lt.devices.cpus(TOWERS),
        variables, reduction, moving_average_decay=DECAY,
    )
    (w,) = tf.trainable_variables()
    average = step.moving_averages.average(w)
    assert [v.op.name for v in tf.global_variables()] == ["global_step", "w", "w/ExponentialMovingAverage"]
    reference = Reference()
    config = lt.session_config(logical_cpus=TOWERS)
    with tf.Session(config=config) as session, step.running(session) as run:
        for number, values in enumerate(SLOPES, 1):
            run(feed_dict=dict(zip(slopes, values)))
            expected(reference, number, values)
            found = session.run([w, average, step.global_step])
            np.testing.assert_allclose(found[0], reference.plain, rtol=1e-12)
            np.testing.assert_allclose(found[1], reference.average, rtol=1e-6)
            assert found[2] == number
