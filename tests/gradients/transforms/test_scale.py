"""Gradients multiplied by a number or a tensor."""
import numpy as np
import pytest
from fed_towers import FedTowers, assert_same, descended, mean, random_steps, session

from legacy_towers import gradients as lt_gradients
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients import chain, reduce_gradients, scale


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("before", [True, False])
def test_all_gradients_are_multiplied(dtype, before):
    steps = random_steps(1, 2, 2, dtype)
    towers = FedTowers(2, dtype)
    order = (scale(-0.3), lt_gradients.mean()) if before else (lt_gradients.mean(), scale(-0.3))
    reduced = towers.reduce(chain(*order))
    assert isinstance(reduced.rows[1].gradients[0], tf.IndexedSlices)
    expected = [{name: -0.3 * value for name, value in mean(step).items()} for step in steps]
    assert_same(towers.trajectory(reduced, steps), descended(expected, dtype), 1e-12 if dtype is np.float64 else 1e-5)


def test_the_factor_may_be_a_tensor_of_another_dtype():
    steps = random_steps(2, 3, 2)
    towers = FedTowers(2)
    factor = tf.placeholder(tf.int32, [])
    reduced = towers.reduce(chain(lt_gradients.mean(), scale(factor)))
    expected = [{name: number * value for name, value in mean(step).items()} for number, step in enumerate(steps)]
    assert_same(towers.trajectory(reduced, steps, [{factor: number} for number in range(3)]), descended(expected))


@pytest.mark.parametrize("factor, value, expected", [(2.0**-26, 2.0**15, 2.0**-11), (2.0**17, 2.0**-10, 2.0**7)])
@pytest.mark.parametrize("as_tensor", [False, True])
def test_the_factor_is_not_rounded_to_16_bits(factor, value, expected, as_tensor):
    half = tf.get_variable("half", initializer=np.zeros(2, np.float16))
    factor = tf.placeholder_with_default(np.float32(factor), []) if as_tensor else factor
    gradient = tf.placeholder_with_default(np.float16([value, 0]), [2])
    reduced = reduce_gradients([[(gradient, half)]], scale(factor), ["/cpu:0"])
    with session() as running:
        assert running.run(reduced.rows[0].gradients[0]).tolist() == [expected, 0]


def test_an_infinite_factor_is_rejected():
    with pytest.raises(ArgumentError, match=r"scale\(\): factor is inf: it must be finite"):
        scale(float("inf"))


@pytest.mark.parametrize("factor", ["2", None, float("nan"), [1.0]])
def test_factors_that_are_not_numbers_are_rejected(factor):
    with pytest.raises(ArgumentError, match=r"scale\(\): factor is .*: it must be a number or a scalar tensor"):
        scale(factor)


def test_a_repr_is_the_call():
    assert repr(scale(0.5)) == "scale(0.5)"
