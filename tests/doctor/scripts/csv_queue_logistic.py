"""Logistic regression on CSV files by a queue with num_epochs: local initializer, coordinator, OutOfRange ends it."""
import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
rng = np.random.RandomState(0)
for i in range(3):
    x = rng.rand(40, 3)
    with open(os.path.join(folder, "part%d.csv" % i), "w") as f:
        for row in x:
            f.write("%f,%f,%f,%d\n" % (row[0], row[1], row[2], row.sum() > 1.5))


def inputs(filenames, batch_size, num_epochs):
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs, shuffle=True)
    reader = tf.TextLineReader()
    key, value = reader.read(filename_queue)
    a, b, c, label = tf.decode_csv(value, record_defaults=[[0.0], [0.0], [0.0], [0]])
    features = tf.stack([a, b, c])
    min_after_dequeue = 60
    return tf.train.shuffle_batch([features, label], batch_size=batch_size,
                                  capacity=min_after_dequeue + 3 * batch_size, min_after_dequeue=min_after_dequeue)


features, labels = inputs([os.path.join(folder, "part%d.csv" % i) for i in range(3)], 10, 2)
W = tf.Variable(tf.zeros([3, 1]), name="weights")
b = tf.Variable(0.0, name="bias")
logits = tf.squeeze(tf.matmul(features, W) + b, axis=1)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=tf.to_float(labels)))
train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    step = 0
    try:
        while not coord.should_stop():
            _, value = sess.run([train_op, loss])
            step += 1
    except tf.errors.OutOfRangeError:
        print("done after %d steps, loss %.3f" % (step, value))
    finally:
        coord.request_stop()
    coord.join(threads)
