"""The nets of workers.py: their values, their examples, their loss in TensorFlow, their training in numpy."""
import numpy as np
from small_net import LAYERS, RATE, ROWS, WIDTH, batches, start_values

# 6.4 million numbers, of which a tower reads 1,600 rows in a step: 0.4 MiB of 24.4.
WORDS, UNITS, LENGTH = 100000, 64, 50


class Dense:
    """Layers of one width."""

    def __init__(self, layers, width):
        self.layers, self.width = layers, width

    def values(self):
        return start_values(self.layers, self.width)

    def batches(self, towers):
        return batches(towers, self.width)

    def first(self, tf, variables, batch):
        """Returns the input of the first layer, and the weights of the layers."""
        return batch, variables

    def first_in_numpy(self, values, rows):
        return rows.astype(np.float64), values

    def update_first(self, values, rows, back):
        """Subtracts the gradient of what is before the first layer."""


class Embedding(Dense):
    """The mean of the rows of some words, and two layers."""

    def __init__(self):
        super().__init__(2, UNITS)

    def values(self):
        table = np.random.RandomState(2).normal(size=[WORDS, UNITS]).astype(np.float32)
        return [table] + super().values()

    def batches(self, towers):
        return np.random.RandomState(1).randint(0, WORDS, [towers, ROWS, LENGTH]).astype(np.int32)

    def first(self, tf, variables, batch):
        return tf.reduce_mean(tf.gather(variables[0], batch), axis=1), variables[1:]

    def first_in_numpy(self, values, rows):
        return np.mean(values[0][rows], axis=1), values[1:]

    def update_first(self, values, rows, back):
        of_words = np.repeat(back[:, np.newaxis, :] / LENGTH, LENGTH, axis=1)
        np.subtract.at(values[0], rows.reshape([-1]), RATE * of_words.reshape([-1, UNITS]))


def net_of(name, layers=LAYERS, width=WIDTH):
    """Returns a net: "dense", of the layers and the width; "dense25m", of 25 million numbers; or "embedding"."""
    return {"dense": lambda: Dense(layers, width), "dense25m": lambda: Dense(4, 2500), "embedding": Embedding}[name]()


def loss_of(net, tf, variables, batch):
    """Returns the loss of a batch."""
    x, layers = net.first(tf, variables, batch)
    for weights in layers:
        x = tf.tanh(tf.matmul(x, weights))
    return tf.reduce_mean(tf.square(x - 0.5))


def losses_in_numpy(net, towers, steps):
    """Returns the losses of some steps of gradient descent on the mean over all examples, in float64."""
    values = [value.astype(np.float64) for value in net.values()]
    rows = net.batches(towers)
    rows = rows.reshape((-1,) + rows.shape[2:])
    losses = []
    for _ in range(steps):
        x, layers = net.first_in_numpy(values, rows)
        kept = [x]
        for weights in layers:
            kept.append(np.tanh(kept[-1].dot(weights)))
        losses.append(np.mean(np.square(kept[-1] - 0.5)))
        back = 2 * (kept[-1] - 0.5) / kept[-1].size
        for layer in reversed(range(len(layers))):
            back = back * (1 - kept[layer + 1] ** 2)
            gradient, back = kept[layer].T.dot(back), back.dot(layers[layer].T)
            layers[layer] -= RATE * gradient
        net.update_first(values, rows, back)
    return losses
