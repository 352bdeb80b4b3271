"""slim-like clones that train the head of a model: the variables of the backbone stay trainable and are left out."""
import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
CLONES, BATCH = 2, 8
rng = np.random.RandomState(0)


def network(x):
    with slim.arg_scope([slim.fully_connected], weights_regularizer=slim.l2_regularizer(5e-4)):
        net = slim.fully_connected(x, 16, scope="backbone/fc1")
        net = slim.fully_connected(net, 8, scope="backbone/fc2")
        return slim.fully_connected(net, 3, activation_fn=None, scope="logits")


def main(_):
    with tf.Graph().as_default():
        example = tf.train.slice_input_producer([rng.rand(96, 6).astype(np.float32), rng.randint(0, 3, 96)])
        queue = slim.prefetch_queue.prefetch_queue(tf.train.batch(example, BATCH, num_threads=2), capacity=4)
        step = slim.create_global_step()
        opt = tf.train.MomentumOptimizer(tf.train.exponential_decay(0.01, step, 1000, 0.94, staircase=True), 0.9)
        pairs, losses = [], []
        for i in range(CLONES):
            scope_name = "clone_%d" % i if CLONES > 1 else ""
            with tf.name_scope(scope_name), tf.device("/device:GPU:%d" % i):
                with tf.variable_scope(tf.get_variable_scope(), reuse=True if i else None):
                    x, y = queue.dequeue()
                    slim.losses.sparse_softmax_cross_entropy(network(x), y) if hasattr(
                        slim.losses, "sparse_softmax_cross_entropy") else tf.losses.sparse_softmax_cross_entropy(
                            y, network(x))
        head = [v for v in tf.trainable_variables() if v.op.name.startswith("logits")]
        for i in range(CLONES):
            collected = tf.get_collection(tf.GraphKeys.LOSSES, "clone_%d/" % i)
            total = tf.add_n(collected) / CLONES
            if i == 0:
                total += tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
            losses.append(total)
            with tf.device("/device:GPU:%d" % i):
                pairs.append(opt.compute_gradients(total, head))
        summed = []
        for each in zip(*pairs):
            summed.append((tf.add_n([g for g, _ in each], name=each[0][1].op.name + "/sum_grads"), each[0][1]))
        update = opt.apply_gradients(summed, global_step=step)
        with tf.control_dependencies([update]):
            train = tf.identity(tf.add_n(losses), name="train_op")
        with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(8)],
                                               config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            while not sess.should_stop():
                value = sess.run(train)
        print("loss %.3f" % value)


if __name__ == "__main__":
    tf.app.run()
