"""The overhead of legacy_towers' training loops, compared with a hand-written `session.run` loop on the same graph.

    python tests/benchmarks/step_overhead.py

Four pairs, each in one session and interleaved: a step of about 5 ms on 2 cores (4 towers) and an empty one, each in a
bare session (`step.running`, and `session.run(step.train_op)`) and in a MonitoredSession (the step's hooks, and as many
empty ones). Both loops of a pair must have incremented the global step by their number of calls.
"""
import statistics

import numpy as np
from timing import interleaved

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.measure.statistics import median_interval, ratio_interval

TOWERS = 4


def net(batch, mode):
    x = batch["x"]
    for layer in range(4):
        with tf.variable_scope("layer_{}".format(layer)):
            weights = tf.get_variable("weights", [x.shape[-1], 384 if layer < 3 else 1])
            x = tf.matmul(x, weights)
            x = tf.nn.relu(x) if layer < 3 else x
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(x)))


def nothing(batch, mode):
    weight = tf.get_variable("weight", [])
    return lt.TowerOutput(loss=weight * 1.0)


def build(model_fn, towers):
    arrays = {"x": np.random.RandomState(0).normal(size=[4096, 128]).astype(np.float32)}
    if model_fn is nothing:
        inputs = lt.inputs.from_tensors(per_tower=[{}] * towers, shared_by_towers=True)
    else:
        inputs = lt.inputs.dataset(lt.Examples.from_arrays(arrays, shuffle=False), per_tower_batch_size=32)
    return lt.build_train_step(
        model_fn, inputs, tf.train.GradientDescentOptimizer(0.01), lt.devices.cpus(towers)
    )


def bare(name, model_fn, towers, repeats):
    with tf.Graph().as_default():
        step = build(model_fn, towers)
        with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session, step.running(session) as run:
            compare(name, "session.run", lambda: session.run(step.train_op), "step.running", run, repeats,
                    lambda: session.run(step.global_step))


def monitored(name, model_fn, towers, repeats):
    with tf.Graph().as_default():
        step = build(model_fn, towers)
        config = lt.session_config(logical_cpus=TOWERS)
        with tf.train.SingularMonitoredSession(hooks=step.hooks, config=config) as ours:
            # In the running session: a second one would have its own input.
            session = ours.raw_session()
            hooks = [tf.train.SessionRunHook() for _ in step.hooks]
            empty = tf.train.MonitoredSession(session_creator=Given(session), hooks=hooks)
            compare(name, "{} empty hooks".format(len(hooks)), lambda: empty.run(step.train_op), "the step's hooks",
                    lambda: ours.run(step.train_op), repeats, lambda: session.run(step.global_step))


class Given(tf.train.SessionCreator):
    """Returns the given session instead of creating one."""

    def __init__(self, session):
        self._session = session

    def create_session(self):
        return self._session


def compare(name, baseline, run_baseline, candidate, run_candidate, repeats, global_step):
    before = global_step()
    rounds, warm_up = 41, 5
    times = interleaved({baseline: run_baseline, candidate: run_candidate}, rounds, warm_up, repeats)
    assert global_step() - before == 2 * (rounds + warm_up) * repeats
    extra = median_interval([1e3 * (new - old) for old, new in zip(times[baseline], times[candidate])])
    ratio = ratio_interval(times[candidate], times[baseline])
    print("{}: {} {:.3f} ms, {} {:.3f} ms: {:+.1f} us ({:+.1f} to {:+.1f}), ratio {:.3f} ({:.3f} to {:.3f})".format(
        name, baseline, statistics.median(times[baseline]), candidate, statistics.median(times[candidate]), *(
            tuple(extra) + tuple(ratio)
        )
    ))


def main():
    tf.logging.set_verbosity(tf.logging.ERROR)
    print("TensorFlow {}".format(tf.__version__))
    bare("5 ms step, bare session", net, TOWERS, 10)
    bare("empty step, bare session", nothing, 1, 200)
    monitored("5 ms step, MonitoredSession", net, TOWERS, 10)
    monitored("empty step, MonitoredSession", nothing, 1, 200)


if __name__ == "__main__":
    main()
