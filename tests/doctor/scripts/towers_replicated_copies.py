"""Replicated variables as in tf_cnn_benchmarks: each tower has copies, and applies the sum of all towers' gradients."""
import numpy as np
import tensorflow as tf

TOWERS, BATCH = 2, 8
rng = np.random.RandomState(0)
dataset = tf.data.Dataset.from_tensor_slices((rng.rand(64, 10).astype(np.float32), rng.randint(0, 3, 64)))
iterator = dataset.shuffle(64).repeat().batch(BATCH, drop_remainder=True).make_one_shot_iterator()


def build(tower):
    with tf.variable_scope("v%d" % tower), tf.name_scope("tower_%d" % tower), tf.device("/gpu:%d" % tower):
        images, labels = iterator.get_next()
        hidden = tf.nn.relu(tf.layers.dense(images, 16, name="affine0"))
        logits = tf.layers.dense(hidden, 3, name="affine1")
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        params = [v for v in tf.trainable_variables() if v.name.startswith("v%d/" % tower)]
        loss = loss + 1e-4 * tf.add_n([tf.nn.l2_loss(v) for v in params])
        return loss, params, tf.gradients(loss, params)


towers = [build(i) for i in range(TOWERS)]
rate = tf.train.piecewise_constant(tf.train.get_or_create_global_step(), [100], [0.05 / TOWERS, 0.005 / TOWERS])
summed = [tf.add_n(list(grads)) for grads in zip(*[each[2] for each in towers])]
train_ops = []
for i, (_, params, _) in enumerate(towers):
    with tf.device("/gpu:%d" % i):
        opt = tf.train.MomentumOptimizer(rate, 0.9)
        train_ops.append(opt.apply_gradients(list(zip(summed, params))))
step = tf.train.get_global_step()
with tf.control_dependencies(train_ops):
    train_op = tf.group(tf.assign_add(step, 1))
copies = [tf.assign(mine, first) for _, params, _ in towers[1:] for mine, first in zip(params, towers[0][1])]
with tf.control_dependencies([tf.global_variables_initializer()]):
    local_init = tf.no_op()
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.group(*copies))
    mean_loss = tf.reduce_mean([each[0] for each in towers])
    for _ in range(10):
        _, value = sess.run([train_op, mean_loss])
    print("loss %.3f" % value)
