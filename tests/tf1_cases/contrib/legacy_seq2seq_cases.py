"""Cases of tf.contrib.legacy_seq2seq; see recorded_cases.

To record them again, on TensorFlow 1.15, from tests/: python -m tf1_cases.contrib.legacy_seq2seq_cases
"""
import numpy as np
from tf1_cases.recorded_cases import module, values

BATCH, SOURCE, TARGET, WIDTH = 2, 3, 4, 5


def _floats(tf, count, name):
    return [tf.constant(values((BATCH, WIDTH), "%s%d" % (name, i))) for i in range(count)]


def _ids(tf, count, name, symbols=6):
    return [
        tf.constant((np.abs(values((BATCH,), "%s%d" % (name, i))) * symbols).astype(np.int32)) for i in range(count)
    ]


def _leaves(state):
    if isinstance(state, (tuple, list)):
        return [leaf for each in state for leaf in _leaves(each)]
    return [state]


def _found(outputs, state):
    found = {"state%d" % i: each for i, each in enumerate(_leaves(state))}
    found["outputs"] = tf_stack(outputs)
    return found


def tf_stack(outputs):
    return module("tensorflow").stack(outputs)


def _lstm(tf, units=4):
    return tf.contrib.rnn.BasicLSTMCell(units)


def _layers(tf):
    return tf.contrib.rnn.MultiRNNCell([tf.contrib.rnn.GRUCell(4) for _ in range(2)])


def char_rnn(tf):
    seq2seq = tf.contrib.legacy_seq2seq
    cell = tf.contrib.rnn.MultiRNNCell([_lstm(tf) for _ in range(2)], state_is_tuple=True)
    with tf.variable_scope("rnnlm"):
        softmax_w = tf.get_variable("softmax_w", [4, 6])
        softmax_b = tf.get_variable("softmax_b", [6])
        embedding = tf.get_variable("embedding", [6, 4])

    def loop(prev, _):
        prev = tf.matmul(prev, softmax_w) + softmax_b
        return tf.nn.embedding_lookup(embedding, tf.stop_gradient(tf.argmax(prev, 1)))

    ids = tf.stack(_ids(tf, TARGET, "text"), axis=1)
    inputs = tf.split(tf.nn.embedding_lookup(embedding, ids), TARGET, 1)
    inputs = [tf.squeeze(each, [1]) for each in inputs]
    state = cell.zero_state(BATCH, tf.float32)
    outputs, last = seq2seq.rnn_decoder(inputs, state, cell, loop_function=None, scope="rnnlm")
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        fed, _ = seq2seq.rnn_decoder(inputs, state, cell, loop_function=loop, scope="rnnlm")
    logits = tf.matmul(tf.reshape(tf.concat(outputs, 1), [-1, 4]), softmax_w) + softmax_b
    targets = tf.reshape(ids, [-1])
    loss = seq2seq.sequence_loss_by_example([logits], [targets], [tf.ones([BATCH * TARGET])])
    found = _found(fed, last)
    found["loss"] = loss
    return found


def basic(tf):
    outputs, state = tf.contrib.legacy_seq2seq.basic_rnn_seq2seq(
        _floats(tf, SOURCE, "in"), _floats(tf, TARGET, "out"), _lstm(tf)
    )
    return _found(outputs, state)


def tied(tf):
    outputs, state = tf.contrib.legacy_seq2seq.tied_rnn_seq2seq(
        _floats(tf, SOURCE, "in"), _floats(tf, TARGET, "out"), _layers(tf)
    )
    return _found(outputs, state)


def _embedded(name, feed, **keywords):
    def case(tf):
        function = getattr(tf.contrib.legacy_seq2seq, name)
        chosen = tf.placeholder_with_default(feed == "tensor", []) if isinstance(feed, str) else feed
        symbols = [6] if "tied" in name else [6, 7]
        outputs, state = function(
            _ids(tf, SOURCE, "in"), _ids(tf, TARGET, "out"), _layers(tf), *(symbols + [3]), feed_previous=chosen,
            **keywords
        )
        return _found(outputs, state)

    return case


def attention_projected(tf):
    weights = tf.get_variable("proj_w", [4, 7])
    biases = tf.get_variable("proj_b", [7])
    outputs, state = tf.contrib.legacy_seq2seq.embedding_attention_seq2seq(
        _ids(tf, SOURCE, "in"), _ids(tf, TARGET, "out"), _lstm(tf), 6, 7, 3, num_heads=2,
        output_projection=(weights, biases), feed_previous=True, initial_state_attention=True,
    )
    return _found([tf.nn.xw_plus_b(each, weights, biases) for each in outputs], state)


def attention_by_hand(tf):
    states = tf.constant(values((BATCH, SOURCE, 3), "memory"))
    state = tf.constant(values((BATCH, 4), "state"))
    outputs, state = tf.contrib.legacy_seq2seq.attention_decoder(
        _floats(tf, TARGET, "out"), state, states, tf.contrib.rnn.GRUCell(4), output_size=3, num_heads=1
    )
    return _found(outputs, state)


