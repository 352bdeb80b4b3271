"""Cases of the CudnnCompatible cells of tf.contrib.cudnn_rnn, and of tf.contrib.nn.

To record again, on TensorFlow 1.15, from tests/: python -m tf1_cases.contrib.cudnn_and_nn_cases
"""
import numpy as np
from tf1_cases.recorded_cases import values

BATCH, STEPS, WIDTH = 3, 4, 5


def _unrolled(name):
    def case(tf):
        cells = [getattr(tf.contrib.cudnn_rnn, name)(4) for _ in range(2)]
        steps = tf.constant(values((BATCH, STEPS, WIDTH), "steps"))
        output, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell(cells), steps, dtype=tf.float32)
        return {"output": output, "last": tf.concat(tf.contrib.framework.nest.flatten(state), 1)}

    return case


def softplus(tf):
    x = tf.get_variable("x", [6])
    alpha = tf.get_variable("alpha_variance", [6])  # recorded_cases gives "variance" positive values
    scaled = tf.contrib.nn.scaled_softplus(x, alpha)
    return {"scaled": scaled, "clipped": tf.contrib.nn.scaled_softplus(x, 0.5, clip=0.3)}


def alpha_dropout(tf):
    x = tf.constant(values((20, 10), "x"))
    return {"dropped": tf.contrib.nn.alpha_dropout(x, 0.7, seed=3), "kept": tf.contrib.nn.alpha_dropout(x, 1.0)}


def _candidates(tf, count):
    return (
        tf.constant([1, 3, 5, 7][:count], tf.int64), tf.constant([[0.3], [0.2], [0.5]]),
        tf.constant([0.4, 0.2, 0.3, 0.1][:count]),
    )


def sampled(tf):
    weights, biases = tf.get_variable("w", [9, WIDTH]), tf.get_variable("b", [9])
    inputs = tf.constant(values((BATCH, WIDTH), "inputs"))
    labels = tf.constant([[2], [3], [8]], tf.int64)
    return {
        "sparse": tf.contrib.nn.sampled_sparse_softmax_loss(weights, biases, labels, inputs, 4, 9, _candidates(tf, 4)),
        "ranked": tf.contrib.nn.rank_sampled_softmax_loss(
            weights, biases, labels, inputs, num_sampled=4, num_resampled=2, num_classes=9, num_true=1,
            sampled_values=_candidates(tf, 4), resampling_temperature=2.0, remove_accidental_hits=True,
            partition_strategy="div",
        ),
    }


def flipped(tf):
    logits = tf.constant(values((BATCH, WIDTH), "logits"))
    labels = tf.nn.softmax(tf.constant(values((BATCH, WIDTH), "labels")))
    nn = tf.contrib.nn
    return {
        "softmax": nn.deprecated_flipped_softmax_cross_entropy_with_logits(logits, labels),
        "sparse": nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits, np.array([0, 4, 2])),
        "sigmoid": nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, labels),
        "nth": nn.nth_element(logits, 1, reverse=True),
    }


CASES = {"lstm": _unrolled("CudnnCompatibleLSTMCell"), "gru": _unrolled("CudnnCompatibleGRUCell")}
CASES.update((case.__name__, case) for case in (softplus, alpha_dropout, sampled, flipped))

if __name__ == "__main__":
    from tf1_cases import recorded_cases

    recorded_cases.record("contrib_cudnn_and_nn", CASES)
