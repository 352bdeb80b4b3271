"""choose_strategy: candidates whose steps sleep for a known time, and real candidates."""
import time

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.autotune.choose import Choice, MeasuredCandidate
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.base import Reduction
from legacy_towers.measure.candidate import Candidate

DEVICES = lt.devices.cpus(2)
# The tests measure the sleeps, so that nothing else may run at the same time.
MEASURES = pytest.mark.alone
ROWS = np.random.RandomState(0).normal(size=[8, 4])


class Slow(Reduction):
    """The mean, with a sleep of `seconds` in each step."""

    def __init__(self, seconds):
        self._seconds = seconds

    def update(self, gradients, state):
        reduced = lt.gradients.mean().update(gradients, state)

        def sleep():
            time.sleep(self._seconds)
            return np.int64(0)

        slept = tf.py_func(sleep, [], tf.int64, stateful=True)
        return reduced._replace(unconditional_ops=reduced.unconditional_ops + (slept,))

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


def sleeping(*seconds):
    return [Candidate(lt.variables.ParameterServer(), Slow(each)) for each in seconds]


@MEASURES
def test_choose_strategy_chooses_the_candidate_with_the_shortest_sleep():
    candidates = sleeping(0.03, 0.005, 0.02)
    lines = []
    choice = lt.choose_strategy(build, candidates, seconds=2, print_fn=lines.append)
    assert Candidate(choice.variables, choice.reduction) == candidates[1]
    assert [each.candidate for each in choice.measured] == candidates
    for each, sleep in zip(choice.measured, (0.03, 0.005, 0.02)):
        assert each.step_seconds >= sleep and each.problem is None
    assert choice.measured[1].ratio == (1.0, 1.0, 1.0) and choice.measured[0].ratio.high < 1
    assert lines[0] == "building ParameterServer('/cpu:0'), slow(0.03)" and "measuring 3 candidates" in lines[-1]
    assert "chosen" in str(choice) and "slow(0.005)" in str(choice)


@MEASURES
def test_a_candidate_that_is_slower_with_confidence_is_dropped_after_5_rounds():
    choice = lt.choose_strategy(build, sleeping(0.001, 0.1), seconds=30)
    fast, slow = choice.measured
    assert fast.rounds == slow.rounds == 5 and choice.seconds < 30


@MEASURES
def test_candidates_for_which_no_time_is_left_are_reported():
    """Six candidates take at least 0.2 s per step: two of them fit into 0.3 s."""
    choice = lt.choose_strategy(build, sleeping(0.25, 0.2, 0.2, 0.2, 0.2, 0.2), seconds=0.3)
    problems = [each.problem for each in choice.measured]
    assert problems[0] is None and problems[-1] == "not measured: no time was left"
    assert choice.measured[0].step_seconds >= 0.2 and "not measured: no time was left" in str(choice)


class Failing(Slow):
    """The mean; fails in the step with this number."""

    def update(self, gradients, state):
        reduced = lt.gradients.mean().update(gradients, state)
        until = tf.Assert(tf.less(gradients.context.global_step.read_value(), int(self._seconds)), ["out of luck"])
        return reduced._replace(unconditional_ops=reduced.unconditional_ops + (until,))

    def __repr__(self):
        return "failing({:g})".format(self._seconds)


@pytest.mark.parametrize("step", [0, 8], ids=["in the first step", "later"])
def test_a_candidate_that_fails_while_running_reports_the_error(step):
    candidates = [Candidate(lt.variables.ParameterServer(), Failing(step))] + sleeping(0.001)
    choice = lt.choose_strategy(build, candidates, seconds=60)  # ends as soon as one candidate is left
    assert choice.reduction is candidates[1].reduction and choice.measured[1].rounds
    problem = choice.measured[0].problem
    assert problem.startswith("InvalidArgumentError: ") and "out of luck" in problem and problem in str(choice)


