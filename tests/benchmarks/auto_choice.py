"""The quality of the choice of "auto": the speed of its choice divided by the fastest candidate's, for three jobs.

    python tests/benchmarks/auto_choice.py --seconds 15 --rounds 25

A small MLP, a net with an embedding of 8 M numbers, and the convolutional net of examples/digits.py, on 2 towers. For
each, `lt.choose_strategy` measures and chooses; then every candidate is measured again, all in one race, in turns of
about 0.1 s in shuffled rounds. Printed are the time of each divided by that of the choice, and the speed of the choice
divided by the fastest one's, paired by rounds, with the 95 % interval. The bar is 0.95.
"""
import argparse
import os
import statistics
import sys
import tempfile
import time

import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.measure.rounds import order_of_rounds, steps_of_turn
from legacy_towers.measure.statistics import ratio_interval

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples"))
import digits  # noqa: E402  # the examples are files beside the package

TOWERS = 2
DEVICES = lt.devices.cpus(TOWERS)
CONFIG = lt.session_config(logical_cpus=TOWERS)
WORDS, UNITS = 65536, 128


def dense(name, inputs, units):
    with tf.variable_scope(name):
        weights = tf.get_variable("weights", [inputs.shape[-1], units])
        return tf.matmul(inputs, weights) + tf.get_variable("biases", [units], initializer=tf.zeros_initializer())


def mlp(batch, mode):
    net = batch["x"]
    for layer in range(4):
        net = tf.nn.relu(dense("layer_{}".format(layer), net, 256))
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(net)))


def words(batch, mode):
    table = tf.get_variable("words", [WORDS, UNITS])
    net = tf.reduce_mean(tf.nn.embedding_lookup(table, batch["words"]), axis=1)
    # A dense gradient of the table too, as when input and output embeddings share it.
    decay = 1e-4 * tf.reduce_sum(tf.square(table))
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(dense("top", net, UNITS))) + decay)


def jobs(folder):
    """Returns name -> (model function, examples, optimizer function, examples per tower); writes files to `folder`."""
    source = np.random.RandomState(0)
    small = lt.Examples.from_arrays({"x": source.normal(size=[1024, 64]).astype(np.float32)})
    texts = lt.Examples.from_arrays({"words": source.randint(WORDS, size=[1024, 32])})
    pictures = digits.digits(data_dir=folder)
    return {
        "MLP": (mlp, small, lambda step: tf.train.MomentumOptimizer(0.01, 0.9), 32),
        "embedding": (words, texts, lambda step: tf.train.MomentumOptimizer(0.01, 0.9), 32),
        "digits": (pictures.model_fn, pictures.train, pictures.optimizer, pictures.per_tower_batch_size),
    }


def builder(model_fn, examples, optimizer, batch_size):
    def build(variables, reduction):
        source = lt.inputs.synthetic(examples, per_tower_batch_size=batch_size)
        return lt.build_train_step(
            model_fn, source, optimizer, DEVICES, variables=variables, reduction=reduction
        )

    return build


def all_measured(build, candidates, rounds):
    """Returns str(candidate) -> seconds per step, one per round, of all candidates."""
    runs, steps, times = {}, {}, {str(each): [] for each in candidates}
    for each in candidates:
        with tf.Graph().as_default():
            step = build(each.variables, each.reduction)
            session = tf.train.SingularMonitoredSession(hooks=step.hooks, config=CONFIG)
            runs[str(each)] = session, step.train_op

    def seconds_per_step(name, count):
        session, train_op = runs[name]
        start = time.perf_counter()
        for _ in range(count):
            session.run(train_op)
        return (time.perf_counter() - start) / count

    for name in runs:
        seconds_per_step(name, 5)
        steps[name] = steps_of_turn(seconds_per_step(name, 3), 0.1, 1, 1000)
    for order in order_of_rounds(list(runs), rounds):
        for name in order:
            times[name].append(seconds_per_step(name, steps[name]))
    for session, _ in runs.values():
        session.close()
    return times


def measure(job, build, candidates, options):
    choice = lt.choose_strategy(build, candidates, options.seconds, CONFIG)
    chosen = next(
        str(each.candidate) for each in choice.measured
        if (each.candidate.variables, each.candidate.reduction) == (choice.variables, choice.reduction)
    )
    print("\n{}\n{}".format(job, choice))
    times = all_measured(build, candidates, options.rounds)
    medians = {name: statistics.median(of_one) for name, of_one in times.items()}
    for name in times:
        print("  {:9.3f} ms  {:5.2f}  {}".format(1e3 * medians[name], medians[name] / medians[chosen], name))
    best = min(medians, key=medians.get)
    ratio = ratio_interval(times[best], times[chosen])
    print("{}: auto takes {}; its speed over the fastest one's ({}): {:.3f} ({:.3f} to {:.3f})".format(
        job, chosen, best, *ratio
    ))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=15.0, help="for each choice (%(default)s)")
    parser.add_argument("--rounds", type=int, default=25, help="of the measurement after it (%(default)s)")
    options = parser.parse_args()
    tf.logging.set_verbosity(tf.logging.ERROR)
    print("TensorFlow {}, {} towers".format(tf.__version__, TOWERS))
    candidates = lt.default_candidates(DEVICES)
    with tempfile.TemporaryDirectory() as folder:
        for name, parts in jobs(folder).items():
            measure(name, builder(*parts), candidates, options)


if __name__ == "__main__":
    main()
