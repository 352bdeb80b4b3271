"""Averaging and applying gradients, compared with the CIFAR-10 tutorial: 25.5 million float32, 55 tensors, 4 towers.

    python tests/benchmarks/average_gradients.py [--rounds 15] [--reductions mean:variable,mean,...]

"tutorial" is its average_gradients (expand_dims, concat, reduce_mean), and "lt.average_gradients" the drop-in for it,
both with every variable on one device, as there. "one device" is lt.average_gradients with all sums on that device
too, which shows the gain of distributing the sums. The others have variables placed by lt.variables.Balanced, and are
named by their reductions; "sum" lacks the division by the number of towers, which shows its cost. SGD applies them.

The gradients are temporaries of the step, as in training: they are in queues, which are filled outside the measured
time. (An operation can't overwrite the value of a variable; a sum may overwrite a temporary gradient.) All candidates
run interleaved in one process. After timing, the results of each are checked: every step changes every element of every
variable by the learning rate times the known mean, or sum.
"""
import argparse

import numpy as np
from timing import interleaved, report

import legacy_towers as lt
from legacy_towers import gradients as reductions
from legacy_towers.compat import tf
from legacy_towers.gradients.base import pairs_of
from legacy_towers.gradients.named import make_reduction

TOWERS = 4
DEVICES = ["/cpu:{}".format(tower) for tower in range(TOWERS)]
RATE = 0.25


def residual_net_shapes():
    """Returns the 53 convolutions and the dense layer of a 50-layer residual net: 55 tensors, 25.5 million elements."""
    shapes = [(7, 7, 3, 64)]
    inputs = 64
    for filters, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        shapes.append((1, 1, inputs, 4 * filters))
        for _ in range(blocks):
            shapes += [(1, 1, inputs, filters), (3, 3, filters, filters), (1, 1, filters, 4 * filters)]
            inputs = 4 * filters
    return shapes + [(inputs, 1000), (1000,)]


SHAPES = residual_net_shapes()


def tutorial_average(tower_grads):
    """Returns the averaged pairs as the tutorial computes them: expand each gradient, concatenate, reduce."""
    averaged = []
    for pairs in zip(*tower_grads):
        stacked = tf.concat([tf.expand_dims(gradient, 0) for gradient, _ in pairs], axis=0)
        averaged.append((tf.reduce_mean(stacked, 0), pairs[0][1]))
    return averaged


def on_one_device(tower_grads):
    return lt.average_gradients(tower_grads, devices=["/cpu:0"])


def reduced_by(reduction):
    """Returns a function like `average_gradients` that runs a reduction."""

    def average(tower_grads):
        return pairs_of(reductions.reduce_gradients(tower_grads, reduction, DEVICES))

    return average


def build(average, strategy):
    """Returns functions that fill the queues, that run one step, and that return the extremes of all variables.

    Args:
      average: reduces the towers' (gradient, variable) pairs to one list of pairs.
      strategy: the variable strategy.
    """
    graph = tf.Graph()
    with graph.as_default():
        with tf.device(strategy.placer().for_tower("/cpu:0")):
            zeros = tf.zeros_initializer()
            variables = [
                tf.get_variable("v{}".format(i), shape, initializer=zeros, use_resource=True)
                for i, shape in enumerate(SHAPES)
            ]
        tower_grads, fills = [], []
        for tower, device in enumerate(DEVICES):
            with tf.device(device):
                # grappler would fold a constant into the mean.
                value = tf.placeholder_with_default(tower + 1.0, [])
                waiting = tf.FIFOQueue(1, [tf.float32] * len(SHAPES), SHAPES)
                fills.append(waiting.enqueue([tf.fill(shape, value) for shape in SHAPES]))
                tower_grads.append(list(zip(waiting.dequeue(), variables)))
        with tf.device("/cpu:0"):
            train_op = tf.train.GradientDescentOptimizer(RATE).apply_gradients(average(tower_grads))
        extremes = [(tf.reduce_min(v), tf.reduce_max(v)) for v in variables]
        initializer = tf.global_variables_initializer()
    session = tf.Session(graph=graph, config=lt.session_config(logical_cpus=TOWERS))
    session.run(initializer)
    return lambda: session.run(fills), lambda: session.run(train_op), lambda: session.run(extremes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--reductions", default="mean:variable,mean,tree:variable,bucketed,sum:variable")
    options = parser.parse_args()
    print("TensorFlow {}: {:,} elements in {} tensors".format(tf.__version__, sum(map(np.prod, SHAPES)), len(SHAPES)))
    one_device, spread = lt.variables.ParameterServer("/cpu:0"), lt.variables.Balanced(DEVICES)
    candidates = {
        "tutorial": (tutorial_average, one_device),
        "lt.average_gradients": (lt.average_gradients, one_device),
        "lt.average_gradients, one device": (on_one_device, one_device),
    }
    for name in options.reductions.split(","):
        candidates["Balanced, " + name] = (reduced_by(make_reduction(name)), spread)
    built = {name: build(*candidate) for name, candidate in candidates.items()}
    warm_up = 3
    fills, steps = ({name: functions[index] for name, functions in built.items()} for index in (0, 1))
    times = interleaved(steps, options.rounds, warm_up, before=fills)
    expected = -RATE * np.mean(np.arange(TOWERS) + 1.0) * (warm_up + options.rounds)
    for name, (_, _, extremes) in built.items():
        factor = TOWERS if name.startswith("Balanced, sum") else 1
        np.testing.assert_allclose(extremes(), factor * expected, rtol=1e-5, err_msg=name)
    report(times, "tutorial")


if __name__ == "__main__":
    main()
