"""Preloaded data: the whole training set is a constant of the graph (after the old "fully connected preloaded" example)."""
import argparse
import os
import time

import numpy as np
import tensorflow as tf


def run_training(args):
    arrays = np.load(os.path.join(args.input_data_dir, 'arrays.npz'))
    with tf.Graph().as_default():
        with tf.name_scope('input'):
            with tf.device('/cpu:0'):
                input_images = tf.constant(arrays['images'])
                input_labels = tf.constant(arrays['labels'])
            image, label = tf.train.slice_input_producer([input_images, input_labels], num_epochs=args.num_epochs,
                                                         shuffle=False)
            label = tf.cast(label, tf.int32)
            images, labels = tf.train.batch([image, label], batch_size=args.batch_size)

        flat = tf.reshape(images, [-1, 16])
        hidden = tf.layers.dense(flat, 8, tf.nn.relu, kernel_initializer=tf.constant_initializer(0.05))
        logits = tf.layers.dense(hidden, 4, kernel_initializer=tf.constant_initializer(0.02))
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        global_step = tf.Variable(0, name='global_step', trainable=False)
        train_op = tf.train.GradientDescentOptimizer(args.learning_rate).minimize(loss, global_step=global_step)
        eval_correct = tf.reduce_sum(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.int32))
        init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())

        sess = tf.Session()
        sess.run(init_op)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        step, start = 0, time.time()
        try:
            while not coord.should_stop():
                _, loss_value, correct = sess.run([train_op, loss, eval_correct])
                if step % 2 == 0:
                    print('Step %d: loss = %.3f, %d right' % (step, loss_value, correct))
                step += 1
        except tf.errors.OutOfRangeError:
            print('Saving, done training for %d epochs, %d steps.' % (args.num_epochs, step))
        finally:
            coord.request_stop()
        coord.join(threads)
        sess.close()
        assert time.time() >= start


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('input_data_dir')
    parser.add_argument('--learning_rate', type=float, default=0.1)
    parser.add_argument('--num_epochs', type=int, default=2)
    parser.add_argument('--batch_size', type=int, default=5)
    run_training(parser.parse_args())
