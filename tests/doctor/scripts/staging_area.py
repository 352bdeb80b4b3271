"""StagingArea in front of the model: filled once before the loop, put and get in each step."""
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import data_flow_ops

rng = np.random.RandomState(0)
ds = tf.data.Dataset.from_tensor_slices((rng.rand(64, 5).astype(np.float32), rng.randint(0, 2, 64)))
host = ds.shuffle(64).repeat().batch(8, drop_remainder=True).make_one_shot_iterator().get_next()
area = data_flow_ops.StagingArea([each.dtype for each in host], shapes=[each.get_shape() for each in host])
stage_op = area.put(host)
x, y = area.get()
loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(x, 2))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
step_ops = tf.group(train_op, stage_op)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(stage_op)
    for _ in range(15):
        _, value = sess.run([step_ops, loss])
print("loss %.3f" % value)
