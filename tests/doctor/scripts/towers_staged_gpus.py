"""Towers that are known by their GPUs only, each with a staging area; one gradient of the mean of tf.losses' losses."""
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import data_flow_ops

GPUS = 2
rng = np.random.RandomState(0)
dataset = tf.data.Dataset.from_tensor_slices((rng.rand(64, 5).astype(np.float32), rng.randint(0, 3, 64)))
images, labels = dataset.repeat().batch(16, drop_remainder=True).make_one_shot_iterator().get_next()
puts, losses = [], []
with tf.variable_scope(tf.get_variable_scope()) as outer:
    for i in range(GPUS):
        with tf.device("/gpu:%d" % i):
            area = data_flow_ops.StagingArea([tf.float32, tf.int64], [[8, 5], [8]])
            puts.append(area.put([tf.split(images, GPUS)[i], tf.to_int64(tf.split(labels, GPUS)[i])]))
            x, y = area.get()
            h = tf.layers.dense(x, 8, tf.nn.relu, name="h", kernel_regularizer=tf.nn.l2_loss)
            logits = tf.layers.dense(h, 3, name="out")
            losses.append(tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)))
            outer.reuse_variables()
loss = tf.reduce_mean(losses) + 1e-4 * tf.losses.get_regularization_loss()
step = tf.train.get_or_create_global_step()
train = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=step)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(puts)
    for _ in range(8):
        _, value, _ = sess.run([train, loss, puts])
    print("loss %.3f" % value)
