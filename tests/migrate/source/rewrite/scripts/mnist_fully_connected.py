"""Trains a softmax classifier on TFRecords, a fixed number of epochs."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os.path
import sys
import time

import tensorflow as tf

FLAGS = None
TRAIN_FILE = 'train-00000-of-00003'
IMAGE_PIXELS = 4 * 4 * 3


def read_and_decode(filename_queue):
  reader = tf.TFRecordReader()
  _, serialized_example = reader.read(filename_queue)
  features = tf.parse_single_example(
      serialized_example,
      # Defaults are not specified since both keys are required.
      features={
          'image_raw': tf.FixedLenFeature([], tf.string),
          'label': tf.FixedLenFeature([], tf.int64),
      })

  # Convert from a scalar string tensor to a uint8 tensor.
  image = tf.decode_raw(features['image_raw'], tf.uint8)
  image.set_shape([IMAGE_PIXELS])

  # Convert from [0, 255] -> [-0.5, 0.5] floats.
  image = tf.cast(image, tf.float32) * (1. / 255) - 0.5
  label = tf.cast(features['label'], tf.int32)
  return image, label


def inputs(data_dir, batch_size, num_epochs):
  """Reads input data num_epochs times."""
  if not num_epochs:
    num_epochs = None
  filename = os.path.join(data_dir, TRAIN_FILE)

  with tf.name_scope('input'):
    filename_queue = tf.train.string_input_producer(
        [filename], num_epochs=num_epochs)

    # Even when reading in multiple threads, share the filename queue.
    image, label = read_and_decode(filename_queue)

    # Shuffle the examples and collect them into batch_size batches.
    images, sparse_labels = tf.train.shuffle_batch(
        [image, label], batch_size=batch_size, num_threads=2,
        capacity=100 + 3 * batch_size,
        # Ensures a minimum amount of shuffling of examples.
        min_after_dequeue=100)

    return images, sparse_labels


def run_training(data_dir):
  with tf.Graph().as_default():
    images, labels = inputs(data_dir, batch_size=3, num_epochs=2)
    weights = tf.get_variable('weights', [IMAGE_PIXELS, 5], initializer=tf.truncated_normal_initializer(stddev=0.1))
    logits = tf.matmul(images, weights)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)

    # The op for initializing the variables.
    init_op = tf.group(tf.global_variables_initializer(),
                       tf.local_variables_initializer())
    sess = tf.Session()
    sess.run(init_op)

    # Start input enqueue threads.
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)

    try:
      step = 0
      while not coord.should_stop():
        start_time = time.time()
        _, loss_value = sess.run([train_op, loss])
        duration = time.time() - start_time
        if step % 2 == 0:
          print('Step %d: loss = %.2f (%s)' % (step, loss_value, duration >= 0))
        step += 1
    except tf.errors.OutOfRangeError:
      print('Done training for %d epochs, %d steps.' % (2, step))
    finally:
      # When done, ask the threads to stop.
      coord.request_stop()

    # Wait for threads to finish.
    coord.join(threads)
    sess.close()


def main(argv):
  run_training(argv[1])


if __name__ == '__main__':
  tf.app.run(main=main, argv=sys.argv)
