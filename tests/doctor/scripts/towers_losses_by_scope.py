"""tf.losses with scopes, regularization in every tower of averaged gradients, decay by examples, Supervisor."""
import numpy as np
import tensorflow as tf

NUM, BATCH, EXAMPLES = 2, 8, 96
rng = np.random.RandomState(0)


def tower(scope, x, y):
    reg = tf.contrib.layers.l2_regularizer(0.001)
    with tf.variable_scope("net", regularizer=reg):
        w = tf.get_variable("w", [5, 8])
        v = tf.get_variable("v", [8, 1])
    out = tf.matmul(tf.nn.relu(tf.matmul(x, w)), v)
    tf.losses.mean_squared_error(y, out)
    tf.losses.absolute_difference(y, out, weights=0.1)
    losses = tf.losses.get_losses(scope) + tf.losses.get_regularization_losses()
    return tf.add_n(losses, "total")


with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.01, step * BATCH * NUM, EXAMPLES, 0.95, staircase=True)
    opt = tf.train.GradientDescentOptimizer(rate)
    data = tf.data.Dataset.from_tensor_slices((rng.rand(EXAMPLES, 5).astype(np.float32),
                                               rng.rand(EXAMPLES, 1).astype(np.float32)))
    iterator = data.shuffle(EXAMPLES).repeat().batch(BATCH).make_one_shot_iterator()
    grads = []
    for i in range(NUM):
        with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i) as scope:
            with tf.variable_scope(tf.get_variable_scope(), reuse=i > 0):
                loss = tower(scope, *iterator.get_next())
                grads.append(opt.compute_gradients(loss))
    averaged = []
    for pairs in zip(*grads):
        averaged.append((tf.div(tf.add_n([g for g, _ in pairs]), NUM), pairs[0][1]))
    train = opt.apply_gradients(averaged, global_step=step)
    sv = tf.train.Supervisor(logdir=None, global_step=step, summary_op=None)
    with sv.managed_session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        for _ in range(10):
            if sv.should_stop():
                break
            _, value = sess.run([train, loss])
    print("loss %.3f" % value)
