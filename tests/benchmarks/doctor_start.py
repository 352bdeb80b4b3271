"""Measures what `legacy-towers run` adds to a script by looking for errors at its first training step.

    python tests/benchmarks/doctor_start.py [OPERATIONS]

Prints the time of the checks in a graph of four towers with about OPERATIONS operations (default: 20,000), the slowest
checks, and what a session run costs before and after the first training step.
"""
import sys
import time

from legacy_towers.compat import tf
from legacy_towers.doctor import first_step
from legacy_towers.doctor.registry import ERROR, checks
from legacy_towers.doctor.subject import Subject
from legacy_towers.run.runtime.observation import Observed
from legacy_towers.run.runtime.training_start import TrainingStart

TOWERS, OPERATIONS_OF_A_LAYER = 4, 123


def build(layers):
    """Returns (a graph of four towers of `layers` layers, its training operation)."""
    with tf.Graph().as_default() as graph:
        parts = tf.split(tf.placeholder(tf.float32, [64, 32]), TOWERS)
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        gradients = []
        with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
            for index in range(TOWERS):
                with tf.device("/cpu:0"), tf.name_scope("tower_{}".format(index)):
                    h = parts[index]
                    for layer in range(layers):
                        weights = tf.get_variable("w{}".format(layer), [32, 32])
                        bias = tf.get_variable("b{}".format(layer), [32])
                        h = h + tf.nn.relu(tf.matmul(h, weights) + bias)
                    gradients.append(optimizer.compute_gradients(tf.reduce_mean(tf.square(h))))
        mean = [(tf.add_n([each for each, _ in row]) / TOWERS, row[0][1]) for row in zip(*gradients)]
        return graph, optimizer.apply_gradients(mean, tf.train.get_or_create_global_step())


def time_of_checks(graph, train):
    observed = Observed()
    observed.fetched.add((train,))
    observed.runs.append((train,))
    begin = time.thread_time()
    lines = first_step.errors(graph, observed, most=10**9, seconds=10**9)
    print("{:,} operations: all checks for errors took {:.3f} s of CPU time and found {}".format(
        len(graph.get_operations()), time.thread_time() - begin, lines or "nothing"))
    begin = time.thread_time()
    lines = first_step.errors(graph, observed)
    print("    within the limits: {:.3f} s, {}".format(time.thread_time() - begin, lines or "nothing left out"))
    with graph.as_default():
        subject = Subject(graph, observed)
        spent = {}
        for check in checks():
            if check.severity == ERROR:
                begin = time.thread_time()
                list(check.function(subject))
                spent[check.code] = time.thread_time() - begin
    slowest = sorted(spent, key=lambda code: -spent[code])[:5]
    print("    slowest: {}".format(", ".join("{} {:.3f} s".format(code, spent[code]) for code in slowest)))


def time_of_runs():
    """Prints what `before_run` takes in runs that do not train, and once the first training step is over."""
    graph, train = build(2)
    with graph.as_default(), tf.Session() as session:
        start = TrainingStart(lambda *_: [], print)
        for name, fetches in (("that does not train", train.graph.get_operations()[0]), ("after training", train)):
            start.before_run(session, fetches)
            begin = time.thread_time()
            for _ in range(10000):
                start.before_run(session, fetches)
            print("a run {}: {:.2f} us".format(name, 1e6 * (time.thread_time() - begin) / 10000))


if __name__ == "__main__":
    time_of_checks(*build((int(sys.argv[1]) if len(sys.argv) > 1 else 20000) // OPERATIONS_OF_A_LAYER))
    time_of_runs()
