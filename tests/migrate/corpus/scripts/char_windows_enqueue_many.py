"""Character model: all windows of a line go into the queue at once."""
import sys

import tensorflow as tf

SEQ_LENGTH = 5


def windows_of(line):
    codes = tf.to_int32(tf.decode_raw(tf.string_join([line, tf.constant("     \n")]), tf.uint8))
    count = tf.size(codes) - SEQ_LENGTH
    starts = tf.range(count)
    index = tf.expand_dims(starts, 1) + tf.expand_dims(tf.range(SEQ_LENGTH + 1), 0)
    windows = tf.gather(codes, index)
    return windows[:, :-1], windows[:, 1:]


class Model():
    def __init__(self, x, y):
        embedding = tf.get_variable("embedding", [256, 8])
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicRNNCell(8) for _ in range(2)])
        outputs, self.state = tf.nn.dynamic_rnn(cell, tf.nn.embedding_lookup(embedding, x), dtype=tf.float32)
        logits = tf.layers.dense(outputs, 256)
        self.cost = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        self.lr = tf.Variable(0.0, trainable=False)
        tvars = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(self.cost, tvars), 5.)
        self.train_op = tf.train.AdamOptimizer(self.lr).apply_gradients(zip(grads, tvars))


with tf.variable_scope("input"):
    filename_queue = tf.train.string_input_producer([sys.argv[1] + "/text/corpus.txt"], num_epochs=1)
    reader = tf.TextLineReader()
    _, line = reader.read(filename_queue)
    x, y = windows_of(line)
    x.set_shape([None, SEQ_LENGTH])
    y.set_shape([None, SEQ_LENGTH])
    x_batch, y_batch = tf.train.shuffle_batch([x, y], 20, capacity=400, min_after_dequeue=100, enqueue_many=True)

model = Model(x_batch, y_batch)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    sess.run(tf.assign(model.lr, 0.002))
    b = 0
    while not coord.should_stop():
        try:
            train_loss, _ = sess.run([model.cost, model.train_op])
            b += 1
        except tf.errors.OutOfRangeError:
            break
    print("{} batches".format(b))
    coord.request_stop()
    coord.join(threads)
