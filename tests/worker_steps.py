"""Trains the cases of cluster/test_training.py as one worker of a cluster, or in one process with all towers.

    python worker_steps.py HOSTS|none TASK TOWERS OUTPUT

writes what it computed as a .npz file.
"""
import os
import sys
import tempfile
import time

import numpy as np
from worker_model import BATCH, ROWS, STEPS, TARGETS, model

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.step.worker_times import slowest_of
from legacy_towers.training.hooks.measuring import MeasuringHook

# Its initial values and the order of its examples differ from run to run, and must not from worker to worker.
DRAWN = "drawn initial values and order"


def examples(count=BATCH * STEPS, seed=7):
    return lt.Examples.from_arrays({"x": ROWS[:count], "y": TARGETS[:count]}, seed=seed)


def of_files():
    """Returns the same examples from files of different sizes."""
    folder = tempfile.mkdtemp()
    rows = np.concatenate([ROWS, TARGETS], axis=1)[:BATCH * STEPS]
    for index, part in enumerate(np.split(rows, [7, 9, 30])):
        part.tofile(os.path.join(folder, "{}.bin".format(index)))

    def parse(record):
        numbers = tf.reshape(tf.decode_raw(record, tf.float32), [9])
        return {"x": numbers[:6], "y": numbers[6:]}

    return lt.Examples.from_fixed_length(os.path.join(folder, "*.bin"), 36, parse, seed=7)


def dataset(count=BATCH * STEPS, seed=7, **options):
    return lt.inputs.dataset(examples(count, seed), global_batch_size=BATCH, epochs=1, **options)


# name -> model, input pipeline, options of build_train_step
CASES = {
    "split, clipped": lambda: (
        model(), dataset(order="fixed", route="split"),
        dict(reduction="mean+clip_by_global_norm:0.05", moving_average_decay=0.9),
    ),
    "sharded batches, tree": lambda: (model(), dataset(order="fixed", route="sharded"), dict(reduction="tree")),
    "sharded examples, sum": lambda: (
        model(regularized=True), dataset(route="sharded", shuffle=20), dict(reduction="sum")
    ),
    "sharded files": lambda: (
        model(), lt.inputs.dataset(of_files(), global_batch_size=BATCH, epochs=1, route="sharded", shard="files"), {}
    ),
    # The last step has 7 of 12 examples: 3, 3, 1 and none per tower.
    "short last batch": lambda: (
        model(regularized=True), dataset(order="fixed", remainder="short", count=BATCH * STEPS - 5), {}
    ),
    "padded shards": lambda: (
        model(), dataset(route="sharded", remainder="pad", count=BATCH * STEPS - 5), dict(reduction="bucketed")
    ),
    "float16": lambda: (model(tf.float16), dataset(order="fixed"), {}),
    "first tower's statistics": lambda: (model(normalized=True), dataset(order="fixed"), dict(update_ops="first")),
    "mean of statistics": lambda: (
        model(normalized=True), dataset(order="fixed"), dict(update_ops="mean", skip_nonfinite=True)
    ),
    DRAWN: lambda: (model(drawn=True), dataset(shuffle=20, seed=None), {}),
}


_containers = []


class StopAt(tf.train.SessionRunHook):
    """Asks to stop after a number of runs."""

    def __init__(self, runs):
        self.runs = runs

    def after_run(self, run_context, run_values):
        self.runs -= 1
        if self.runs == 0:
            run_context.request_stop()


def train(case, cluster, server, towers, steps, hooks=()):
    """Returns the losses, metrics, variables and examples of a run."""
    model_fn, inputs, options = CASES[case]()
    config = session_config(cluster, towers)
    found = {"losses": [], "metrics": [], "rows": []}
    # A server keeps variables from one session to the next: each case has a container of its own.
    number = len(_containers)
    _containers.append(case)
    with tf.Graph().as_default(), tf.container("case{}".format(number)):
        step = lt.build_train_step(
            model_fn, inputs, tf.train.MomentumOptimizer(0.1, 0.9), lt.devices.cpus(towers), variables="replicated",
            cluster=cluster, **options
        )
        if cluster is not None:
            step.watch_hook.seconds = 600.0  # however busy the machine is
        fetches = {"loss": step.loss, "metrics": step.metrics, "rows": step.input.per_tower}
        if step.input.counts is not None:
            fetches["counts"] = step.input.counts
        target = "" if server is None else server.target
        with tf.Session(target, config=config) as session, step.running(session, hooks) as run:
            while not run.should_stop() and len(found["losses"]) < steps:
                got = run(fetches)
                found["losses"].append(got["loss"])
                found["metrics"].append(got["metrics"]["largest"])
                for tower, batch in enumerate(got["rows"]):
                    found["rows"].append(batch["x"][:got["counts"][tower] if "counts" in got else None])
            variables = sorted(tf.global_variables(), key=lambda each: each.op.name)
            for variable, value in zip(variables, session.run(variables)):
                found["variable " + variable.op.name] = value
            lt.variables.check_copies(session)
    found["rows"] = np.concatenate(found["rows"])
    return found


