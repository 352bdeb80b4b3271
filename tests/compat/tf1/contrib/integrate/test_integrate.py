"""tf.contrib.integrate has the numbers of TensorFlow 1.15, and equals a closed-form solution."""
import numpy as np
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib.integrate_cases import CASES

from legacy_towers.compat import tf
from legacy_towers.compat.tf1.contrib.integrate import odeint, odeint_fixed


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_matches_tensorflow_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_integrate", name), 2e-5, 2e-6) == []


@pytest.mark.parametrize(
    "solve, bound",
    [
        (odeint, 1e-5),
        (lambda *arguments: odeint_fixed(*arguments, dt=0.05), 1e-5),
        (lambda *arguments: odeint_fixed(*arguments, dt=0.01, method="midpoint"), 1e-3),
    ],
    ids=["odeint", "rk4", "midpoint"],
)
def test_solution_equals_the_closed_form(solve, bound):
    times = np.array([0.0, 0.5, 1.5, 2.0])
    solution = solve(lambda y, t: y * tf.cast(t, tf.float64), tf.constant([1.0, 3.0], tf.float64), times)
    with tf.Session() as session:
        found = session.run(solution)
    np.testing.assert_allclose(found, np.exp(times**2 / 2)[:, None] * [1.0, 3.0], rtol=bound)


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda: odeint(tf.negative, 1.0, [0, 1.0], method="euler"), ValueError, "invalid method: 'euler'"),
        (lambda: odeint(tf.negative, 1.0, [0, 1.0], options={"safety": 1.0}), ValueError, "without specifying"),
        (lambda: odeint(tf.negative, 1, [0, 1.0]), TypeError, "`y0` must have"),
        (lambda: odeint(tf.negative, 1.0, tf.constant([0, 1])), TypeError, "`t` must have"),
        (lambda: odeint_fixed(tf.negative, 1.0, [0, 1.0], method="euler"), ValueError, "method not supported: euler"),
        (lambda: odeint_fixed(tf.negative, 1.0, [[0, 1.0]], dt=1.0), ValueError, "1D tensor"),
    ],
)
def test_invalid_arguments_raise(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_decreasing_times_raise():
    solution = odeint(lambda y, t: -y, 1.0, [0.0, 2.0, 1.0])
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="monotonic increasing"):
        session.run(solution)
