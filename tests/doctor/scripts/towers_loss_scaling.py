"""Half precision with a loss scale: losses are multiplied by 128, gradients are averaged and divided by 128."""
import numpy as np
import tensorflow as tf

SCALE, TOWERS = 128.0, 2
rng = np.random.RandomState(0)


def custom_getter(getter, name, shape=None, dtype=None, *args, **kwargs):
    variable = getter(name, shape, tf.float32, *args, **kwargs)
    return tf.cast(variable, dtype) if dtype == tf.float16 else variable


images = tf.placeholder(tf.float32, [16, 6])
labels = tf.placeholder(tf.int32, [16])
opt = tf.train.MomentumOptimizer(0.05, 0.9)
grads = []
for i in range(TOWERS):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
        with tf.variable_scope("net", reuse=i > 0, custom_getter=custom_getter):
            x = tf.cast(tf.split(images, TOWERS)[i], tf.float16)
            w = tf.get_variable("w", [6, 4], tf.float16)
            logits = tf.cast(tf.matmul(x, w), tf.float32)
        loss = tf.losses.sparse_softmax_cross_entropy(tf.split(labels, TOWERS)[i], logits)
        pairs = opt.compute_gradients(loss * SCALE)
        grads.append([(g / SCALE, v) for g, v in pairs])
averaged = [(tf.add_n([g for g, _ in pairs]) / TOWERS, pairs[0][1]) for pairs in zip(*grads)]
finite = tf.reduce_all([tf.reduce_all(tf.is_finite(g)) for g, _ in averaged])
train = tf.cond(finite, lambda: opt.apply_gradients(averaged), lambda: tf.no_op())
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(8):
        _, value = sess.run([train, loss], {images: rng.rand(16, 6), labels: rng.randint(0, 4, 16)})
    print("loss %.3f" % value)