def test_if_all_candidates_fail_the_error_of_the_first_one_is_raised():
    candidates = [Candidate(lt.variables.ParameterServer(), Failing(step)) for step in (0, 8)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of luck"):
        lt.choose_strategy(build, candidates, seconds=60)


def test_all_sessions_are_closed_even_if_closing_one_fails():
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
        lt.choose_strategy(with_hook, sleeping(0.0, 0.0, 0.0), seconds=0.1)
    assert len(closed) == 3


def test_turns_with_several_objectives_are_whole_rounds_of_their_schedule():
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
        objectives = [
            lt.Objective(name, tf.train.GradientDescentOptimizer(0.1), name, steps)
            for name, steps in (("one", 4), ("two", 3))
        ]
        step = lt.build_train_step(two, inputs, objectives, DEVICES, variables=variables, reduction=reduction)
        step.hooks.append(Counting())
        return step

    lt.choose_strategy(in_turns, sleeping(0.0, 0.002), seconds=0.3)
    assert len(steps) == 2 and any(steps) and all(step % 7 == 0 for step in steps)


def test_the_choice_among_default_candidates_computes_the_expected_update():
    candidates = lt.default_candidates(DEVICES)
    assert len(candidates) >= 4
    choice = lt.choose_strategy(build, candidates, seconds=0.5)
    # On a busy machine no time may be left for some of them.
    assert all(each.problem in (None, "not measured: no time was left") for each in choice.measured)
    step = build(choice.variables, choice.reduction)
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session, step.running(session) as run:
        run()
        (weights,) = [variable for variable in tf.trainable_variables()]
        expected = 0.1 * 2 * ROWS.mean(axis=0)
        np.testing.assert_allclose(session.run(weights), expected, rtol=1e-6)


def test_default_candidates_for_different_gpus_include_nccl():
    assert any("nccl" in str(each) for each in lt.default_candidates(["/gpu:0", "/gpu:1"]))
    assert not any("nccl" in str(each) for each in lt.default_candidates(["/gpu:0", "/gpu:0"]))
    assert not any("nccl" in str(each) for each in lt.default_candidates(DEVICES))


def test_a_candidate_that_can_not_be_built_reports_the_error():
    candidates = [Candidate(lt.variables.ParameterServer(), lt.gradients.nccl())] + sleeping(0.001)
    choice = lt.choose_strategy(build, candidates, seconds=0.5)
    assert choice.measured[0].problem is not None and choice.measured[0].step_seconds is None
    assert choice.reduction is candidates[1].reduction
    assert choice.measured[0].problem in str(choice)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: lt.choose_strategy(build, []), ArgumentError, "candidates is empty"),
        (lambda: lt.choose_strategy(build, "replicated"), ArgumentError, "candidates must be a list of lt.Cand"),
        (lambda: lt.choose_strategy(build, ["replicated"]), ArgumentError, "must contain lt.Candidate only, got 'repl"),
        (
            lambda: lt.choose_strategy(build, [Candidate("replicate", lt.gradients.mean())]),
            ArgumentError, "there is no strategy 'replicate'",
        ),
        (
            lambda: lt.choose_strategy(build, [Candidate(lt.variables.Replicated(), "means")]),
            ArgumentError, "the reduction of an lt.Candidate: there is no reduction 'means'",
        ),
        (lambda: lt.choose_strategy(build, sleeping(0.0), seconds=0), ArgumentError, "must be a number above 0, got 0"),
        (lambda: lt.choose_strategy(build, sleeping(0.0), seconds="3"), ArgumentError, "number above 0, got '3'"),
        (lambda: lt.choose_strategy(build, sleeping(0.0), seconds=True), ArgumentError, "number above 0, got True"),
        (lambda: lt.choose_strategy(build, sleeping(0.0), float("nan")), ArgumentError, "number above 0, got nan"),
        (lambda: lt.choose_strategy(None, sleeping(0.0)), ArgumentError, r"build must be a function .*, got None"),
        (
            lambda: lt.choose_strategy(lambda variables, reduction: None, sleeping(0.5)),
            ArgumentError, r"build returned None for ParameterServer\('/cpu:0'\), slow\(0.5\): it must return",
        ),
        (lambda: lt.default_candidates([]), ArgumentError, r"devices is \[\]: give a list with one device string"),
        (lambda: lt.default_candidates("/cpu:0"), ArgumentError, "devices is '/cpu:0': give a list"),
        (
            lambda: lt.choose_strategy(build, [Candidate(lt.variables.ParameterServer(), lt.gradients.scale(2.0))]),
            ArgumentError, "does not reduce the gradients of 2 towers to one",
        ),
        (
            lambda: lt.choose_strategy(build_with_finite_input, sleeping(0.0), seconds=5),
            ArgumentError, "the input ended while",
        ),
    ],
    ids=[
        "no candidates", "a name", "names", "the name of a strategy", "the name of a reduction", "0 s", "a string",
        "a bool", "NaN", "build is None", "build returns None", "no devices", "one device",
        "no candidate can be built", "the input ends",
    ],
)
def test_choose_strategy_rejects_invalid_arguments(call, error, message):
    with pytest.raises((error, TowerError), match=message):
        call()


def build_with_finite_input(variables, reduction):
    examples = lt.Examples.from_arrays({"x": np.zeros([64, 4])})
    return lt.build_train_step(
        lambda batch, mode: model_fn(batch["x"], mode),
        lt.inputs.dataset(examples, per_tower_batch_size=4, epochs=1),
        tf.train.GradientDescentOptimizer(0.1),
        DEVICES,
        variables=variables,
        reduction=reduction,
    )


def test_a_choice_prints_as_a_table():
    candidates = sleeping(0.25, 0.5)
    measured = [
        MeasuredCandidate(candidates[0], 0.0123, (1.0, 1.0, 1.0), 7),
        MeasuredCandidate(candidates[1], None, None, 0, "no GPU"),
    ]
    text = str(Choice(candidates[0].variables, candidates[0].reduction, measured, 3.4))
    assert "12.3" in text and "1.00 (1.00 to 1.00)" in text and "no GPU" in text
    assert text.endswith("measured on this machine in 3 s")
