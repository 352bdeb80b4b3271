"""What the hooks of `legacy-towers train` cost per step, at their default intervals.

    python tests/benchmarks/training_hooks.py

One graph of 4 towers and one session, whose step computes little, so that its noise hides nothing. Loops run it in
turn, 100 steps each: with the step's own hooks; with progress, summaries, metrics.jsonl, the NaN guard, interrupt and
checkpoints too; and with one of these at a time. So each round with all hooks has one record of summaries and of
metrics.jsonl, and two lines of progress; a checkpoint, which comes every 10 minutes, is in none. All loops together
must have incremented the global step by their number of calls.

Printed are the CPU time of the loop's thread per step, in which hooks work while no tower computes, and what it adds to
a step of 5 ms; and the time of a step, which other load on the machine makes noisy.
"""
import os
import statistics
import tempfile
import time

import numpy as np
from step_overhead import Given

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.measure.statistics import median_interval
from legacy_towers.training.hooks.interrupt import InterruptHook
from legacy_towers.training.hooks.progress import ProgressHook

TOWERS, SIZE, LAYERS = 4, 32, 2
EVERY, ROUNDS, WARM_UP = 100, 31, 2
STEP_MILLISECONDS = 5.0


def build():
    def model_fn(batch, mode):
        x = batch["x"]
        for layer in range(LAYERS):
            with tf.variable_scope("layer_{}".format(layer)):
                x = tf.nn.relu(tf.matmul(x, tf.get_variable("weights", [SIZE, SIZE])))
        tf.summary.scalar("largest", tf.reduce_max(x))
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(x)), metrics={"mean": tf.reduce_mean(x)})

    arrays = {"x": np.random.RandomState(0).normal(size=[4096, SIZE]).astype(np.float32)}
    source = lt.inputs.dataset(lt.Examples.from_arrays(arrays, shuffle=False), per_tower_batch_size=16)
    return lt.build_train_step(model_fn, source, tf.train.GradientDescentOptimizer(0.01), lt.devices.cpus(TOWERS))


class InEachRun(tf.train.SessionRunHook):
    """Calls another hook in each run only: it has begun already, in the same session."""

    def __init__(self, hook):
        self.before_run = hook.before_run
        self.after_run = hook.after_run


def main():
    tf.logging.set_verbosity(tf.logging.ERROR)
    print("TensorFlow {}, {} cores, load {:.1f}".format(tf.__version__, os.cpu_count(), os.getloadavg()[0]))
    with tempfile.TemporaryDirectory() as directory, tf.Graph().as_default(), open(os.devnull, "w") as nowhere:
        step = build()
        hooks = {
            "progress": ProgressHook(step.loss, step.global_step, 10**9, TOWERS * 16, 50, nowhere),
            "summaries": lt.training.SummaryHook(step, directory),
            "metrics.jsonl": lt.training.MetricsFileHook(step, os.path.join(directory, "metrics.jsonl")),
            "interrupt": InterruptHook(),
            "NaN guard": lt.training.NanGuardHook(step),
        }
        with lt.training.CheckpointStore(directory) as store:
            hooks["checkpoint"] = lt.training.CheckpointHook(store)
            for hook in hooks.values():
                hook.begin()
            config = lt.session_config(logical_cpus=TOWERS)
            with tf.train.SingularMonitoredSession(hooks=step.hooks, config=config) as outer:
                session = outer.raw_session()
                for hook in hooks.values():
                    hook.after_create_session(session, tf.train.Coordinator())
                measure(session, step, hooks)
            hooks["interrupt"].restore()


def measure(session, step, hooks):
    """Compares all hooks together, then each of them, with the step's own."""
    def loop(of):
        used = [InEachRun(hook) for hook in list(step.hooks) + list(of)]
        monitored = tf.train.MonitoredSession(session_creator=Given(session), hooks=used)

        def run():
            for _ in range(EVERY):
                monitored.run(step.train_op)

        return run

    loops = {"without": loop([]), "all hooks": loop(hooks.values())}
    loops.update((name, loop([hook])) for name, hook in hooks.items())
    before = session.run(step.global_step)
    rounds = [{name: timed(loops[name]) for name in loops} for _ in range(WARM_UP + ROUNDS)]
    assert session.run(step.global_step) - before == len(rounds) * len(loops) * EVERY
    for name in loops:
        wall, cpu = [[each[name][which] for each in rounds[WARM_UP:]] for which in (0, 1)]
        extra = median_interval([1e3 * (each[name][1] - each["without"][1]) for each in rounds[WARM_UP:]])
        print("{:14} CPU {:.3f} ms, {:+4.0f} us ({:+.0f} to {:+.0f}), {:+.2f} % of {:g} ms; {:.3f} ms".format(
            name, statistics.median(cpu), *extra, extra[0] / 10 / STEP_MILLISECONDS, STEP_MILLISECONDS,
            statistics.median(wall)
        ))


def timed(run):
    """Returns (milliseconds, milliseconds of CPU time of this thread) per step."""
    wall, cpu = time.perf_counter(), time.thread_time()
    run()
    return (time.perf_counter() - wall) * 1e3 / EVERY, (time.thread_time() - cpu) * 1e3 / EVERY


if __name__ == "__main__":
    main()
