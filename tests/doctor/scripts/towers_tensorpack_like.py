"""A trainer in the manner of tensorpack: a tower function, averaged and clipped gradients."""
import numpy as np
import tensorflow as tf


class Model(object):
    def optimizer(self):
        lr = tf.get_variable("learning_rate", initializer=0.01, trainable=False)
        return tf.train.MomentumOptimizer(lr, 0.9, use_nesterov=True)

    def build_graph(self, image, label):
        x = tf.layers.dense(image, 16, name="fc1", use_bias=False)
        x = tf.nn.relu(tf.layers.batch_normalization(x, training=True, name="bn"))
        x = tf.nn.dropout(x, keep_prob=0.9)
        logits = tf.layers.dense(x, 4, name="fc2")
        cost = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=label), name="ce")
        decay = tf.add_n([1e-4 * tf.nn.l2_loss(v) for v in tf.trainable_variables() if "kernel" in v.name], name="wd")
        return tf.add_n([cost, decay], name="cost")


class SyncTrainer(object):
    def __init__(self, towers):
        self.towers = towers

    def tower_scope(self, index):
        return tf.name_scope("tower%d" % index), tf.variable_scope(tf.get_variable_scope(), reuse=index > 0)

    def setup(self, model, iterator):
        opt, grads, costs = None, [], []
        for i in range(self.towers):
            name_scope, variable_scope = self.tower_scope(i)
            with tf.device("/gpu:%d" % i), variable_scope, name_scope:
                if opt is None:
                    with tf.name_scope(None):
                        opt = model.optimizer()
                cost = model.build_graph(*iterator.get_next())
                costs.append(cost)
                pairs = opt.compute_gradients(cost, tf.trainable_variables(), gate_gradients=1,
                                              colocate_gradients_with_ops=True)
                grads.append([(g, v) for g, v in pairs if g is not None])
        averaged = []
        with tf.name_scope("AvgGrad"):
            for pairs in zip(*grads):
                averaged.append((tf.multiply(tf.add_n([g for g, _ in pairs]), 1.0 / self.towers), pairs[0][1]))
        averaged = [(tf.clip_by_norm(g, 5.0), v) for g, v in averaged]
        updates = [u for u in tf.get_collection(tf.GraphKeys.UPDATE_OPS) if not u.name.startswith("tower1/")]
        step = tf.train.get_or_create_global_step()
        apply_op = opt.apply_gradients(averaged, global_step=step)
        with tf.control_dependencies([apply_op] + updates):
            return tf.identity(costs[0], name="train")


def main():
    rng = np.random.RandomState(0)
    data = tf.data.Dataset.from_tensor_slices((rng.rand(80, 6).astype(np.float32), rng.randint(0, 4, 80)))
    iterator = data.shuffle(80, seed=3).repeat().batch(8).prefetch(2).make_one_shot_iterator()
    train = SyncTrainer(2).setup(Model(), iterator)
    with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(10)],
                                           config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        while not sess.should_stop():
            cost = sess.run(train)
    print("cost %.3f" % cost)


if __name__ == "__main__":
    main()
