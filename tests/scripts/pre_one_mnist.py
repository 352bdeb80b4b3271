"""Softmax regression and a small net in the API of TensorFlow 0.8 to 0.12."""
import os

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string('data_dir', 'data/', 'Directory for storing data')
flags.DEFINE_string('train_dir', 'train/', 'Directory for checkpoints')
flags.DEFINE_integer('max_steps', 100, 'Steps')
FLAGS._parse_flags()

mnist = input_data.read_data_sets(FLAGS.data_dir, one_hot=True)

sess = tf.InteractiveSession()

x = tf.placeholder("float", [None, 784], name="x-input")
y_ = tf.placeholder("float", [None, 10], name="y-input")
W = tf.Variable(tf.truncated_normal([784, 8], stddev=0.05), name="weights")
b = tf.Variable(tf.zeros([8]), name="bias")
W2 = tf.Variable(tf.truncated_normal([8, 10], stddev=0.3), name="weights2")

with tf.name_scope("Wx_b") as scope:
    hidden = tf.nn.relu(tf.add(tf.matmul(x, W), b))
    parts = tf.split(1, 2, hidden)
    hidden = tf.concat(1, [parts[1], tf.mul(parts[0], 1.0)])
    logits = tf.matmul(hidden, W2)
    stacked = tf.pack([logits, tf.neg(logits)])
    logits = tf.unpack(stacked)[0]

w_hist = tf.histogram_summary("weights", W)
y_hist = tf.histogram_summary("y", logits)

with tf.name_scope("xent") as scope:
    cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits, y_))
    ce_summ = tf.scalar_summary("cross entropy", cross_entropy)
with tf.name_scope("train") as scope:
    train_step = tf.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)
with tf.name_scope("test") as scope:
    correct_prediction = tf.equal(tf.argmax(logits, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(correct_prediction, "float"))
    accuracy_summary = tf.scalar_summary("accuracy", accuracy)

merged = tf.merge_all_summaries()
writer = tf.train.SummaryWriter(os.path.join(FLAGS.train_dir, "logs"), sess.graph_def)
saver = tf.train.Saver(tf.all_variables())
tf.initialize_all_variables().run()
if tf.train.latest_checkpoint(FLAGS.train_dir):
    saver.restore(sess, tf.train.latest_checkpoint(FLAGS.train_dir))
else:
    saver.save(sess, os.path.join(FLAGS.train_dir, 'model.ckpt'), global_step=0)

for i in range(FLAGS.max_steps):
    # Not by next_batch, which shuffles.
    batch_xs = mnist.train.images[i * 20:(i + 1) * 20]
    batch_ys = mnist.train.labels[i * 20:(i + 1) * 20]
    summary_str, loss, _ = sess.run([merged, cross_entropy, train_step], feed_dict={x: batch_xs, y_: batch_ys})
    writer.add_summary(summary_str, i)
    print("Step %d: loss = %.8f" % (i, loss))
print("Accuracy: %s" % accuracy.eval({x: mnist.test.images[:100], y_: mnist.test.labels[:100]}))
