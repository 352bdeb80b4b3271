"""Cases of tf.contrib.integrate.

To record again, on TensorFlow 1.15, from tests/:

    python -m tf1_cases.contrib.integrate_cases
"""
import sys

from tf1_cases import recorded_cases


def adaptive(tf):
    # In float64: step lengths depend on errors that are as small as the rounding of float32.
    rate = tf.cast(tf.get_variable("rate", initializer=0.7), tf.float64)
    start, times = tf.constant([1.0, 2.0], tf.float64), tf.constant([0.0, 0.3, 1.0, 2.5])
    decay, info = tf.contrib.integrate.odeint(lambda y, t: -rate * y, start, times, full_output=True)
    swing = tf.contrib.integrate.odeint(
        lambda y, t: tf.stack([y[1], -y[0] + 0.1 * tf.cast(t, tf.float64)]),
        tf.constant([0.0, 1.0], tf.float64),
        [0.0, 1.0, 3.0],
        method="dopri5",
        options={"first_step": 0.1, "safety": 0.8},
    )
    turn = tf.contrib.integrate.odeint(lambda y, t: 1j * y, tf.constant(1.0 + 0.5j), [0.0, 0.5, 2.0], rtol=1e-3)
    found = {"decay": decay, "swing": swing, "real": tf.real(turn), "imaginary": tf.imag(turn)}
    found["points"] = info["integrate_points"]
    found["evaluations"] = info["num_func_evals"]
    return found


def fixed(tf):
    rate = tf.get_variable("rate", initializer=0.7)
    start = tf.constant([[1.0], [2.0]])
    slope = lambda y, t: -rate * y + tf.cast(t, tf.float32)  # noqa: E731
    integrate = tf.contrib.integrate
    return {
        "rk4": integrate.odeint_fixed(slope, start, tf.constant([0.0, 0.3, 1.0])),
        "midpoint": integrate.odeint_fixed(slope, start, tf.constant([0.0, 0.3, 1.0]), method="midpoint"),
        "shorter": integrate.odeint_fixed(slope, start, tf.constant([0.0, 0.5, 1.0]), dt=tf.constant(0.2)),
        "each": integrate.odeint_fixed(slope, start, [0.0, 0.5, 1.0], dt=[0.5, 0.1], method="midpoint"),
    }


CASES = {"adaptive": adaptive, "fixed": fixed}


def main():
    recorded_cases.record("contrib_integrate", CASES)


if __name__ == "__main__":
    sys.exit(main())
