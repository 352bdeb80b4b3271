"""The net of the benchmarks of several packages and processes: its values, its examples, its training in numpy."""
import numpy as np

LAYERS, WIDTH, ROWS, RATE = 4, 256, 32, 0.25


def start_values(layers=LAYERS, width=WIDTH):
    random = np.random.RandomState(0)
    return [(random.normal(size=[width, width]) * width ** -0.5).astype(np.float32) for _ in range(layers)]


def batches(towers, width=WIDTH):
    random = np.random.RandomState(1)
    return random.normal(size=[towers, ROWS, width]).astype(np.float32)


def in_numpy(towers, steps, layers=LAYERS, width=WIDTH):
    """Returns the weights after some steps of gradient descent on the mean over all examples, in float64."""
    weights = [value.astype(np.float64) for value in start_values(layers, width)]
    rows = batches(towers, width).reshape([-1, width]).astype(np.float64)
    for _ in range(steps):
        kept = [rows]
        for value in weights:
            kept.append(np.tanh(kept[-1].dot(value)))
        back = 2 * (kept[-1] - 0.5) / kept[-1].size
        for layer in reversed(range(layers)):
            back = back * (1 - kept[layer + 1] ** 2)
            gradient, back = kept[layer].T.dot(back), back.dot(weights[layer].T)
            weights[layer] = weights[layer] - RATE * gradient
    return weights
