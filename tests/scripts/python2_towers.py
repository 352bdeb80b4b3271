# -*- coding: utf-8 -*-
"""Training with towers in Python 2.7."""
import cPickle
import os
import sys
import StringIO

import numpy as np
import tensorflow as tf

NUM_GPUS = 2
EXAMPLES = 64
BATCH = EXAMPLES / 4        # an int in Python 2
TRAIN_DIR = sys.argv[1] if len(sys.argv) > 1 else 'python2_towers'
MAX_STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 20


def load_data():
    rng = np.random.RandomState(0)
    text = cPickle.dumps({'x': rng.rand(EXAMPLES, 6), 'y': rng.randint(3, size=EXAMPLES)})
    data = cPickle.load(StringIO.StringIO(text)) if sys.version_info[0] < 3 else cPickle.loads(text)
    for key, value in sorted(data.iteritems()):
        print 'loaded', key, value.shape
    if not data.has_key('x'):
        raise ValueError, 'no x'
    return data['x'].astype('float32'), data['y'].astype('int32')


class Net:
    def __init__(self, x, y):
        w1 = tf.get_variable('w1', [6, 10], initializer=tf.random_normal_initializer(stddev=0.3))
        b1 = tf.get_variable('b1', [10], initializer=tf.zeros_initializer())
        w2 = tf.get_variable('w2', [10, 3], initializer=tf.random_normal_initializer(stddev=0.3))
        h = tf.tanh(tf.matmul(x, w1) + b1)
        self.logits = tf.matmul(h, w2)
        self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=self.logits))


def main():
    images, labels = load_data()
    print >>sys.stderr, 'batches of %d examples' % BATCH
    x = tf.placeholder(tf.float32, [BATCH, 6])
    y = tf.placeholder(tf.int32, [BATCH])
    xs, ys = tf.split(x, NUM_GPUS), tf.split(y, NUM_GPUS)
    optimizer = tf.train.MomentumOptimizer(0.5, 0.9)
    gradients, losses = [], []
    for i in xrange(NUM_GPUS):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i), tf.variable_scope('net', reuse=i > 0 or None):
            net = Net(xs[i], ys[i])
            losses.append(net.loss)
            gradients.append(optimizer.compute_gradients(net.loss))
    averaged = map(lambda pairs: (tf.add_n([g for g, _ in pairs]) / NUM_GPUS, pairs[0][1]), zip(*gradients))
    print 'averaging', len(averaged), 'gradients'
    train = optimizer.apply_gradients(averaged)
    loss = tf.add_n(losses) / len(losses)

    saver = tf.train.Saver()
    sess = tf.InteractiveSession(config=tf.ConfigProto(allow_soft_placement=True))
    tf.global_variables_initializer().run()
    if tf.train.latest_checkpoint(TRAIN_DIR) is not None:
        saver.restore(sess, tf.train.latest_checkpoint(TRAIN_DIR))
    else:
        saver.save(sess, os.path.join(TRAIN_DIR, 'model.ckpt'), global_step=0)
    num_batches = EXAMPLES / BATCH
    for step in range(MAX_STEPS):
        begin = (step % num_batches) * BATCH
        try:
            _, value = sess.run([train, loss], {x: images[begin:begin + BATCH], y: labels[begin:begin + BATCH]})
        except tf.errors.InvalidArgumentError, e:
            print 'failed:', e
            raise
        print "step %d, loss = %.8f" % (step, value)


if __name__ == '__main__':
    main()
