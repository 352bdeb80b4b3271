"""Fed steps of `step.running`: a callable runs them instead of `Session.run`, with the same results and errors."""
import nets
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf


def make_step(check=False):
    """Examples in batches of 4 on 2 towers. With `check`, the third step fails."""

    def model_fn(batch, mode):
        output = nets.model("dense")(batch["example"], mode)
        first = tf.identity(batch["id"][0], name="first")
        if not check:
            return output._replace(metrics={"first": tf.cast(first, tf.float32)})
        with tf.control_dependencies([tf.debugging.assert_less(first, np.int64(16), message="too far")]):
            return output._replace(loss=tf.identity(output.loss))

    examples = lt.Examples.from_arrays(nets.examples("dense", 32)).with_ids()
    source = lt.inputs.feed(examples, per_tower_batch_size=4, order="fixed")
    return lt.build_train_step(model_fn, source, tf.train.GradientDescentOptimizer(0.01), lt.devices.cpus(2))


class Counting(tf.Session):
    """Counts the calls of `run`, as a session of a script does: what runs a step must not bypass it."""

    runs = 0

    def run(self, *arguments, **keywords):
        self.runs += 1
        return super().run(*arguments, **keywords)


# All but the last three are fetched by a callable.
FETCHES = {
    "none": lambda step: None,
    "operation": lambda step: step.global_step.op,
    "tensor": lambda step: step.metrics["first"],
    "list": lambda step: [step.metrics["first"], step.train_op],
    "dict of tuples": lambda step: {"a": (step.metrics["first"], step.loss), "b": []},
    "what is fed": lambda step: [step.input.per_tower[1]["id"], step.metrics["first"]],
    "variable": lambda step: [step.metrics["first"], tf.trainable_variables()[0]],
    "name": lambda step: [step.metrics["first"].name],
}


def test_fed_steps_return_what_session_run_returns():
    """A session of a subclass gets `Session.run`, a tf.Session the callable where the fetches allow it."""
    seen = []
    for kind in (Counting, tf.Session):
        with tf.Graph().as_default():
            step = make_step()
            with kind(config=nets.config(2)) as session, step.running(session) as run:
                before = getattr(session, "runs", None)
                values = {name: run(make(step)) for name, make in FETCHES.items()}
                assert before is None or session.runs == before + len(FETCHES)
                assert session.run(step.global_step) == len(FETCHES)
                assert run() is None
                seen.append(values)
    theirs, ours = seen
    assert repr(ours) == repr(theirs)
    assert [type(value) for value in ours.values()] == [type(value) for value in theirs.values()]
    assert ours["none"] is None and ours["tensor"] == 2 + 2 * 8 and ours["list"][1] is None


def test_a_callable_is_used_for_fed_steps(monkeypatch):
    """Without it the test above would compare Session.run with itself."""
    step = make_step()
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        monkeypatch.setattr(session, "run", None)
        assert [run(step.metrics["first"]) for _ in range(4)] == [2, 10, 18, 26]
    assert len(run._callables) == 1


def test_an_error_in_a_fed_step_names_the_operation():
    step = make_step(check=True)
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        run()
        run(step.loss)
        with pytest.raises(tf.errors.InvalidArgumentError, match="too far") as raised:
            run(step.loss)
        assert raised.value.op is not None


def test_a_feed_of_the_caller_reaches_the_step():
    step = make_step()
    twice = tf.placeholder(tf.float32, [])
    product = step.metrics["first"] * twice
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        assert [run(product, {twice: 2.0}), run(step.metrics["first"]), run(product, {twice: 3.0})] == [4, 10, 54]
