"""A language model on two towers: sparse gradients are concatenated and divided."""
import numpy as np
import tensorflow as tf

TOWERS, BATCH, STEPS, VOCAB, SIZE = 2, 4, 5, 30, 8
rng = np.random.RandomState(0)
words = tf.placeholder(tf.int32, [TOWERS * BATCH, STEPS + 1], "words")


def average(tower_grads):
    result = []
    for pairs in zip(*tower_grads):
        grads, var = [g for g, _ in pairs], pairs[0][1]
        if isinstance(grads[0], tf.IndexedSlices):
            values = tf.concat([g.values / TOWERS for g in grads], 0)
            grad = tf.IndexedSlices(values, tf.concat([g.indices for g in grads], 0), grads[0].dense_shape)
        else:
            grad = tf.reduce_mean(tf.stack(grads), 0)
        result.append((grad, var))
    return result


rate = tf.Variable(1.0, trainable=False, name="rate")
new_rate = tf.placeholder(tf.float32, [], "new_rate")
set_rate = tf.assign(rate, new_rate)
opt = tf.train.GradientDescentOptimizer(rate)
tower_grads, costs = [], []
for i, part in enumerate(tf.split(words, TOWERS)):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
        with tf.variable_scope("lm", reuse=i > 0, initializer=tf.random_uniform_initializer(-0.1, 0.1)):
            embedding = tf.get_variable("embedding", [VOCAB, SIZE])
            inputs = tf.nn.dropout(tf.nn.embedding_lookup(embedding, part[:, :-1]), 0.8)
            cell = tf.nn.rnn_cell.BasicLSTMCell(SIZE)
            outputs, _ = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
            w = tf.get_variable("softmax_w", [SIZE, VOCAB])
            logits = tf.matmul(tf.reshape(outputs, [-1, SIZE]), w)
        targets = tf.reshape(part[:, 1:], [-1])
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
        cost = tf.reduce_sum(loss) / BATCH
        costs.append(cost)
        tower_grads.append(opt.compute_gradients(cost))
averaged = average(tower_grads)
clipped, norm = tf.clip_by_global_norm([g for g, _ in averaged], 5.0)
train = opt.apply_gradients(list(zip(clipped, [v for _, v in averaged])),
                            global_step=tf.train.get_or_create_global_step())
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        sess.run(set_rate, {new_rate: 0.5 ** epoch})
        for _ in range(4):
            _, value = sess.run([train, costs], {words: rng.randint(0, VOCAB, [TOWERS * BATCH, STEPS + 1])})
    print("perplexity %.3f" % np.exp(np.mean(value) / STEPS))
