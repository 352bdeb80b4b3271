"""Fine-tuning on two towers: a small rate for the backbone, a larger one for the head and for biases."""
import numpy as np
import tensorflow as tf

TOWERS = 2
rng = np.random.RandomState(0)
x = tf.placeholder(tf.float32, [16, 6])
y = tf.placeholder(tf.int64, [16])
step = tf.train.get_or_create_global_step()
rate = tf.train.polynomial_decay(1e-2, step, 20000, 0, power=0.9)
optimizers = [tf.train.MomentumOptimizer(rate * factor, 0.9) for factor in (1.0, 10.0, 20.0)]
tower_grads, tower_losses = [], []
for i, (images, labels) in enumerate(zip(tf.split(x, TOWERS), tf.split(y, TOWERS))):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
        with tf.variable_scope("", reuse=i != 0):
            net = tf.layers.dense(images, 8, tf.nn.relu, name="backbone/conv1")
            logits = tf.layers.dense(net, 3, name="head/fc")
            with tf.variable_scope("aux"):
                aux = tf.layers.dense(net, 3, name="fc")
        ce = tf.nn.sparse_softmax_cross_entropy_with_logits
        l2 = [5e-4 * tf.nn.l2_loss(v) for v in tf.trainable_variables() if "kernel" in v.name]
        loss = tf.reduce_mean(ce(labels=labels, logits=logits)) + 0.4 * tf.reduce_mean(
            ce(labels=labels, logits=aux)) + tf.add_n(l2)
        tower_losses.append(loss)
        tower_grads.append(tf.gradients(loss, tf.trainable_variables()))
variables = tf.trainable_variables()
grads = [tf.accumulate_n(list(each)) / TOWERS for each in zip(*tower_grads)]
groups = [[], [], []]
for grad, var in zip(grads, variables):
    if "backbone" in var.name:
        groups[0].append((grad * (2.0 if "bias" in var.name else 1.0), var))
    else:
        groups[1 + ("bias" in var.name)].append((grad, var))
trains = [opt.apply_gradients(pairs) for opt, pairs in zip(optimizers[:2], groups[:2])]
trains.append(optimizers[2].apply_gradients(groups[2], global_step=step))
train_op = tf.group(*trains)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(8):
        _, losses = sess.run([train_op, tower_losses], {x: rng.rand(16, 6), y: rng.randint(0, 3, 16)})
    print("loss %.3f" % np.mean(losses))
