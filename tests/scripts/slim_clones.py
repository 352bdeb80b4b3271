"""Model clones as in slim's model_deploy, trained by slim.learning.train."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import collections
import os

import tensorflow as tf
from tensorflow.contrib import slim
from tensorflow.contrib.slim.python.slim.data import dataset_data_provider

flags = tf.app.flags
flags.DEFINE_string('train_dir', '/tmp/tfmodel/', 'Directory where checkpoints and event logs are written to.')
flags.DEFINE_string('dataset_dir', None, 'The directory where the dataset files are stored.')
flags.DEFINE_integer('num_clones', 2, 'Number of model clones to deploy.')
flags.DEFINE_boolean('clone_on_cpu', False, 'Use CPUs to deploy clones.')
flags.DEFINE_integer('batch_size', 6, 'The number of samples in each batch.')
flags.DEFINE_integer('max_number_of_steps', None, 'The maximum number of training steps.')
flags.DEFINE_float('weight_decay', 0.0004, 'The weight decay on the model weights.')
flags.DEFINE_boolean('in_order', False, 'Read the examples in their order.')
FLAGS = flags.FLAGS

Clone = collections.namedtuple('Clone', ['outputs', 'scope', 'device'])

_ITEMS_TO_DESCRIPTIONS = {'image': 'A small gray image.', 'label': 'A single integer between 0 and 2'}


def get_split(dataset_dir):
  keys_to_features = {
      'image/encoded': tf.FixedLenFeature((), tf.string, default_value=''),
      'image/format': tf.FixedLenFeature((), tf.string, default_value='png'),
      'image/class/label': tf.FixedLenFeature([1], tf.int64, default_value=tf.zeros([1], dtype=tf.int64)),
  }
  items_to_handlers = {
      'image': slim.tfexample_decoder.Image(shape=[16, 16, 3], channels=3),
      'label': slim.tfexample_decoder.Tensor('image/class/label', shape=[]),
  }
  decoder = slim.tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers)
  return slim.dataset.Dataset(
      data_sources=os.path.join(dataset_dir, 'images-*.tfrecord'),
      reader=tf.TFRecordReader,
      decoder=decoder,
      num_samples=60,
      items_to_descriptions=_ITEMS_TO_DESCRIPTIONS,
      num_classes=3,
      labels_to_names={0: 'cat', 1: 'dog', 2: 'bird'})


def arg_scope(weight_decay):
  batch_norm_params = {'decay': 0.9, 'epsilon': 1e-3, 'updates_collections': tf.GraphKeys.UPDATE_OPS}
  with slim.arg_scope([slim.conv2d, slim.fully_connected],
                      weights_regularizer=slim.l2_regularizer(weight_decay),
                      activation_fn=tf.nn.relu):
    with slim.arg_scope([slim.conv2d], padding='SAME',
                        weights_initializer=slim.variance_scaling_initializer(),
                        normalizer_fn=slim.batch_norm,
                        normalizer_params=batch_norm_params) as sc:
      return sc


def net(images, num_classes, is_training, scope='SmallNet'):
  with tf.variable_scope(scope, 'SmallNet', [images]) as sc:
    end_points_collection = sc.name + '_end_points'
    with slim.arg_scope([slim.conv2d, slim.fully_connected, slim.max_pool2d],
                        outputs_collections=end_points_collection):
      with slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training):
        x = slim.conv2d(images, 8, [3, 3], scope='conv1')
        x = slim.max_pool2d(x, [2, 2], scope='pool1')
        x = slim.repeat(x, 2, slim.conv2d, 8, [3, 3], scope='conv2')
        x = slim.flatten(x)
        x = slim.dropout(x, 1.0, scope='dropout')
        logits = slim.fully_connected(x, num_classes, activation_fn=None, scope='logits')
    end_points = slim.utils.convert_collection_to_dict(end_points_collection)
  return logits, end_points


def main(_):
  tf.logging.set_verbosity(tf.logging.WARN)
  with tf.Graph().as_default():
    with tf.device('/cpu:0'):
      global_step = slim.create_global_step()
    dataset = get_split(FLAGS.dataset_dir)
    with tf.device('/cpu:0'):
      provider = slim.dataset_data_provider.DatasetDataProvider(
          dataset, num_readers=1 if FLAGS.in_order else 4, shuffle=not FLAGS.in_order,
          common_queue_capacity=20 * FLAGS.batch_size, common_queue_min=10 * FLAGS.batch_size)
      assert isinstance(provider, dataset_data_provider.DatasetDataProvider)
      [image, label] = provider.get(['image', 'label'])
      image = tf.image.convert_image_dtype(image, tf.float32)
      image = tf.multiply(tf.subtract(image, 0.5), 2.0)
      images, labels = tf.train.batch([image, label], batch_size=FLAGS.batch_size,
                                      num_threads=1 if FLAGS.in_order else 4, capacity=5 * FLAGS.batch_size)
      labels = slim.one_hot_encoding(labels, dataset.num_classes)
      batch_queue = slim.prefetch_queue.prefetch_queue([images, labels], capacity=2 * FLAGS.num_clones)

    clones = []
    taken = []
    with slim.arg_scope([slim.model_variable, slim.variable], device='/device:CPU:0'):
      for i in range(FLAGS.num_clones):
        with tf.name_scope('clone_%d' % i) as clone_scope:
          clone_device = '/device:CPU:0' if FLAGS.clone_on_cpu else '/device:GPU:%d' % i
          with tf.device(clone_device):
            with tf.variable_scope(tf.get_variable_scope(), reuse=True if i > 0 else None):
              with tf.control_dependencies(taken if FLAGS.in_order else []):
                images, labels = batch_queue.dequeue()
              taken = [labels]
              with slim.arg_scope(arg_scope(FLAGS.weight_decay)):
                logits, end_points = net(images, dataset.num_classes, True)
              slim.losses.softmax_cross_entropy(logits, labels, label_smoothing=0.1, weights=1.0)
              clones.append(Clone(end_points, clone_scope, clone_device))

    first_clone_scope = clones[0].scope
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, first_clone_scope)
    with tf.device('/cpu:0'):
      learning_rate = tf.train.exponential_decay(0.05, global_step, 100, 0.9, staircase=True)
      optimizer = tf.train.RMSPropOptimizer(learning_rate, decay=0.9, momentum=0.9, epsilon=1.0)
      moving_average_variables = slim.get_model_variables()
      variable_averages = tf.train.ExponentialMovingAverage(0.99, global_step)
      update_ops.append(variable_averages.apply(moving_average_variables))

    all_grads = []
    total = []
    regularization = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    for clone in clones:
      with tf.name_scope(clone.scope), tf.device(clone.device):
        losses = tf.get_collection(slim.losses.GraphKeys.LOSSES if hasattr(slim.losses, 'GraphKeys')
                                   else tf.GraphKeys.LOSSES, clone.scope)
        clone_loss = tf.div(tf.add_n(losses), 1.0 * len(clones))
        if clone is clones[0]:
          clone_loss = tf.add_n([clone_loss] + regularization)
        total.append(clone_loss)
        all_grads.append(optimizer.compute_gradients(clone_loss))
    summed = []
    for pairs in zip(*all_grads):
      grads = [g for g, _ in pairs if g is not None]
      summed.append((tf.add_n(grads), pairs[0][1]))
    total_loss = tf.add_n(total, name='total_loss')
    update_ops.append(optimizer.apply_gradients(summed, global_step=global_step))
    update_op = tf.group(*update_ops)
    with tf.control_dependencies([update_op]):
      train_tensor = tf.identity(total_loss, name='train_op')

    for variable in slim.get_model_variables():
      tf.summary.histogram(variable.op.name, variable)

    def train_step_fn(session, *args, **kwargs):
      value, should_stop = slim.learning.train_step(session, *args, **kwargs)
      print('loss = %.8f' % value)
      return value, should_stop

    saver = tf.train.Saver(max_to_keep=5)

    def init_fn(session):
      # Called if the directory has no checkpoint.
      saver.save(session, os.path.join(FLAGS.train_dir, 'model.ckpt'), global_step=0)

    slim.learning.train(
        train_tensor,
        logdir=FLAGS.train_dir,
        train_step_fn=train_step_fn,
        init_fn=init_fn,
        number_of_steps=FLAGS.max_number_of_steps,
        log_every_n_steps=10,
        session_config=tf.ConfigProto(allow_soft_placement=True),
        saver=saver)


if __name__ == '__main__':
  tf.app.run()
