"""The fastest candidate is found by measuring: with planted sleeps, and without."""
import time

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.choose import Candidate, Choice, MeasuredCandidate
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.base import Reduction

DEVICES = lt.devices.cpus(2)
# What is measured must be the planted sleeps, not what runs beside.
MEASURES = pytest.mark.alone
ROWS = np.random.RandomState(0).normal(size=[8, 4])


class Slow(Reduction):
    """The mean, and a sleep of so many seconds in each step."""

    def __init__(self, seconds):
        self._seconds = seconds

    def update(self, gradients, state):
        reduced = lt.gradients.mean().update(gradients, state)

        def sleep():
            time.sleep(self._seconds)
            return np.int64(0)

        return reduced._replace(beside=reduced.beside + (tf.py_func(sleep, [], tf.int64, stateful=True),))

    def __repr__(self):
        return "slow({:g})".format(self._seconds)


def model_fn(batch, mode):
    weights = tf.get_variable("w", [4], tf.float64, initializer=tf.zeros_initializer())
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.reduce_sum(batch * weights, axis=1) - 1)))


def build(variables, reduction):
    inputs = lt.inputs.from_tensors(per_tower=[tf.constant(ROWS[:4]), tf.constant(ROWS[4:])])
    return lt.build_train_step(
        model_fn, inputs, tf.train.GradientDescentOptimizer(0.1), DEVICES, variables=variables, reduction=reduction
    )


def planted(*seconds):
    return [Candidate(lt.variables.ParameterServer(), Slow(each)) for each in seconds]


@MEASURES
def test_the_planted_winner_is_taken():
    candidates = planted(0.03, 0.005, 0.02)
    said = []
    choice = lt.choose_strategy(build, candidates, seconds=2, say=said.append)
    assert Candidate(choice.variables, choice.reduction) == candidates[1]
    assert [each.candidate for each in choice.measured] == candidates
    for each, sleep in zip(choice.measured, (0.03, 0.005, 0.02)):
        assert each.step_seconds >= sleep and each.problem is None
    assert choice.measured[1].ratio == (1.0, 1.0, 1.0) and choice.measured[0].ratio.high < 1
    assert said[0] == "building ParameterServer('/cpu:0'), slow(0.03)" and "measuring 3 candidates" in said[-1]
    assert "taken" in str(choice) and "slow(0.005)" in str(choice)


@MEASURES
def test_one_that_is_surely_slower_leaves_early():
    choice = lt.choose_strategy(build, planted(0.001, 0.1), seconds=30)
    fast, slow = choice.measured
    assert fast.rounds == slow.rounds == 5 and choice.seconds < 30


@MEASURES
def test_steps_that_take_long_end_in_time():
    """Six candidates take 0.2 s a step and more: two of them fit into 0.3 s, and the others say so."""
    choice = lt.choose_strategy(build, planted(0.25, 0.2, 0.2, 0.2, 0.2, 0.2), seconds=0.3)
    problems = [each.problem for each in choice.measured]
    assert problems[0] is None and problems[-1] == "not measured: time was up"
    assert choice.measured[0].step_seconds >= 0.2 and "not measured: time was up" in str(choice)


class Failing(Slow):
    """The mean, and an error in the step of this number."""

    def update(self, gradients, state):
        reduced = lt.gradients.mean().update(gradients, state)
        until = tf.Assert(tf.less(gradients.site.global_step.read_value(), int(self._seconds)), ["out of luck"])
        return reduced._replace(beside=reduced.beside + (until,))

    def __repr__(self):
        return "failing({:g})".format(self._seconds)


@pytest.mark.parametrize("step", [0, 8], ids=["at once", "later"])
def test_a_candidate_that_fails_in_its_run_says_why(step):
    candidates = [Candidate(lt.variables.ParameterServer(), Failing(step))] + planted(0.001)
    choice = lt.choose_strategy(build, candidates, seconds=60)  # it ends as soon as one is left
    assert choice.reduction is candidates[1].reduction and choice.measured[1].rounds
    problem = choice.measured[0].problem
    assert problem.startswith("InvalidArgumentError: ") and "out of luck" in problem and problem in str(choice)


