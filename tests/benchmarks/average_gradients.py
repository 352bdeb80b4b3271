"""The drop-in against the CIFAR-10 tutorial's average_gradients: 25.5 million float32 in 55 tensors from 4 towers.

    python tests/benchmarks/average_gradients.py

"one device" is the drop-in with all its sums on one device in place of the towers' own: what the spreading is worth.
All variables are on one device, and SGD applies the mean, as in the tutorial. Each candidate's mean is checked before
it is timed: each step moves every variable by the learning rate times the known mean.
"""
import numpy as np
from timing import interleaved, report

import legacy_towers as lt
from legacy_towers.compat import tf

TOWERS = 4
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
    """The tutorial's arithmetic: expand each gradient, concatenate, reduce."""
    averaged = []
    for pairs in zip(*tower_grads):
        stacked = tf.concat([tf.expand_dims(gradient, 0) for gradient, _ in pairs], axis=0)
        averaged.append((tf.reduce_mean(stacked, 0), pairs[0][1]))
    return averaged


def on_one_device(tower_grads):
    return lt.average_gradients(tower_grads, devices=["/cpu:0"])


def build(average):
    """Returns a function that runs one step, and one that checks what steps did."""
    graph = tf.Graph()
    with graph.as_default():
        with tf.device("/cpu:0"):
            zeros = tf.zeros_initializer()
            variables = [
                tf.get_variable("v{}".format(i), shape, initializer=zeros, use_resource=True)
                for i, shape in enumerate(SHAPES)
            ]
        tower_grads = []
        for tower in range(TOWERS):
            # Held in local variables on the tower's device: as constants they would be folded into the mean.
            with tf.device("/cpu:{}".format(tower)):
                fill = tf.constant_initializer(tower + 1.0)
                held = [
                    tf.get_variable(
                        "g{}_{}".format(tower, i),
                        shape,
                        initializer=fill,
                        use_resource=True,
                        trainable=False,
                        collections=[tf.GraphKeys.LOCAL_VARIABLES],
                    )
                    for i, shape in enumerate(SHAPES)
                ]
                tower_grads.append([(g.read_value(), v) for g, v in zip(held, variables)])
        with tf.device("/cpu:0"):
            train_op = tf.train.GradientDescentOptimizer(RATE).apply_gradients(average(tower_grads))
        extremes = [(tf.reduce_min(v), tf.reduce_max(v)) for v in variables]
        initializers = [tf.global_variables_initializer(), tf.local_variables_initializer()]
    session = tf.Session(graph=graph, config=lt.session_config(logical_cpus=TOWERS))
    session.run(initializers)
    steps = []

    def step():
        session.run(train_op)
        steps.append(1)

    def check():
        expected = -RATE * np.mean(np.arange(TOWERS) + 1.0) * len(steps)
        np.testing.assert_allclose(session.run(extremes), expected, rtol=1e-5)

    return step, check


def main():
    print("TensorFlow {}: {:,} elements in {} tensors".format(tf.__version__, sum(map(np.prod, SHAPES)), len(SHAPES)))
    candidates = {
        "tutorial": tutorial_average,
        "lt.average_gradients": lt.average_gradients,
        "lt.average_gradients, one device": on_one_device,
    }
    built = {name: build(average) for name, average in candidates.items()}
    times = interleaved({name: step for name, (step, _) in built.items()})
    for _, check in built.values():
        check()
    report(times, "tutorial")


if __name__ == "__main__":
    main()
