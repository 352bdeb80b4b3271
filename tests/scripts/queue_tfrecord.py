"""Convolutional net on TFRecords, read by the queues of TF 1.x, with a Coordinator and num_epochs."""
from __future__ import print_function

import os
import sys
import time

import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_float('learning_rate', 0.05, 'Initial learning rate.')
flags.DEFINE_integer('num_epochs', 2, 'Number of epochs to run trainer.')
flags.DEFINE_integer('batch_size', 10, 'Batch size.')
flags.DEFINE_bool('shuffle', True, 'Shuffle the examples.')
flags.DEFINE_string('data_dir', '/tmp/data', 'Directory with the training data.')
flags.DEFINE_string('train_dir', '/tmp/records', 'Checkpoints.')


def read_and_decode(filename_queue):
  reader = tf.TFRecordReader()
  _, serialized_example = reader.read(filename_queue)
  features = tf.parse_single_example(
      serialized_example,
      features={
          'image_raw': tf.FixedLenFeature([], tf.string),
          'label': tf.FixedLenFeature([], tf.int64),
          'weights': tf.VarLenFeature(tf.float32),
      })
  image = tf.decode_raw(features['image_raw'], tf.uint8)
  image.set_shape([64])
  image = tf.cast(image, tf.float32) * (1. / 255) - 0.5
  label = tf.cast(features['label'], tf.int32)
  weight = tf.reduce_sum(tf.sparse_tensor_to_dense(features['weights']))
  return image, label, weight


def inputs(batch_size, num_epochs):
  if not num_epochs:
    num_epochs = None
  filenames = tf.train.match_filenames_once(os.path.join(FLAGS.data_dir, 'part-*.tfrecords'))
  with tf.name_scope('input'):
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs, shuffle=FLAGS.shuffle)
    image, label, weight = read_and_decode(filename_queue)
    if FLAGS.shuffle:
      return tf.train.shuffle_batch([image, label, weight], batch_size=batch_size, num_threads=2,
                                    capacity=1000 + 3 * batch_size, min_after_dequeue=1000)
    return tf.train.batch([image, label, weight], batch_size=batch_size, capacity=100,
                          allow_smaller_final_batch=True)


def run_training():
  with tf.Graph().as_default():
    images, labels, weights = inputs(FLAGS.batch_size, FLAGS.num_epochs)
    with tf.variable_scope('hidden'):
      w = tf.get_variable('w', [64, 16], initializer=tf.truncated_normal_initializer(stddev=0.1))
      b = tf.get_variable('b', [16], initializer=tf.zeros_initializer())
      hidden = tf.nn.relu(tf.nn.xw_plus_b(images, w, b))
    with tf.variable_scope('softmax'):
      w = tf.get_variable('w', [16, 3], initializer=tf.random_normal_initializer(stddev=0.1))
      b = tf.get_variable('b', [3], initializer=tf.constant_initializer())
      logits = tf.matmul(hidden, w) + b
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits, weights=weights)
    global_step = tf.Variable(0, name='global_step', trainable=False)
    optimizer = tf.train.MomentumOptimizer(FLAGS.learning_rate, momentum=0.9, use_nesterov=True)
    train_op = optimizer.minimize(loss, global_step=global_step)

    # match_filenames_once and num_epochs create local variables.
    init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
    saver = tf.train.Saver()
    sess = tf.Session()
    sess.run(init_op)
    if tf.train.latest_checkpoint(FLAGS.train_dir):
      saver.restore(sess, tf.train.latest_checkpoint(FLAGS.train_dir))
    else:
      saver.save(sess, os.path.join(FLAGS.train_dir, 'model.ckpt'), global_step=global_step)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)

    step = 0
    try:
      while not coord.should_stop():
        start_time = time.time()
        _, loss_value = sess.run([train_op, loss])
        duration = time.time() - start_time
        print('Step %d: loss = %.8f (%.3f sec)' % (step, loss_value, duration))
        sys.stdout.flush()
        step += 1
    except tf.errors.OutOfRangeError:
      print('Done training for %d epochs, %d steps.' % (FLAGS.num_epochs, step))
    finally:
      coord.request_stop()
    coord.join(threads)
    sess.close()


def main(_):
  run_training()


if __name__ == '__main__':
  tf.app.run()