def test_where_all_fail_the_first_ones_error_is_raised():
    candidates = [Candidate(lt.variables.ParameterServer(), Failing(step)) for step in (0, 8)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of luck"):
        lt.choose_strategy(build, candidates, seconds=60)


def test_all_sessions_are_closed_though_closing_one_fails():
    closed = []

    class Closing(tf.train.SessionRunHook):
        def end(self, session):
            closed.append(session)
            raise ValueError("the hook does not end")

    def with_hook(variables, reduction):
        step = build(variables, reduction)
        step.hooks.append(Closing())
        return step

    with pytest.raises(ValueError, match="does not end"):
        lt.choose_strategy(with_hook, planted(0.0, 0.0, 0.0), seconds=0.1)
    assert len(closed) == 3


def test_turns_of_parts_are_whole_rounds_of_them():
    steps = []

    class Counting(tf.train.SessionRunHook):
        def end(self, session):
            steps.append(session.run(tf.train.get_global_step(session.graph)))

    def in_turns(variables, reduction):
        def two(batch, mode):
            losses = {}
            for name in ("one", "two"):
                with tf.variable_scope(name):
                    losses[name] = model_fn(batch, mode).loss
            return lt.TowerOutput(loss=losses)

        inputs = lt.inputs.from_tensors(per_tower=[tf.constant(ROWS[:4]), tf.constant(ROWS[4:])])
        parts = [
            lt.Part(name, tf.train.GradientDescentOptimizer(0.1), name, steps)
            for name, steps in (("one", 4), ("two", 3))
        ]
        step = lt.build_train_step(two, inputs, parts, DEVICES, variables=variables, reduction=reduction)
        step.hooks.append(Counting())
        return step

    lt.choose_strategy(in_turns, planted(0.0, 0.002), seconds=0.3)
    assert len(steps) == 2 and any(steps) and all(step % 7 == 0 for step in steps)


def test_real_candidates_compute_the_same():
    candidates = lt.default_candidates(DEVICES)
    assert len(candidates) >= 4
    choice = lt.choose_strategy(build, candidates, seconds=0.5)
    # Where the machine is busy, time is up before some of them took a step.
    assert all(each.problem in (None, "not measured: time was up") for each in choice.measured)
    step = build(choice.variables, choice.reduction)
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session, step.running(session) as run:
        run()
        (weights,) = [variable for variable in tf.trainable_variables()]
        expected = 0.1 * 2 * ROWS.mean(axis=0)
        np.testing.assert_allclose(session.run(weights), expected, rtol=1e-6)


def test_candidates_for_gpus_have_nccl():
    assert any("nccl" in str(each) for each in lt.default_candidates(["/gpu:0", "/gpu:1"]))
    assert not any("nccl" in str(each) for each in lt.default_candidates(["/gpu:0", "/gpu:0"]))
    assert not any("nccl" in str(each) for each in lt.default_candidates(DEVICES))


def test_a_candidate_that_can_not_be_built_says_why():
    candidates = [Candidate(lt.variables.ParameterServer(), lt.gradients.nccl())] + planted(0.001)
    choice = lt.choose_strategy(build, candidates, seconds=0.5)
    assert choice.measured[0].problem is not None and choice.measured[0].step_seconds is None
    assert choice.reduction is candidates[1].reduction
    assert choice.measured[0].problem in str(choice)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: lt.choose_strategy(build, []), ArgumentError, "candidates is empty"),
        (lambda: lt.choose_strategy(build, "replicated"), ArgumentError, "candidates has 'r': each is one of lt.Cand"),
        (lambda: lt.choose_strategy(build, ["replicated"]), ArgumentError, "has 'replicated': each is one of lt.Cand"),
        (
            lambda: lt.choose_strategy(build, [Candidate("replicated", lt.gradients.mean())]),
            ArgumentError, "variables is 'replicated': give a strategy",
        ),
        (
            lambda: lt.choose_strategy(build, [Candidate(lt.variables.Replicated(), "mean")]),
            ArgumentError, "'mean' is no reduction",
        ),
        (lambda: lt.choose_strategy(build, planted(0.0), seconds=0), ArgumentError, "seconds is 0"),
        (lambda: lt.choose_strategy(build, planted(0.0), seconds="3"), ArgumentError, "seconds is '3'"),
        (lambda: lt.choose_strategy(build, planted(0.0), float("nan")), ArgumentError, "seconds is nan"),
        (lambda: lt.choose_strategy(None, planted(0.0)), ArgumentError, "build is None: give a function"),
        (
            lambda: lt.choose_strategy(lambda variables, reduction: None, planted(0.5)),
            ArgumentError, r"build returned nothing for ParameterServer\('/cpu:0'\), slow\(0.5\): let it return",
        ),
        (lambda: lt.default_candidates([]), ArgumentError, r"devices is \[\]: give a list with one device string"),
        (lambda: lt.default_candidates("/cpu:0"), ArgumentError, "devices is '/cpu:0': give a list"),
        (
            lambda: lt.choose_strategy(build, [Candidate(lt.variables.ParameterServer(), lt.gradients.scale(2.0))]),
            ArgumentError, "leaves 2 towers' gradients apart",
        ),
        (lambda: lt.choose_strategy(with_an_end, planted(0.0), seconds=5), ArgumentError, "the input ended while"),
    ],
    ids=[
        "no candidates", "a name", "names", "the name of a strategy", "the name of a reduction", "no time", "a word",
        "NaN", "no build", "build returns nothing", "no devices", "one device", "none can be built", "the input ends",
    ],
)
def test_what_can_not_be_measured(call, error, message):
    with pytest.raises((error, TowerError), match=message):
        call()


def with_an_end(variables, reduction):
    examples = lt.Examples.from_arrays({"x": np.zeros([64, 4])})
    return lt.build_train_step(
        lambda batch, mode: model_fn(batch["x"], mode),
        lt.inputs.dataset(examples, per_tower_batch_size=4, epochs=1),
        tf.train.GradientDescentOptimizer(0.1),
        DEVICES,
        variables=variables,
        reduction=reduction,
    )


def test_it_prints_as_a_table():
    candidates = planted(0.25, 0.5)
    measured = [
        MeasuredCandidate(candidates[0], 0.0123, (1.0, 1.0, 1.0), 7),
        MeasuredCandidate(candidates[1], None, None, 0, "no GPU"),
    ]
    text = str(Choice(candidates[0].variables, candidates[0].reduction, measured, 3.4))
    assert "12.3" in text and "1.00 (1.00 to 1.00)" in text and "no GPU" in text
    assert text.endswith("measured on this machine in 3 s")
