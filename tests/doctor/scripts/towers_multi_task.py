"""Two tasks on two towers, weighted losses, one gradient of the mean over towers."""
import numpy as np
import tensorflow as tf

N = 2
x = tf.placeholder(tf.float32, [None, 4], name="x")
y1 = tf.placeholder(tf.int32, [None], name="y1")
y2 = tf.placeholder(tf.float32, [None, 1], name="y2")
is_training = tf.placeholder_with_default(True, [], name="is_training")
splits = [tf.split(each, N) for each in (x, y1, y2)]
losses = []
for i, (a, b, c) in enumerate(zip(*splits)):
    with tf.device("/gpu:%d" % i), tf.variable_scope("net", reuse=i > 0), tf.name_scope("gpu_%d" % i):
        shared = tf.layers.dense(a, 8, tf.nn.relu, name="shared")
        shared = tf.layers.dropout(shared, 0.2, training=is_training)
        logits = tf.layers.dense(shared, 3, name="task1")
        value = tf.layers.dense(shared, 1, name="task2")
        loss1 = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=b, logits=logits))
        loss2 = tf.reduce_mean(tf.square(value - c)) / 2
        losses.append(0.7 * loss1 + 0.3 * loss2)
loss = tf.add_n(losses) / N
global_step = tf.Variable(0, trainable=False, name="global_step")
train_op = tf.train.AdamOptimizer(1e-3).minimize(loss, global_step=global_step, colocate_gradients_with_ops=True)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(10):
        feed = {x: rng.rand(16, 4), y1: rng.randint(0, 3, 16), y2: rng.rand(16, 1)}
        _, value = sess.run([train_op, loss], feed)
        if step % 5 == 0:
            feed[is_training] = False
            print("validation %.3f" % sess.run(loss, feed))
