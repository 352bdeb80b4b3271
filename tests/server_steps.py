"""A cluster of 2 workers and 2 parameter servers in this process, each worker in a thread; and steps for it."""
import threading

import numpy as np
import ports
from worker_model import BATCH, ROWS, STEPS, TARGETS, model

import legacy_towers as lt
from legacy_towers.compat import tf

TOWERS = 2
# Most rows of the table have no gradient in a step, others several.
WORDS = np.random.RandomState(2).randint(0, 40, BATCH * (STEPS + 1)).astype(np.int64) // 3 * 3
OPTIONS = dict(logical_cpus=TOWERS, intra_op_threads=1, inter_op_threads=2)
SECONDS = 200


class LocalCluster:
    """The tasks of a cluster, whose servers are those of this process."""

    def __init__(self, workers=2, servers=2):
        self._held = ports.held(workers + servers)
        addresses = [each.replace("localhost", "127.0.0.1") for each in self._held.__enter__()]
        jobs = {"worker": addresses[:workers], "ps": addresses[workers:]}
        self.hosts = ";".join("{}={}".format(job, ",".join(tasks)) for job, tasks in jobs.items() if tasks)
        self.workers = [self.task("worker:{}".format(index)) for index in range(workers)]
        self.servers = [self.task("ps:{}".format(index)) for index in range(servers)]
        self.targets = {}
        for each in self.workers + self.servers:
            config = lt.cluster.session_config(each, **OPTIONS)
            self.targets[each.task] = lt.cluster.start_server(each, config)
        self._runs = 0

    def task(self, name):
        return lt.cluster.from_environment({}, hosts=self.hosts, task=name)

    def run(self, function):
        """Returns what `function(cluster, target)` returns for each worker; each is called in a thread."""
        results, errors = {}, {}
        container = "run{}".format(self._runs)
        self._runs += 1

        def call(cluster):
            try:
                with tf.Graph().as_default(), tf.container(container):
                    results[cluster.task_index] = function(cluster, self.targets[cluster.task].target)
            except BaseException as error:
                errors[cluster.task_index] = error

        threads = [threading.Thread(target=call, args=(each,), daemon=True) for each in self.workers]
        for each in threads:
            each.start()
        for each in threads:
            each.join(SECONDS)
        if errors:
            raise errors[min(errors)]
        assert len(results) == len(self.workers), "worker {} did not end".format(
            [each for each in range(len(self.workers)) if each not in results]
        )
        return [results[index] for index in range(len(self.workers))]


def dataset(count=BATCH * STEPS, **options):
    examples = lt.Examples.from_arrays({"x": ROWS[:count], "y": TARGETS[:count], "word": WORDS[:count]}, seed=7)
    return lt.inputs.dataset(examples, global_batch_size=BATCH, epochs=1, **options)


def momentum(global_step):
    return tf.train.MomentumOptimizer(0.1, 0.9)


def adam(global_step):
    return tf.train.AdamOptimizer(0.01)


# name -> model, input pipeline, optimizer, options of build_train_step
CASES = {
    "one server, clipped": lambda: (
        model(), dataset(order="fixed"), momentum,
        dict(variables="parameter_server", reduction="mean+clip_by_global_norm:0.05", moving_average_decay=0.9),
    ),
    "balanced, adam, sum": lambda: (
        model(regularized=True), dataset(route="sharded", shuffle=20), adam, dict(variables="balanced", reduction="sum")
    ),
    "partitioned, sparse, adam": lambda: (
        model(embedded=True), dataset(order="fixed"), adam, dict(variables="partitioned:640")
    ),
    # The last step has 7 of 12 examples: 3, 3, 1 and none per tower.
    "sparse, short last batch": lambda: (
        model(regularized=True, embedded=True), dataset(order="fixed", remainder="short", count=BATCH * STEPS - 5),
        momentum, {},
    ),
    "mean of statistics": lambda: (
        model(normalized=True), dataset(order="fixed"), momentum, dict(update_ops="mean", skip_nonfinite=True)
    ),
    "float16, first tower's statistics": lambda: (
        model(tf.float16, normalized=True), dataset(order="fixed"), momentum, dict(update_ops="first")
    ),
}


class StopAt(tf.train.SessionRunHook):
    """Asks to stop after a number of runs."""

    def __init__(self, runs):
        self._runs = runs

    def after_run(self, run_context, run_values):
        self._runs -= 1
        if self._runs == 0:
            run_context.request_stop()


def rows_of_chief(tower):
    """Returns the batch of a tower of worker 0 with order="fixed", another one in each run."""
    size = BATCH // 4
    numbers = np.arange(BATCH * STEPS).reshape(STEPS, 4, size)[:, tower].reshape(-1)
    columns = {"x": ROWS[numbers], "y": TARGETS[numbers], "word": WORDS[numbers]}
    return tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensor_slices(columns).batch(size)).get_next()


def train(case, cluster, target, towers=TOWERS, steps=STEPS, hooks=()):
    """Returns the losses, metrics, variables and examples of a run."""
    model_fn, inputs, optimizer, options = CASES[case]()
    found = {"losses": [], "metrics": [], "rows": []}
    step = lt.build_train_step(model_fn, inputs, optimizer, lt.devices.cpus(towers), cluster=cluster, **options)
    fetches = {"loss": step.loss, "metrics": step.metrics, "rows": step.input.per_tower}
    if step.input.counts is not None:
        fetches["counts"] = step.input.counts
    config = lt.session_config(**dict(OPTIONS, logical_cpus=towers))
    if cluster is not None:
        config = lt.cluster.session_config(cluster, **OPTIONS)
    with tf.Session(target, config=config) as session, step.running(session, hooks) as run:
        while not run.should_stop() and len(found["losses"]) < steps:
            got = run(fetches)
            found["losses"].append(got["loss"])
            found["metrics"].append(got["metrics"]["largest"])
            for tower, batch in enumerate(got["rows"]):
                found["rows"].append(batch["x"][:got["counts"][tower] if "counts" in got else None])
        if cluster is None or cluster.is_chief:
            variables = sorted(tf.global_variables(), key=lambda each: each.op.name)
            for variable, value in zip(variables, session.run(variables)):
                found["variable " + variable.op.name] = value
    found["rows"] = np.concatenate(found["rows"])
    found["step"] = step
    return found
