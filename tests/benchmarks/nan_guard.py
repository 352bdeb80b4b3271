"""What the NaN guard adds to a step in a MonitoredSession: with four towers, in microseconds per step.

    python tests/benchmarks/nan_guard.py

Interleaved in one session: no guard, a hook that fetches the loss alone, the guard, and a hook that fetches the loss
and each tower's loss one by one. Few steps per turn and the lower tenth of the turns, so that other load is left out.

On 2 cores with much other load, an empty step: the guard adds 61 us on TensorFlow 2.21 (the loss alone 43, each loss
157) and 105 us on 1.15 (84 and 220).
"""
from step_overhead import TOWERS, Given, build, net, nothing
from timing import interleaved

import legacy_towers as lt
from legacy_towers.compat import tf


class Fetches(tf.train.SessionRunHook):
    """Fetches tensors in each run."""

    def __init__(self, fetches):
        self._fetches = fetches

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._fetches)


def measure(name, model_fn, repeats):
    with tf.Graph().as_default():
        step = build(model_fn, TOWERS)
        guard = lt.training.NanGuardHook(step)
        losses = [step.loss] + [tower.loss for tower in step.towers]
        config = lt.session_config(logical_cpus=TOWERS)
        # The guard adds its tensors before the graph is finalized.
        with tf.train.SingularMonitoredSession(hooks=list(step.hooks) + [guard], config=config) as ours:
            session = ours.raw_session()
            hooks = {
                "no guard": tf.train.SessionRunHook(), "loss": Fetches(step.loss), "guard": guard,
                "each loss": Fetches(losses),
            }
            calls = {}
            for label, hook in hooks.items():
                monitored = tf.train.MonitoredSession(
                    session_creator=Given(session), hooks=[each for each in step.hooks] + [hook]
                )
                calls[label] = lambda monitored=monitored: monitored.run(step.train_op)
            times = interleaved(calls, rounds=300, warm_up=5, repeats=repeats)
    microseconds = {label: 1e3 * sorted(times[label])[len(times[label]) // 10] for label in times}
    print("{}: {:.0f} us without a guard".format(name, microseconds["no guard"]))
    for label in list(calls)[1:]:
        print("  {:10} adds {:6.1f} us".format(label, microseconds[label] - microseconds["no guard"]))


if __name__ == "__main__":
    print("TensorFlow {}".format(tf.__version__))
    measure("an empty step", nothing, repeats=5)
    measure("a step of a few milliseconds", net, repeats=1)