def session_config(cluster, towers):
    options = dict(logical_cpus=towers, intra_op_threads=1, inter_op_threads=2)
    return lt.session_config(**options) if cluster is None else lt.cluster.session_config(cluster, **options)


def main(hosts, task, towers, output):
    towers = int(towers)
    cluster = server = None
    if hosts != "none":
        cluster = lt.cluster.from_environment({}, hosts=hosts, task=task)
        server = lt.cluster.start(cluster, config=session_config(cluster, towers), start_seconds=120)
    results = {}
    for case in CASES:
        for name, value in train(case, cluster, server, towers, STEPS).items():
            results["{}/{}".format(case, name)] = value
    if cluster is not None:
        hooks = [StopAt(2)] if cluster.task_index == 1 else []
        results["stopped"] = train("split, clipped", cluster, server, towers, STEPS, hooks)["losses"]
        other = "split, clipped" if cluster.task_index == 1 else "float16"
        try:
            train(other, cluster, server, towers, STEPS)
        except lt.errors.ClusterError as error:
            results["another step"] = str(error)
        results["slowest"] = np.array(slow_worker(cluster, server, towers))
    np.savez(output, **results)
    if cluster is not None:
        lose_worker(cluster, server, towers)


class SlowWorker(tf.train.SessionRunHook):
    """Lets each step of worker 1 begin late, until its name is known as that of the slowest one."""

    def __init__(self, step, is_slow):
        self.times = step.worker_times_hook
        self.is_slow = is_slow
        self.found = ""
        self.runs = 0

    def before_run(self, run_context):
        time.sleep(0.25 if self.is_slow else 0.0)

    def after_run(self, run_context, run_values):
        self.runs += 1
        slowest = slowest_of(self.times.seconds)
        self.found = "" if slowest is None else slowest.name
        if self.found == "worker:1" or self.runs == 100:
            run_context.request_stop()


def slow_worker(cluster, server, towers):
    """Trains until worker 1, which is slow, is named; returns the name and the measures that a record has of it."""
    with tf.Graph().as_default(), tf.container("slow"):
        return train_slowly(cluster, server.target, towers, session_config(cluster, towers), variables="replicated")


def train_slowly(cluster, target, towers, config, **options):
    """Does the same in the default graph."""
    step = lt.build_train_step(
        model(), lt.inputs.dataset(examples(), global_batch_size=BATCH), tf.train.GradientDescentOptimizer(0.01),
        lt.devices.cpus(towers), cluster=cluster, **options
    )
    step.watch_hook.seconds = 600.0
    hook, records = SlowWorker(step, cluster.task_index == 1), Records(step)
    with tf.Session(target, config=config) as session, step.running(session, [hook, records]) as run:
        while not run.should_stop():
            run(step.train_op)
    return [hook.found, records.last.slowest_worker or ""] + sorted(records.last.worker_seconds)


class Records(MeasuringHook):
    """Keeps the last record."""

    def __init__(self, step):
        super().__init__(step, every=1)

    def record(self, measures, values):
        self.last = measures


class EndAt(tf.train.SessionRunHook):
    """Ends the process before its run of a number, from 1."""

    def __init__(self, run):
        self.run = run

    def before_run(self, run_context):
        self.run -= 1
        if self.run == 0:
            os._exit(0)


def lose_worker(cluster, server, towers):
    """Lets worker 1 end in the middle of training; prints the error of worker 0."""
    try:
        train("split, clipped", cluster, server, towers, STEPS, [EndAt(3)] if cluster.task_index else [])
    except lt.errors.MissingTaskError as error:
        sys.stderr.write("raised: {}\n".format(error))
        sys.stderr.flush()
        os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # a server can't be stopped
