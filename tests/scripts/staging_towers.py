"""Replicated variables, staging areas and a tf.data input as in tf_cnn_benchmarks."""
from __future__ import print_function

import argparse
import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib.all_reduce.python import all_reduce
from tensorflow.python.framework import ops
from tensorflow.python.layers import core as core_layers
from tensorflow.python.ops import data_flow_ops
from tensorflow.python.ops import variables
from tensorflow.python.platform import gfile
from tensorflow.python.util import nest

parser = argparse.ArgumentParser()
parser.add_argument('--num_gpus', type=int, default=2)
parser.add_argument('--train_dir')
parser.add_argument('--num_batches', type=int, default=10)
params = parser.parse_args()


def build_dataset(batch_size):
    rng = np.random.RandomState(12)
    images = rng.rand(80, 10).astype(np.float32)
    labels = rng.randint(0, 3, size=80).astype(np.int64)
    ds = tf.data.Dataset.from_tensor_slices((images, labels))
    ds = ds.repeat()
    ds = ds.apply(tf.contrib.data.map_and_batch(lambda x, y: (x * 2 - 1, y), batch_size=batch_size,
                                                num_parallel_batches=1))
    ds = ds.prefetch(buffer_size=params.num_gpus)
    return ds.make_one_shot_iterator()


class VariableMgr(object):
    """Gives each tower its own variables: v0, v1, ..."""

    def __call__(self, getter, name, *args, **kwargs):
        return getter(name, *args, **kwargs)

    def savable_variables(self):
        return [v for v in tf.global_variables() if v.name.startswith('v0/') or v.name.startswith('global_step')]

    def get_post_init_ops(self):
        copies = []
        by_name = dict((v.name, v) for v in tf.global_variables())
        for v in tf.global_variables():
            split_name = v.name.split('/')
            if split_name[0] == 'v0' or not v.name.startswith('v'):
                continue
            split_name[0] = 'v0'
            copies.append(v.assign(by_name['/'.join(split_name)].read_value()))
        return copies


def forward(images, labels):
    net = core_layers.dense(images, 8, activation=tf.nn.relu, name='fc1')
    net = tf.layers.batch_normalization(net, momentum=0.9, training=True, fused=False, name='bn')
    logits = core_layers.Dense(3, name='fc2')(net)
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=labels)
    return tf.reduce_mean(cross_entropy, name='xentropy_mean')


with tf.device('/cpu:0'):
    global_step = tf.train.get_or_create_global_step()
    iterator = build_dataset(4)
gradients, losses, stage_ops, update_ops = [], [], [], []
before = []
mgr = VariableMgr()
for d in range(params.num_gpus):
    with tf.device('/cpu:0'), tf.control_dependencies(before):
        host = iterator.get_next()
        before = [nest.flatten(host)[0]]
    with tf.variable_scope('v%i' % d, custom_getter=mgr), tf.device('/gpu:%d' % d), tf.name_scope('tower_%i' % d) as scope:
        area = data_flow_ops.StagingArea([t.dtype for t in host], shapes=[t.get_shape() for t in host])
        stage_ops.append(area.put(host))
        images, labels = area.get()
        images.set_shape([4, 10])
        loss = forward(images, labels)
        losses.append(loss)
        own = [v for v in tf.trainable_variables() if v.name.startswith('v%s/' % d)]
        # gate_gradients: otherwise a weight may be updated while the gradient of the previous layer still reads it.
        grads = tf.gradients(loss, own, aggregation_method=tf.AggregationMethod.DEFAULT, gate_gradients=True)
        gradients.append(list(zip(grads, own)))
        if d == 0:
            update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)

reduced = []
for pairs in zip(*gradients):
    total = tf.add_n([g for g, _ in pairs]) / len(pairs)
    reduced.append([(total, v) for _, v in pairs])
apply_ops = []
for d in range(params.num_gpus):
    with tf.device('/gpu:%d' % d):
        opt = tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=False)
        apply_ops.append(opt.apply_gradients([row[d] for row in reduced]))
train_op = tf.group(*(apply_ops + update_ops + [tf.assign_add(global_step, 1)]))
main_fetch_group = tf.group(train_op, *stage_ops)
loss = tf.reduce_mean(losses)

saver = tf.train.Saver(mgr.savable_variables())
config = tf.ConfigProto()
config.allow_soft_placement = True
config.gpu_options.force_gpu_compatible = True
with tf.Session(config=config) as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
    checkpoint = tf.train.latest_checkpoint(params.train_dir)
    if checkpoint:
        saver.restore(sess, checkpoint)
    else:
        if not gfile.Exists(params.train_dir):
            gfile.MakeDirs(params.train_dir)
        saver.save(sess, os.path.join(params.train_dir, 'model.ckpt'), global_step=0)
    sess.run(mgr.get_post_init_ops())
    sess.run(stage_ops)
    for step in range(params.num_batches):
        _, lossval = sess.run([main_fetch_group, loss])
        print('step %d: loss = %.8f' % (step, lossval))
    print('replicas apart:', max(
        abs(np.subtract(sess.run(a), sess.run(b))).max() for (_, a), (_, b) in zip(*gradients)))
    print(ops.get_default_graph() is sess.graph, len(variables.global_variables()) > 0, all_reduce is not None)
