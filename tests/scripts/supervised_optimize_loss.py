"""tf.contrib.layers.optimize_loss under a Supervisor; features from queues over constants."""
from __future__ import division
import os
import tensorflow as tf
import numpy as np
from tensorflow.contrib.framework import get_or_create_global_step
from tensorflow.contrib.layers.python.layers import optimizers

flags = tf.flags
flags.DEFINE_string("logdir", None, "Where checkpoints and events go")
flags.DEFINE_integer("steps", 10, "Number of steps")
FLAGS = flags.FLAGS


def features():
    rng = np.random.RandomState(18)
    values, categories = rng.rand(30, 4).astype(np.float32), rng.randint(5, size=[30, 2])
    labels = (values.sum(1) + categories[:, 0] > 4).astype(np.int32)
    with tf.device("/cpu:0"), tf.name_scope("input"):
        value, category, label = tf.train.slice_input_producer([values, categories, labels], shuffle=False)
        return tf.train.batch([value, category, label], batch_size=6, capacity=18, num_threads=1)


def model(values, categories, labels):
    embedded = tf.contrib.layers.embed_sequence(categories, vocab_size=5, embed_dim=3, scope="categories")
    net = tf.concat([values, tf.contrib.layers.flatten(embedded)], 1)
    net = tf.contrib.layers.stack(net, tf.contrib.layers.fully_connected, [7, 5], scope="fc")
    logits = tf.contrib.layers.linear(net, 1, scope="logit")
    labels = tf.expand_dims(tf.to_float(labels), 1)
    return tf.losses.sigmoid_cross_entropy(labels, logits, label_smoothing=0.1)


def decay(learning_rate, global_step):
    return tf.train.inverse_time_decay(learning_rate, global_step, 5, 0.5)


def main(_):
    with tf.Graph().as_default():
        global_step = get_or_create_global_step()
        values, categories, labels = features()
        with tf.device("/gpu:0"):
            loss = model(values, categories, labels)
        train_op = tf.contrib.layers.optimize_loss(
            loss=loss, global_step=global_step, learning_rate=0.3,
            optimizer=lambda lr: tf.train.MomentumOptimizer(lr, 0.8), clip_gradients=1.0,
            gradient_multipliers={"logit/biases": 2.0}, learning_rate_decay_fn=decay,
            summaries=["loss", "learning_rate", "gradients", "gradient_norm"])
        assert "loss" in optimizers.OPTIMIZER_SUMMARIES
        saver = tf.train.Saver()

        def load(sess):
            latest = os.path.join(FLAGS.logdir, "model.ckpt-0")
            if tf.train.checkpoint_exists(latest):
                saver.restore(sess, latest)
            else:
                saver.save(sess, os.path.join(FLAGS.logdir, "model.ckpt"), global_step=0)

        sv = tf.train.Supervisor(logdir=os.path.join(FLAGS.logdir, "run"), global_step=global_step, init_fn=load,
                                 saver=saver, save_model_secs=0, save_summaries_secs=600)
        with sv.managed_session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            while not sv.should_stop():
                value, step = sess.run([train_op, global_step])
                print("global step %d: loss = %.8f" % (step, value))
                if step >= FLAGS.steps:
                    sv.request_stop()
        sv.stop()


if __name__ == "__main__":
    tf.app.run()