def embedding_decoder(tf):
    state = tf.constant(values((BATCH, 4), "state"))
    outputs, state = tf.contrib.legacy_seq2seq.embedding_rnn_decoder(
        _ids(tf, TARGET, "out"), state, tf.contrib.rnn.GRUCell(4), 6, 3,
        output_projection=(tf.ones([4, 6]), tf.constant([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])), feed_previous=True,
    )
    return _found(outputs, state)


def one_to_many(tf):
    inputs = {"1": _ids(tf, TARGET, "one", 5), "2": _ids(tf, SOURCE, "two")}
    cells = {"1": tf.contrib.rnn.GRUCell(4), "2": tf.contrib.rnn.GRUCell(4)}
    outputs, states = tf.contrib.legacy_seq2seq.one2many_rnn_seq2seq(
        _ids(tf, SOURCE, "in"), inputs, tf.contrib.rnn.GRUCell(4), cells, 6, {"1": 5, "2": 7}, embedding_size=3
    )
    found = _found(outputs["1"], states["1"])
    found["second"] = tf.stack(outputs["2"])
    found["second_state"] = states["2"]
    return found


def translate(tf):
    """The tutorial's model: buckets, a sampled softmax and an output projection."""
    size, vocabulary = 4, 9
    buckets = [(2, 3), (3, 4)]
    w_t = tf.get_variable("proj_w", [vocabulary, size])
    w = tf.transpose(w_t)
    b = tf.get_variable("proj_b", [vocabulary])

    def loss_function(labels, logits):
        labels = tf.reshape(labels, [-1, 1])
        candidates = (tf.constant([1, 3, 5], tf.int64), tf.ones([BATCH, 1]) * 0.3, tf.ones([3]) * 0.4)
        return tf.nn.sampled_softmax_loss(
            weights=w_t, biases=b, labels=tf.cast(labels, tf.int64), inputs=logits, num_sampled=3,
            num_classes=vocabulary, sampled_values=candidates, partition_strategy="mod",
        )

    def model(encoder_inputs, decoder_inputs, do_decode):
        return tf.contrib.legacy_seq2seq.embedding_attention_seq2seq(
            encoder_inputs, decoder_inputs, tf.contrib.rnn.MultiRNNCell([tf.contrib.rnn.GRUCell(size)] * 2),
            num_encoder_symbols=6, num_decoder_symbols=vocabulary, embedding_size=size, output_projection=(w, b),
            feed_previous=do_decode, dtype=tf.float32,
        )

    weights = [tf.constant(np.abs(values((BATCH,), "weight%d" % i))) for i in range(TARGET)]
    outputs, losses = tf.contrib.legacy_seq2seq.model_with_buckets(
        _ids(tf, SOURCE, "in"), _ids(tf, TARGET, "out", 9), _ids(tf, TARGET, "target", 9), weights, buckets,
        lambda x, y: model(x, y, False), softmax_loss_function=loss_function,
    )
    return {"outputs0": tf.stack(outputs[0]), "outputs1": tf.stack(outputs[1]), "losses": tf.stack(losses)}


def losses(tf):
    seq2seq = tf.contrib.legacy_seq2seq
    logits, targets = _floats(tf, TARGET, "logits"), _ids(tf, TARGET, "target", 5)
    weights = [tf.constant(np.abs(values((BATCH,), "weight%d" % i))) for i in range(TARGET)]
    outputs, per_example = seq2seq.model_with_buckets(
        logits, logits, targets, weights, [(2, 2), (4, 4)], lambda x, y: (y, None), per_example_loss=True
    )
    return {
        "mean": seq2seq.sequence_loss(logits, targets, weights),
        "sum": seq2seq.sequence_loss(logits, targets, weights, False, False),
        "by_example": seq2seq.sequence_loss_by_example(logits, targets, weights, average_across_timesteps=False),
        "bucket": per_example[0],
        "last": tf.stack(outputs[1]),
    }


CASES = {
    "embedding_plain": _embedded("embedding_rnn_seq2seq", False),
    "embedding_fed": _embedded("embedding_rnn_seq2seq", True),
    "embedding_chosen": _embedded("embedding_rnn_seq2seq", "tensor"),
    "tied_embedding": _embedded("embedding_tied_rnn_seq2seq", False, num_decoder_symbols=5),
    "tied_embedding_fed": _embedded("embedding_tied_rnn_seq2seq", True),
    "tied_embedding_chosen": _embedded("embedding_tied_rnn_seq2seq", "other"),
    "attention": _embedded("embedding_attention_seq2seq", False),
    "attention_heads": _embedded("embedding_attention_seq2seq", True, num_heads=2, scope="mine"),
    "attention_chosen": _embedded("embedding_attention_seq2seq", "tensor"),
    "attention_not_chosen": _embedded("embedding_attention_seq2seq", "other", initial_state_attention=True),
}
CASES.update(
    (case.__name__, case)
    for case in (
        char_rnn, basic, tied, attention_projected, attention_by_hand, embedding_decoder, one_to_many, translate,
        losses,
    )
)

if __name__ == "__main__":
    from tf1_cases import recorded_cases

    recorded_cases.record("contrib_legacy_seq2seq", CASES)
