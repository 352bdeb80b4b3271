"""MonitoredTrainingSession with hooks and two towers; input by tf.data with tf.contrib.data."""
from datetime import datetime
import os
import time

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string('train_dir', None, """Directory where to write event logs and checkpoint.""")
tf.app.flags.DEFINE_integer('max_steps', 10, """Number of batches to run.""")
tf.app.flags.DEFINE_boolean('log_device_placement', False, """Whether to log device placement.""")
FLAGS = tf.app.flags.FLAGS
BATCH, NUM_GPUS = 5, 2


def pipeline():
  rng = np.random.RandomState(20)
  images = rng.rand(50, 6, 6, 1).astype(np.float32)
  labels = rng.randint(4, size=50)
  dataset = tf.data.Dataset.from_tensor_slices((images, labels))
  dataset = dataset.apply(tf.contrib.data.shuffle_and_repeat(1, seed=1))
  dataset = dataset.apply(tf.contrib.data.map_and_batch(lambda x, y: (x * 2. - 1., tf.cast(y, tf.int32)), BATCH,
                                                       drop_remainder=True))
  dataset = dataset.prefetch(4)
  iterator = dataset.make_initializable_iterator()
  tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
  return iterator


def _variable(name, shape, stddev):
  with tf.device('/cpu:0'):
    return tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=stddev))


def inference(images):
  with tf.variable_scope('conv') as scope:
    kernel = _variable('weights', [3, 3, 1, 5], 0.2)
    conv = tf.nn.relu(tf.nn.conv2d(images, kernel, [1, 1, 1, 1], 'SAME'), name=scope.name)
    tf.summary.scalar('sparsity', tf.nn.zero_fraction(conv))
  pool = tf.nn.avg_pool(conv, [1, 3, 3, 1], [1, 3, 3, 1], 'VALID')
  norm = tf.nn.lrn(pool, 2, bias=1.0, alpha=0.001, beta=0.75)
  with tf.variable_scope('fc'):
    flat = tf.reshape(norm, [BATCH, -1])
    return tf.matmul(flat, _variable('weights', [flat.get_shape()[1].value, 4], 0.3)) + _variable('biases', [4], 0.01)


def train():
  with tf.Graph().as_default(), tf.device('/cpu:0'):
    global_step = tf.train.get_or_create_global_step()
    iterator = pipeline()
    learning_rate = tf.train.piecewise_constant(tf.cast(global_step, tf.int32), [3, 6], [0.2, 0.1, 0.05])
    opt = tf.train.ProximalAdagradOptimizer(learning_rate, l2_regularization_strength=0.001)
    towers, losses, before = [], [], []
    for i in range(NUM_GPUS):
      with tf.control_dependencies(before):
        images, labels = iterator.get_next()
      before = [images]
      with tf.device(tf.DeviceSpec(device_type='GPU', device_index=i)), tf.name_scope('tower_%d' % i):
        with tf.variable_scope('net', reuse=bool(i)):
          logits = inference(images)
        tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits, scope='xent_%d' % i)
        loss = tf.losses.get_losses(scope='tower_%d' % i)[0]
        losses.append(loss)
        towers.append(opt.compute_gradients(loss, gate_gradients=opt.GATE_GRAPH))
    loss = tf.reduce_mean(losses, name='total')
    grads = [(sum(g for g, _ in pairs) / NUM_GPUS, pairs[0][1]) for pairs in zip(*towers)]
    apply_op = opt.apply_gradients(grads, global_step=global_step)
    ema = tf.train.ExponentialMovingAverage(0.9, num_updates=global_step)
    with tf.control_dependencies([apply_op]):
      train_op = ema.apply(tf.trainable_variables())
    saver = tf.train.Saver()

    class _LoggerHook(tf.train.SessionRunHook):
      def begin(self):
        self._start_time = time.time()

      def after_create_session(self, session, coord):
        if tf.train.latest_checkpoint(FLAGS.train_dir):
          saver.restore(session, tf.train.latest_checkpoint(FLAGS.train_dir))
        else:
          saver.save(session, os.path.join(FLAGS.train_dir, 'model.ckpt'), global_step=0)

      def before_run(self, run_context):
        return tf.train.SessionRunArgs({'loss': loss, 'step': global_step})

      def after_run(self, run_context, run_values):
        print('%s: step %d, loss = %.8f' % (datetime.now(), run_values.results['step'], run_values.results['loss']))

    hooks = [tf.train.StopAtStepHook(last_step=FLAGS.max_steps), tf.train.NanTensorHook(loss), _LoggerHook(),
             tf.train.StepCounterHook(every_n_steps=2, output_dir=os.path.join(FLAGS.train_dir, 'counter'))]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=os.path.join(FLAGS.train_dir, 'run'), hooks=hooks, save_checkpoint_secs=600,
        config=tf.ConfigProto(allow_soft_placement=True,
                              log_device_placement=FLAGS.log_device_placement)) as mon_sess:
      while not mon_sess.should_stop():
        mon_sess.run(train_op)


def main(argv=None):  # pylint: disable=unused-argument
  if tf.gfile.Exists(os.path.join(FLAGS.train_dir, 'run')):
    tf.gfile.DeleteRecursively(os.path.join(FLAGS.train_dir, 'run'))
  tf.gfile.MakeDirs(FLAGS.train_dir)
  train()


if __name__ == '__main__':
  tf.app.run()
