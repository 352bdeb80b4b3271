"""python -m towers_package.train --model_dir=... --steps=..."""
from __future__ import absolute_import, division, print_function

import argparse
import os

import numpy as np
import tensorflow as tf

from . import nets
from .common import average


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument('--model_dir', required=True)
    parser.add_argument('--steps', type=int, default=10)
    parser.add_argument('--gpus', type=lambda text: text.split(','), default='0,1')
    return parser.parse_args()


def main():
    args = parse()
    from .nets.wide import wide_net
    random = np.random.RandomState(5)
    data = random.rand(96, 7).astype(np.float32)
    target = random.randint(nets.NUM_CLASSES, size=96)

    x = tf.placeholder(tf.float32, [None, 7])
    y = tf.placeholder(tf.int64, [None])
    optimizer = tf.train.RMSPropOptimizer(0.01, momentum=0.9)
    losses, tower_grads = [], []
    shards = zip(args.gpus, tf.split(x, len(args.gpus)), tf.split(y, len(args.gpus)))
    for gpu, shard_x, shard_y in shards:
        with tf.device('/device:GPU:' + gpu), tf.name_scope('gpu_' + gpu):
            logits = wide_net(shard_x)
            loss = tf.losses.sparse_softmax_cross_entropy(labels=shard_y, logits=logits)
            losses.append(loss)
            tower_grads.append(optimizer.compute_gradients(loss))
    loss = tf.add_n(losses) / len(losses)
    train_op = optimizer.apply_gradients(average(tower_grads), tf.train.get_or_create_global_step())

    saver = tf.train.Saver()
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        state = tf.train.get_checkpoint_state(args.model_dir)
        if state and state.model_checkpoint_path:
            saver.restore(sess, state.model_checkpoint_path)
        else:
            saver.save(sess, os.path.join(args.model_dir, 'model.ckpt'), global_step=0)
        for i in range(args.steps):
            rows = slice(16 * i % 96, 16 * i % 96 + 16)
            _, value = sess.run([train_op, loss], {x: data[rows], y: target[rows]})
            print('[%s] step %d: loss = %.8f' % (__package__, i, value))


if __name__ == '__main__':
    main()
