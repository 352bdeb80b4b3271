"""Each schedule against a computation of its own in numpy, step by step."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.schedules.named import MAKERS
from legacy_towers.specs.schedules import GRAMMAR

STEPS = np.arange(60)


def rates_of(spec, towers=1):
    """Returns the rate of each of STEPS by a spec."""
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.placeholder(tf.int64, [])
        rate = lt.schedules.make_schedule(spec, step, towers)
        assert rate.dtype == tf.float32 and rate.shape == []
        return np.array([session.run(rate, {step: each}) for each in STEPS])


def warmed(rates, warmup, start=0.0, rate=0.4):
    return [start + (rate - start) * (n + 1) / warmup if n < warmup else rates(n) for n in STEPS]


def half_cosine(share):
    return 0.5 * (1 + np.cos(np.pi * min(share, 1.0)))


def restarted(n, first, factor, decay):
    """Returns the rate by going through the periods."""
    length, rate = first, 0.4
    while n >= length:
        n, length, rate = n - length, length * factor, rate * decay
    return 0.1 + (rate - 0.1) * half_cosine(n / length)


CASES = {
    "constant:0.4": lambda n: 0.4,
    "piecewise:0.4,0.3@7,0.05@20": lambda n: 0.4 if n < 7 else 0.3 if n < 20 else 0.05,
    "step:0.4,decay=0.5,every=10": lambda n: 0.4 * 0.5 ** (n // 10),
    "exponential:0.4,decay=0.5,every=10": lambda n: 0.4 * 0.5 ** (n / 10),
    "polynomial:0.4,steps=40,end=0.1,power=2": lambda n: 0.1 + 0.3 * (1 - min(n, 40) / 40) ** 2,
    "polynomial:0.4,steps=40": lambda n: 0.4 * (1 - min(n, 40) / 40),
    "cosine:0.4,steps=40,end=0.1": lambda n: 0.1 + 0.3 * half_cosine(n / 40),
    "cosine_restarts:0.4,steps=9,end=0.1,decay=0.8": lambda n: restarted(n, 9, 1, 0.8),
    "cosine_restarts:0.4,steps=3,end=0.1,factor=3": lambda n: restarted(n, 3, 3, 1),
}


@pytest.mark.parametrize("spec", sorted(CASES))
def test_each_schedule_is_that_of_numpy_with_and_without_warm_up(spec):
    np.testing.assert_allclose(rates_of(spec), [CASES[spec](n) for n in STEPS], rtol=1e-6, atol=1e-9)
    if "@" in spec:  # its boundaries are global steps
        later = warmed(CASES[spec], 5, 0.1)
    else:
        moved = spec.replace("steps=40", "steps=45").replace("steps=9", "steps=14").replace("steps=3", "steps=8")
        later, spec = warmed(lambda n: CASES[spec](n - 5), 5, 0.1), moved
    np.testing.assert_allclose(rates_of(spec + ",warmup=5,warmup_from=0.1"), later, rtol=1e-6, atol=1e-9)


def test_inverse_sqrt_is_the_schedule_of_the_transformer():
    size, warmup = 64, 16
    noam = [size**-0.5 * min(n**-0.5, n * warmup**-1.5) for n in STEPS + 1]
    peak = (size * warmup) ** -0.5
    np.testing.assert_allclose(rates_of("inverse_sqrt:{!r},warmup=16".format(peak)), noam, rtol=1e-6)


def test_steps_beyond_the_odd_numbers_of_float32_are_exact():
    with tf.Graph().as_default(), tf.Session() as session:
        rate = lt.schedules.step_decay(tf.constant(2**24 + 1, tf.int64), 0.4, decay=0.5, every=2**24 + 1)
        assert session.run(rate) == np.float32(0.2)


def test_scale_multiplies_the_rates_by_the_towers_and_leaves_the_start_of_the_warm_up():
    spec = "cosine:0.1,steps=40,end=0.025,warmup=4,warmup_from=0.1"
    scaled = rates_of(spec + ",scale=towers", towers=4)
    np.testing.assert_allclose(scaled[:4], [0.175, 0.25, 0.325, 0.4], rtol=1e-6)
    np.testing.assert_allclose(scaled[4:], 4 * rates_of(spec, towers=4)[4:], rtol=1e-6)
    piecewise = rates_of("piecewise:0.1,0.01@7,scale=towers", towers=3)
    np.testing.assert_allclose(piecewise[[6, 7]], [0.3, 0.03], rtol=1e-6)


def test_each_name_has_a_function():
    assert set(MAKERS) == set(GRAMMAR.terms)


@pytest.mark.parametrize("call, message", [
    (lambda step: lt.schedules.constant(step, -1), "the rate of constant is -1: a number of at least 0 is needed"),
    (lambda step: lt.schedules.cosine(step, 0.1, steps=5, warmup=5),
     "steps of cosine is 5, and its warm-up takes 5: more steps are needed"),
    (lambda step: lt.schedules.step_decay(step, 0.1, decay=0, every=5),
     "the decay of step_decay is 0: a number above 0 is needed"),
    (lambda step: lt.schedules.exponential(step, 0.1, decay=0.5, every=0.5),
     "every of exponential is 0.5: a whole number of at least 1 is needed"),
    (lambda step: lt.schedules.piecewise(step, [0.1], [5]),
     "piecewise needs rising boundaries and one rate more, got rates=[0.1] and boundaries=[5]"),
    (lambda step: lt.schedules.cosine_restarts(step, 0.1, steps=5, factor=0.5),
     "the factor of cosine_restarts is 0.5: at least 1 is needed"),
])
def test_arguments_out_of_range_are_named(call, message):
    with tf.Graph().as_default(), pytest.raises(ArgumentError) as caught:
        call(tf.constant(0))
    assert str(caught.value) == message
