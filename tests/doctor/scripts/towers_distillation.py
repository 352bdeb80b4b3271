"""A student on two towers learns from a teacher that is not trained, and from labels."""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("num_gpus", 2, "towers")
flags.DEFINE_float("temperature", 2.0, "of the soft targets")
FLAGS = flags.FLAGS


def network(x, name, size, weight_decay=None):
    regularizer = None if weight_decay is None else tf.contrib.layers.l2_regularizer(weight_decay)
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        x = tf.layers.dense(x, size, tf.nn.relu, name="fc1", kernel_regularizer=regularizer)
        return tf.layers.dense(x, 3, name="fc2", kernel_regularizer=regularizer)


def main(_):
    rng = np.random.RandomState(0)
    data = tf.data.Dataset.from_tensor_slices((rng.rand(96, 5).astype(np.float32), rng.randint(0, 3, 96)))
    features, labels = data.shuffle(96).repeat().batch(16, drop_remainder=True).make_one_shot_iterator().get_next()
    features = tf.split(features, FLAGS.num_gpus)
    labels = tf.split(labels, FLAGS.num_gpus)
    opt = tf.train.AdamOptimizer(1e-3)
    tower_grads = []
    for i in range(FLAGS.num_gpus):
        with tf.device(tf.DeviceSpec(device_type="GPU", device_index=i)), tf.name_scope("tower_%d" % i):
            teacher = tf.stop_gradient(network(features[i], "teacher", 32))
            student = network(features[i], "student", 8, 1e-4)
            t = FLAGS.temperature
            soft = tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.nn.softmax(teacher / t), logits=student / t)
            hard = tf.losses.sparse_softmax_cross_entropy(labels[i], student)
            loss = 0.5 * hard + 0.5 * t * t * tf.reduce_mean(soft) + tf.losses.get_regularization_loss()
            variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "student")
            tower_grads.append(opt.compute_gradients(loss, variables))
            tf.summary.scalar("loss", loss)
    grads = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
    grads, _ = tf.clip_by_global_norm([g for g, _ in grads], 5.0), None
    step = tf.train.get_or_create_global_step()
    train_op = opt.apply_gradients(list(zip(grads[0], variables)), global_step=step)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(10):
            _, value = sess.run([train_op, loss])
    print("loss %.3f" % value)


if __name__ == "__main__":
    tf.app.run()
