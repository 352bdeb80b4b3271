import sys
import tensorflow as tf
from in_package.data.inputs import Dataset


def train(data_dir):
    x, y = Dataset(data_dir).batch(4)
    w = tf.get_variable('w', [2, 1], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - tf.expand_dims(tf.to_float(y), 1)))
    step = tf.train.GradientDescentOptimizer(1e-3).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for _ in range(5):
            print(sess.run([step, loss])[1])
        coord.request_stop()
        coord.join(threads)


if __name__ == '__main__':
    train(sys.argv[1])
