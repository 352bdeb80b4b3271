"""Trains a softmax classifier on small PNG images; the list file has a name and a label in each line."""
from __future__ import absolute_import, division, print_function

import os
import sys

import tensorflow as tf

IMAGE_SIZE = 6
NUM_CLASSES = 3
BATCH_SIZE = 4


def read_labeled_image_list(image_list_file, image_dir):
    filenames, labels = [], []
    with open(image_list_file) as f:
        for line in f:
            filename, label = line.strip().split(' ')
            filenames.append(os.path.join(image_dir, filename))
            labels.append(int(label))
    return filenames, labels


def read_images_from_disk(input_queue):
    """Consumes a single filename and label."""
    label = input_queue[1]
    file_contents = tf.read_file(input_queue[0])
    example = tf.image.decode_png(file_contents, channels=3)
    example.set_shape([IMAGE_SIZE, IMAGE_SIZE, 3])
    return tf.image.convert_image_dtype(example, tf.float32), label


def main():
    folder = os.path.join(sys.argv[1], 'faces')
    image_list, label_list = read_labeled_image_list(os.path.join(folder, 'png.txt'), folder)
    images = tf.convert_to_tensor(image_list, dtype=tf.string)
    labels = tf.convert_to_tensor(label_list, dtype=tf.int32)

    input_queue = tf.train.slice_input_producer([images, labels], num_epochs=2, shuffle=True)
    image, label = read_images_from_disk(input_queue)
    image_batch, label_batch = tf.train.batch([image, label], batch_size=BATCH_SIZE, num_threads=2)

    flat = tf.reshape(image_batch, [BATCH_SIZE, -1])
    W = tf.Variable(tf.zeros([IMAGE_SIZE * IMAGE_SIZE * 3, NUM_CLASSES]), name='weights')
    b = tf.Variable(tf.zeros([NUM_CLASSES]), name='biases')
    logits = tf.matmul(flat, W) + b
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label_batch, logits=logits))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        step = 0
        try:
            while not coord.should_stop():
                _, value = sess.run([train_op, loss])
                step += 1
        except tf.errors.OutOfRangeError:
            print('Done training, %d steps' % step)
        finally:
            coord.request_stop()
        coord.join(threads)


if __name__ == '__main__':
    main()
