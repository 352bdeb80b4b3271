"""A word-level language model whose batches are windows of one long text."""
import collections
import os
import sys

import tensorflow as tf


def build_vocab(filename):
    with tf.gfile.GFile(filename, "r") as f:
        words = f.read().replace("\n", " <eos> ").split()
    count_pairs = sorted(collections.Counter(words).items(), key=lambda x: (-x[1], x[0]))
    word_to_id = {word: i for i, (word, _) in enumerate(count_pairs)}
    return [word_to_id[word] for word in words], len(word_to_id)


def ptb_producer(raw_data, batch_size, num_steps, name=None):
    with tf.name_scope(name, "PTBProducer", [raw_data, batch_size, num_steps]):
        raw_data = tf.convert_to_tensor(raw_data, name="raw_data", dtype=tf.int32)
        data_len = tf.size(raw_data)
        batch_len = data_len // batch_size
        data = tf.reshape(raw_data[0:batch_size * batch_len], [batch_size, batch_len])

        epoch_size = (batch_len - 1) // num_steps
        assertion = tf.assert_positive(epoch_size, message="epoch_size == 0, decrease batch_size or num_steps")
        with tf.control_dependencies([assertion]):
            epoch_size = tf.identity(epoch_size, name="epoch_size")

        i = tf.train.range_input_producer(epoch_size, shuffle=False).dequeue()
        x = tf.strided_slice(data, [0, i * num_steps], [batch_size, (i + 1) * num_steps])
        x.set_shape([batch_size, num_steps])
        y = tf.strided_slice(data, [0, i * num_steps + 1], [batch_size, (i + 1) * num_steps + 1])
        y.set_shape([batch_size, num_steps])
        return x, y


class SmallModel(object):
    def __init__(self, inputs, targets, vocab_size, size=6):
        embedding = tf.get_variable("embedding", [vocab_size, size])
        hidden = tf.nn.embedding_lookup(embedding, inputs)
        state = tf.reduce_mean(hidden, 1, keepdims=True)
        logits = tf.layers.dense(hidden + state, vocab_size, name="softmax")
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
        self.cost = tf.reduce_sum(losses) / tf.cast(tf.shape(inputs)[0], tf.float32)
        tvars = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(self.cost, tvars), 5.0)
        optimizer = tf.train.GradientDescentOptimizer(0.5)
        self.train_op = optimizer.apply_gradients(zip(grads, tvars),
                                                  global_step=tf.train.get_or_create_global_step())


raw, size = build_vocab(os.path.join(sys.argv[1], "words.txt"))
with tf.Graph().as_default():
    with tf.name_scope("Train"):
        x, y = ptb_producer(raw, 4, 5, name="TrainInput")
        with tf.variable_scope("Model", initializer=tf.random_uniform_initializer(-0.1, 0.1)):
            m = SmallModel(x, y, size)
    sv = tf.train.Supervisor(logdir=None)
    with sv.managed_session() as session:
        costs = 0.0
        for step in range(7):
            cost, _ = session.run([m.cost, m.train_op])
            costs += cost
        print("Train cost is positive:", costs > 0)
