"""A toy regression: the pattern from the docs with limit_epochs around a tensor."""
import os
import sys

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)


class Regression(object):
    def __init__(self, path, epochs=4):
        table = np.loadtxt(path, delimiter=',', dtype=np.float32)
        with tf.variable_scope('data'):
            features = tf.train.limit_epochs(tf.constant(table[:, :-1], name='x'), num_epochs=epochs)
            targets = tf.constant(table[:, -1:], name='t')
            self.x, self.t = tf.train.batch([features, targets], batch_size=8, enqueue_many=True,
                                            allow_smaller_final_batch=True)
        self.w = tf.Variable(tf.zeros([table.shape[1] - 1, 1]))
        self.loss = tf.reduce_mean(tf.squared_difference(tf.matmul(self.x, self.w), self.t))
        self.step = tf.train.GradientDescentOptimizer(1e-2).minimize(self.loss)

    def fit(self):
        sizes = []
        with tf.Session() as sess:
            tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()).run()
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(coord=coord)
            try:
                while True:
                    _, x = sess.run([self.step, self.x])
                    sizes.append(x.shape[0])
            except tf.errors.OutOfRangeError:
                pass
            coord.request_stop()
            coord.join(threads)
        return sizes


print(Regression(os.path.join(sys.argv[1], 'ratings.csv')).fit())
