"""A training and a validation pipeline with queues of their own, chosen by tf.cond on a placeholder."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)


def pipeline(n, shuffle):
    x = rng.rand(n, 4).astype(np.float32)
    example = tf.train.slice_input_producer([x, x.sum(1, keepdims=True)], shuffle=shuffle)
    return tf.train.batch(example, 8, capacity=32)


train_batch, valid_batch = pipeline(64, True), pipeline(32, False)
is_training = tf.placeholder_with_default(True, [])
x, y = tf.cond(is_training, lambda: train_batch, lambda: valid_batch)
x.set_shape([8, 4])
loss = tf.losses.mean_squared_error(y, tf.layers.dense(x, 1))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    for _ in range(12):
        sess.run(train_op)
    print("valid %.3f" % np.mean([sess.run(loss, {is_training: False}) for _ in range(4)]))
    coord.request_stop()
    coord.join(threads)
