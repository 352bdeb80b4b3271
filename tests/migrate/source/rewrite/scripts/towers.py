"""Splits one batch over two towers."""
import os
import sys
import tensorflow as tf

files = [os.path.join(sys.argv[1], "train-%05d-of-00003" % i) for i in range(3)]


def batch_inputs(batch_size):
    with tf.name_scope("batch_processing"):
        queue = tf.train.string_input_producer(files, shuffle=True, capacity=16)
        _, example = tf.TFRecordReader().read(queue)
        features = tf.parse_single_example(example, {
            "score": tf.FixedLenFeature([], tf.float32), "label": tf.FixedLenFeature([], tf.int64)})
        return tf.train.shuffle_batch(
            [features["score"], tf.to_float(features["label"])], batch_size, capacity=40, min_after_dequeue=10)


with tf.Graph().as_default(), tf.device("/cpu:0"):
    x, y = batch_inputs(8)
    xs, ys = tf.split(x, 2), tf.split(y, 2)
    optimizer = tf.train.GradientDescentOptimizer(1e-4)
    grads = []
    for i in range(2):
        with tf.name_scope("tower_%d" % i), tf.variable_scope(tf.get_variable_scope(), reuse=i > 0):
            w = tf.get_variable("w", [], initializer=tf.ones_initializer())
            loss = tf.reduce_mean(tf.square(xs[i] * w - ys[i]))
            grads.append(optimizer.compute_gradients(loss))
    mean = [((a[0] + b[0]) / 2, a[1]) for a, b in zip(*grads)]
    train = optimizer.apply_gradients(mean)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for step in range(4):
            print(sess.run([train, loss])[1])
        coord.request_stop()
        coord.join(threads)
