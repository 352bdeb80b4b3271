"""Trains a small classifier on several devices, as in the CIFAR-10 tutorial of 2016."""
import re

import numpy as np
import tensorflow as tf

TOWER_NAME = 'tower'
MOVING_AVERAGE_DECAY = 0.99
BATCH_SIZE = 8
NUM_EXAMPLES = 256


def inputs(shard, num_shards):
  rng = np.random.RandomState(7)
  points = rng.normal(size=[NUM_EXAMPLES, 6]).astype(np.float32)
  labels = (points.dot(rng.normal(size=[6, 3])).argmax(axis=1)).astype(np.int32)
  with tf.device('/cpu:0'):
    point, label = tf.train.slice_input_producer(
        [points[shard::num_shards], labels[shard::num_shards]], shuffle=False)
    return tf.train.batch([point, label], BATCH_SIZE, num_threads=1)


def _variable_with_weight_decay(name, shape, wd):
  with tf.device('/cpu:0'):
    start = np.random.RandomState(len(name)).normal(size=shape, scale=0.3)
    var = tf.get_variable(name, shape, initializer=tf.constant_initializer(start))
  if wd is not None:
    tf.add_to_collection('losses', tf.multiply(tf.nn.l2_loss(var), wd, name='weight_loss'))
  return var


def inference(points):
  with tf.variable_scope('local1') as scope:
    weights = _variable_with_weight_decay('weights', [6, 16], wd=0.004)
    biases = _variable_with_weight_decay('biases', [16], wd=None)
    local1 = tf.nn.relu(tf.matmul(points, weights) + biases, name=scope.name)
    tensor_name = re.sub('%s_[0-9]*/' % TOWER_NAME, '', local1.op.name)
    tf.summary.histogram(tensor_name + '/activations', local1)
  with tf.variable_scope('softmax_linear') as scope:
    weights = _variable_with_weight_decay('weights', [16, 3], wd=0.0)
    biases = _variable_with_weight_decay('biases', [3], wd=None)
    return tf.add(tf.matmul(local1, weights), biases, name=scope.name)


def tower_loss(scope, shard, num_shards):
  points, labels = inputs(shard, num_shards)
  logits = inference(points)
  cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
  tf.add_to_collection('losses', tf.reduce_mean(cross_entropy, name='cross_entropy'))
  losses = tf.get_collection('losses', scope)
  return tf.add_n(losses, name='total_loss')


def average_gradients(tower_grads):
  average_grads = []
  for grad_and_vars in zip(*tower_grads):
    grads = []
    for g, _ in grad_and_vars:
      expanded_g = tf.expand_dims(g, 0)
      grads.append(expanded_g)
    grad = tf.concat(axis=0, values=grads)
    grad = tf.reduce_mean(grad, 0)
    v = grad_and_vars[0][1]
    average_grads.append((grad, v))
  return average_grads


def train(num_towers, num_steps):
  with tf.Graph().as_default(), tf.device('/cpu:0'):
    global_step = tf.get_variable('global_step', [], initializer=tf.constant_initializer(0), trainable=False)
    lr = tf.train.exponential_decay(0.3, global_step, 20, 0.9, staircase=True)
    opt = tf.train.GradientDescentOptimizer(lr)

    tower_grads = []
    tower_losses = []
    with tf.variable_scope(tf.get_variable_scope()):
      for i in range(num_towers):
        with tf.device('/cpu:%d' % i):
          with tf.name_scope('%s_%d' % (TOWER_NAME, i)) as scope:
            loss = tower_loss(scope, i, num_towers)
            tower_losses.append(loss)
            tf.get_variable_scope().reuse_variables()
            summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
            grads = opt.compute_gradients(loss)
            tower_grads.append(grads)

    grads = average_gradients(tower_grads)
    summaries.append(tf.summary.scalar('learning_rate', lr))
    for grad, var in grads:
      if grad is not None:
        summaries.append(tf.summary.histogram(var.op.name + '/gradients', grad))
    apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)

    variable_averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY, global_step)
    variables_averages_op = variable_averages.apply(tf.trainable_variables())
    train_op = tf.group(apply_gradient_op, variables_averages_op)

    summary_op = tf.summary.merge(summaries)
    init = tf.global_variables_initializer()

    sess = tf.Session(config=tf.ConfigProto(
        allow_soft_placement=True, device_count={'CPU': num_towers}))
    sess.run(init)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)

    mean_loss = tf.add_n(tower_losses) / num_towers
    history = []
    for step in range(num_steps):
      _, loss_value = sess.run([train_op, mean_loss])
      assert not np.isnan(loss_value), 'Model diverged with loss = NaN'
      history.append(float(loss_value))
      if step == num_steps - 1:
        assert len(sess.run(summary_op)) > 0
    coord.request_stop()
    coord.join(threads)
    sess.close()
    return history


if __name__ == '__main__':
  losses = train(num_towers=4, num_steps=60)
  print('loss %.4f -> %.4f' % (losses[0], losses[-1]))
