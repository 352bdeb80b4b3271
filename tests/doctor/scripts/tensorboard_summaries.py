"""mnist_with_summaries: scalar summaries fetched each 10th step, histograms of variables, run metadata once."""
import tempfile

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)


def variable_summaries(var):
    with tf.name_scope("summaries"):
        mean = tf.reduce_mean(var)
        tf.summary.scalar("mean", mean)
        tf.summary.scalar("stddev", tf.sqrt(tf.reduce_mean(tf.square(var - mean))))
        tf.summary.histogram("histogram", var)


def nn_layer(tensor, n_in, n_out, name, act=tf.nn.relu):
    with tf.name_scope(name):
        with tf.name_scope("weights"):
            weights = tf.Variable(tf.truncated_normal([n_in, n_out], stddev=0.1))
            variable_summaries(weights)
        biases = tf.Variable(tf.constant(0.1, shape=[n_out]))
        return act(tf.matmul(tensor, weights) + biases)


sess = tf.InteractiveSession()
x = tf.placeholder(tf.float32, [None, 12], name="x-input")
y_ = tf.placeholder(tf.int64, [None], name="y-input")
y = nn_layer(nn_layer(x, 12, 10, "layer1"), 10, 3, "layer2", act=tf.identity)
cross_entropy = tf.losses.sparse_softmax_cross_entropy(labels=y_, logits=y)
tf.summary.scalar("cross_entropy", cross_entropy)
train_step = tf.train.AdamOptimizer(0.01).minimize(cross_entropy)
merged = tf.summary.merge_all()
writer = tf.summary.FileWriter(tempfile.mkdtemp(), sess.graph)
tf.global_variables_initializer().run()
for i in range(30):
    feed = {x: rng.rand(16, 12), y_: rng.randint(0, 3, 16)}
    if i % 10 == 0:
        summary, loss = sess.run([merged, cross_entropy], feed_dict=feed)
        writer.add_summary(summary, i)
        print("step %d loss %.3f" % (i, loss))
    elif i % 10 == 9:
        run_metadata = tf.RunMetadata()
        sess.run(train_step, feed_dict=feed, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
                 run_metadata=run_metadata)
        writer.add_run_metadata(run_metadata, "step%03d" % i)
    else:
        sess.run(train_step, feed_dict=feed)
writer.close()
sess.close()
