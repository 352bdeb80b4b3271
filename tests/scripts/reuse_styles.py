"""A tower loop that shares variables by reuse=True, reuse_variables(), AUTO_REUSE or a template."""
from __future__ import print_function
import os

import numpy as np
import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string('train_dir', None, 'Checkpoints.')
flags.DEFINE_integer('max_steps', 10, 'Steps.')
flags.DEFINE_integer('num_gpus', 2, 'Towers.')
flags.DEFINE_enum('reuse', 'flag', ['flag', 'call', 'auto', 'template'], 'How towers share variables.')
flags.mark_flag_as_required('train_dir')
BATCH = 6


def cnn(images, is_training=True):
    net = tf.layers.conv2d(images, 4, 3, padding='same', use_bias=False, name='conv1',
                           kernel_initializer=tf.variance_scaling_initializer(scale=2.0, seed=1))
    net = tf.layers.batch_normalization(net, training=is_training, momentum=0.9, name='bn1')
    net = tf.nn.relu(net)
    net = tf.layers.max_pooling2d(net, 2, 2)
    net = tf.layers.separable_conv2d(net, 6, 3, activation=tf.nn.elu, name='sep')
    net = tf.layers.flatten(net)
    net = tf.layers.dropout(net, 0.0, training=is_training)
    return tf.layers.dense(net, 3, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.01), name='out')


def tower_logits(i, images, template):
    if FLAGS.reuse == 'template':
        return template(images)
    if FLAGS.reuse == 'auto':
        with tf.variable_scope('model', reuse=tf.AUTO_REUSE):
            return cnn(images)
    if FLAGS.reuse == 'flag':
        with tf.variable_scope('model', reuse=(i > 0)):
            return cnn(images)
    with tf.variable_scope('model'):
        logits = cnn(images)
    tf.get_variable_scope().reuse_variables()
    return logits


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        grad = tf.reduce_mean(tf.concat(grads, 0), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


def main(argv=None):
    rng = np.random.RandomState(8)
    data_x, data_y = rng.rand(48, 8, 8, 2), rng.randint(3, size=[48, 1])
    with tf.Graph().as_default(), tf.device('/cpu:0'):
        X = tf.placeholder(tf.float32, [FLAGS.num_gpus * BATCH, 8, 8, 2])
        Y = tf.placeholder(tf.int32, [FLAGS.num_gpus * BATCH, 1])
        global_step = tf.get_variable('global_step', [], initializer=tf.constant_initializer(0), trainable=False)
        opt = tf.train.MomentumOptimizer(tf.train.polynomial_decay(0.1, global_step, 100), 0.9, use_nesterov=True)
        template = tf.make_template('model', cnn) if FLAGS.reuse == 'template' else None
        tower_grads, losses = [], []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(FLAGS.num_gpus):
                with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
                    logits = tower_logits(i, X[i * BATCH:(i + 1) * BATCH], template)
                    one_hot = tf.one_hot(tf.squeeze(Y[i * BATCH:(i + 1) * BATCH], [1]), 3)
                    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=one_hot))
                    if i == 0:
                        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)
                    losses.append(loss)
                    tower_grads.append(opt.compute_gradients(loss, colocate_gradients_with_ops=True))
        assert len(updates) == 2, updates
        with tf.control_dependencies(updates):
            train_op = opt.apply_gradients(average_gradients(tower_grads), global_step=global_step)
        loss = tf.reduce_mean(tf.stack(losses))

        saver = tf.train.Saver()
        config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
        config.gpu_options.allow_growth = True
        sess = tf.Session(config=config)
        sess.run(tf.global_variables_initializer())
        ckpt = tf.train.get_checkpoint_state(FLAGS.train_dir)
        if ckpt and ckpt.model_checkpoint_path:
            saver.restore(sess, ckpt.model_checkpoint_path)
            print('resumed from', sess.run(global_step))
        else:
            saver.save(sess, os.path.join(FLAGS.train_dir, 'model.ckpt'), global_step=0)
        size = FLAGS.num_gpus * BATCH
        for step in range(FLAGS.max_steps):
            start = step * size % 48
            _, value = sess.run([train_op, loss], feed_dict={X: data_x[start:start + size], Y: data_y[start:start + size]})
            print('step %d, loss = %.8f' % (step, value))
        print('moving mean', sess.run('model/bn1/moving_mean:0'))


if __name__ == '__main__':
    tf.app.run()
