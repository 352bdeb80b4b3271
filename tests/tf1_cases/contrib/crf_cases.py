"""Cases of tf.contrib.crf.

To record again, on TensorFlow 1.15, from tests/: python -m tf1_cases.contrib.crf_cases
"""
import numpy as np
from tf1_cases.recorded_cases import values

BATCH, STEPS, TAGS = 3, 5, 4
LENGTHS = np.array([5, 2, 1], np.int32)


def _tags(dtype=np.int32, steps=STEPS):
    return (np.abs(values((BATCH, steps), "tags")) * TAGS).astype(dtype)


def _scores(steps=STEPS):
    return values((BATCH, steps, TAGS), "scores", 3.0)


def _transitions(tf):
    return tf.get_variable("crf_transitions", [TAGS, TAGS])


def tagger(tf):
    """A bidirectional LSTM with a CRF layer, and placeholders as inputs."""
    words = tf.placeholder_with_default(values((BATCH, STEPS, 6), "words"), [None, None, 6])
    labels = tf.placeholder_with_default(_tags(), [None, None])
    lengths = tf.placeholder_with_default(LENGTHS, [None])
    with tf.variable_scope("bi-lstm"):
        outputs, _ = tf.nn.bidirectional_dynamic_rnn(
            tf.contrib.rnn.LSTMCell(3), tf.contrib.rnn.LSTMCell(3), words, sequence_length=lengths, dtype=tf.float32
        )
    with tf.variable_scope("proj"):
        w = tf.get_variable("W", [6, TAGS], initializer=tf.contrib.layers.xavier_initializer())
        b = tf.get_variable("b", [TAGS], initializer=tf.zeros_initializer())
        flat = tf.reshape(tf.concat(outputs, axis=-1), [-1, 6])
        logits = tf.reshape(tf.matmul(flat, w) + b, [-1, tf.shape(words)[1], TAGS])
    likelihood, transitions = tf.contrib.crf.crf_log_likelihood(logits, labels, lengths)
    decoded, score = tf.contrib.crf.crf_decode(logits, transitions, lengths)
    return {"loss": tf.reduce_mean(-likelihood), "decoded": decoded, "score": score}


def scores(tf):
    inputs, lengths, transitions = tf.constant(_scores()), tf.constant(LENGTHS), _transitions(tf)
    tags = tf.constant(_tags())
    crf = tf.contrib.crf
    return {
        "sequence": crf.crf_sequence_score(inputs, tags, lengths, transitions),
        "unary": crf.crf_unary_score(tags, lengths, inputs),
        "unary64": crf.crf_unary_score(tf.cast(tags, tf.int64), lengths, inputs),
        "binary": crf.crf_binary_score(tags, lengths, transitions),
        "norm": crf.crf_log_norm(inputs, lengths, transitions),
        "multitag": crf.crf_multitag_sequence_score(
            inputs, tf.constant(np.abs(_scores()) > 0.5), lengths, tf.stop_gradient(transitions)
        ),
    }


def one_step(tf):
    inputs, transitions = tf.constant(_scores(1)), _transitions(tf)
    unknown = tf.placeholder_with_default(_scores(1), [None, None, TAGS])
    tags, lengths = tf.constant(_tags(steps=1)), tf.constant([1, 1, 0])
    found = {}
    for name, each in (("known", inputs), ("unknown", unknown)):
        likelihood, _ = tf.contrib.crf.crf_log_likelihood(each, tags, lengths, transitions)
        decoded, score = tf.contrib.crf.crf_decode(each, transitions, lengths)
        found.update({name + "_likelihood": likelihood, name + "_decoded": decoded, name + "_score": score})
    found["bitmap"] = tf.contrib.crf.crf_multitag_sequence_score(inputs, inputs > -5.0, lengths, transitions)
    return found


def int64_tags(tf):
    likelihood, transitions = tf.contrib.crf.crf_log_likelihood(
        tf.constant(_scores()), tf.constant(_tags(np.int64)), tf.constant(LENGTHS.astype(np.int64))
    )
    return {"likelihood": likelihood, "transitions": transitions}


def decoded(tf):
    transitions = _transitions(tf)
    tags, score = tf.contrib.crf.crf_decode(tf.constant(_scores()), transitions, tf.constant(LENGTHS))
    return {"tags": tags, "score": score}


def viterbi(tf):
    tags, score = tf.contrib.crf.viterbi_decode(_scores()[0], values((TAGS, TAGS), "transitions"))
    return {"tags": tf.constant(np.array(tags, np.int32)), "score": tf.constant(score)}


def cells(tf):
    transitions = _transitions(tf)
    forward = tf.contrib.crf.CrfForwardRnnCell(transitions)
    outputs, last = tf.nn.dynamic_rnn(forward, tf.constant(_scores()), dtype=tf.float32)
    backward = tf.contrib.crf.CrfDecodeBackwardRnnCell(TAGS)
    tags, _ = backward(tf.constant(_tags(steps=TAGS)), tf.constant([[0], [1], [3]]))
    return {"outputs": outputs, "last": last, "tags": tags}


CASES = {case.__name__: case for case in (tagger, scores, one_step, int64_tags, decoded, viterbi, cells)}

if __name__ == "__main__":
    from tf1_cases import recorded_cases

    recorded_cases.record("contrib_crf", CASES)
