# Multi-GPU MNIST-like training with one placeholder per tower, fed from lists.
# Usage: python tower_feed_lists.py --num_gpus 2
import argparse
import os

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim

parser = argparse.ArgumentParser()
parser.add_argument('--num_gpus', type=int, default=2)
parser.add_argument('--batch_size', type=int, default=8)
parser.add_argument('--max_steps', type=int, default=200)
parser.add_argument('--train_dir', default='/tmp/towers')
args = parser.parse_args()


def conv_net(x, n_classes, dropout, reuse, is_training):
    with tf.variable_scope('ConvNet', reuse=reuse):
        x = tf.reshape(x, shape=[-1, 12, 12, 1])
        x = tf.layers.conv2d(x, 8, 3, activation=tf.nn.relu)
        x = tf.layers.max_pooling2d(x, 2, 2)
        x = tf.layers.batch_normalization(x, training=is_training)
        x = tf.contrib.layers.flatten(x)
        x = tf.layers.dense(x, 16, activation=tf.nn.relu,
                            kernel_initializer=tf.contrib.layers.xavier_initializer(),
                            kernel_regularizer=tf.contrib.layers.l2_regularizer(1e-3))
        x = tf.layers.dropout(x, rate=dropout, training=is_training)
        out = tf.layers.dense(x, n_classes)
        # In training, the loss applies softmax.
        out = tf.nn.softmax(out) if not is_training else out
    return out


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        grad = tf.reduce_mean(tf.concat(grads, 0), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


PS_OPS = ['Variable', 'VariableV2', 'AutoReloadVariable', 'VarHandleOp']


def assign_to_device(device, ps_device='/cpu:0'):
    def _assign(op):
        node_def = op if isinstance(op, tf.NodeDef) else op.node_def
        if node_def.op in PS_OPS:
            return ps_device
        else:
            return device
    return _assign


with tf.device('/cpu:0'):
    tower_grads = []
    tower_losses = []
    Xs = []
    Ys = []
    reuse_vars = False
    # A large epsilon: the gradient of the bias before the batch norm is only rounding error, which Adam would amplify.
    opt = tf.train.AdamOptimizer(learning_rate=0.01, epsilon=0.01)
    for i in range(args.num_gpus):
        with tf.device(assign_to_device('/gpu:{}'.format(i), ps_device='/cpu:0')):
            _x = tf.placeholder(tf.float32, [None, 144])
            _y = tf.placeholder(tf.float32, [None, 4])
            Xs.append(_x)
            Ys.append(_y)

            logits_train = conv_net(_x, 4, 0.0, reuse=reuse_vars, is_training=True)
            logits_test = conv_net(_x, 4, 0.0, reuse=True, is_training=False)
            loss_op = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(
                logits=logits_train, labels=_y))
            if not reuse_vars:
                loss_op += tf.losses.get_regularization_loss()
                correct_pred = tf.equal(tf.argmax(logits_test, 1), tf.argmax(_y, 1))
                accuracy = tf.reduce_mean(tf.cast(correct_pred, tf.float32))
            reuse_vars = True
            tower_losses.append(loss_op)
            tower_grads.append(opt.compute_gradients(loss_op))

    loss = tf.add_n(tower_losses) / args.num_gpus
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    # The moving averages of the first tower only, since several towers would update them in any order.
    with tf.control_dependencies(update_ops[:2]):
        train_op = opt.apply_gradients(average_gradients(tower_grads))
    saver = tf.train.Saver()

    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        last = tf.train.latest_checkpoint(args.train_dir)
        if last:
            saver.restore(sess, last)
        else:
            saver.save(sess, os.path.join(args.train_dir, 'model.ckpt'), global_step=0)
        rng = np.random.RandomState(3)
        for step in range(args.max_steps):
            feed_dict = {}
            for i in range(args.num_gpus):
                labels = rng.randint(4, size=args.batch_size)
                feed_dict[Xs[i]] = rng.rand(args.batch_size, 144) * (1 + labels[:, None])
                feed_dict[Ys[i]] = np.eye(4)[labels]
            _, value = sess.run([train_op, loss], feed_dict=feed_dict)
            acc = sess.run(accuracy, feed_dict=feed_dict)
            print('Step {}: loss = {:.8f}, accuracy = {:.2f}'.format(step, value, acc))
        print('variables: %d, slim sees %d' % (len(tf.global_variables()), len(slim.get_model_variables())))
