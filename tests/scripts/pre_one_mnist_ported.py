"""pre_one_mnist.py, manually ported to TensorFlow 1.15 and Python 3."""
import os

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string('data_dir', None, 'Directory for storing data')
flags.DEFINE_string('train_dir', None, 'Directory for checkpoints')
flags.DEFINE_integer('max_steps', 100, 'Steps')


def main(_):
    mnist = input_data.read_data_sets(FLAGS.data_dir, one_hot=True)
    x = tf.placeholder(tf.float32, [None, 784])
    y_ = tf.placeholder(tf.float32, [None, 10])
    W = tf.Variable(tf.truncated_normal([784, 8], stddev=0.05), name="weights")
    b = tf.Variable(tf.zeros([8]), name="bias")
    W2 = tf.Variable(tf.truncated_normal([8, 10], stddev=0.3), name="weights2")
    hidden = tf.nn.relu(tf.matmul(x, W) + b)
    hidden = tf.concat([hidden[:, 4:], hidden[:, :4]], axis=1)
    logits = tf.matmul(hidden, W2)
    loss = -tf.reduce_mean(tf.reduce_sum(y_ * tf.nn.log_softmax(logits), axis=1))
    train_step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        if tf.train.latest_checkpoint(FLAGS.train_dir):
            saver.restore(sess, tf.train.latest_checkpoint(FLAGS.train_dir))
        else:
            saver.save(sess, os.path.join(FLAGS.train_dir, 'model.ckpt'), global_step=0)
        for i in range(FLAGS.max_steps):
            rows = slice(i * 20, (i + 1) * 20)
            value, _ = sess.run([loss, train_step], {x: mnist.train.images[rows], y_: mnist.train.labels[rows]})
            print("Step %d: loss = %.8f" % (i, value))


if __name__ == '__main__':
    tf.app.run()
