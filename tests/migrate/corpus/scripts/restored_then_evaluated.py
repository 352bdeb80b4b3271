"""Trains and saves; then a second graph restores the checkpoint and reads the test file once, as eval.py does."""
import math
import os
import sys
import tempfile
import tensorflow as tf

N_TEST = 8
BATCH = 4


def inputs(path, evaluating):
    q = tf.train.string_input_producer([path], num_epochs=1 if evaluating else None, shuffle=not evaluating)
    _, s = tf.TFRecordReader().read(q)
    f = tf.parse_single_example(s, {'image/encoded': tf.FixedLenFeature([], tf.string),
                                    'image/class/label': tf.FixedLenFeature([], tf.int64)})
    im = tf.image.decode_png(f['image/encoded'], channels=3)
    im.set_shape([6, 6, 3])
    im = tf.image.resize_image_with_crop_or_pad(tf.to_float(im), 4, 4)
    im = tf.image.per_image_standardization(im)
    return tf.train.batch([im, f['image/class/label']], batch_size=BATCH, num_threads=1, capacity=3 * BATCH,
                          allow_smaller_final_batch=evaluating, name='eval_batch' if evaluating else 'batch')


def inference(images):
    net = tf.reshape(images, [-1, 48])
    with tf.variable_scope('linear'):
        w = tf.get_variable('w', [48, 3], initializer=tf.truncated_normal_initializer(stddev=0.1))
        b = tf.get_variable('b', [3], initializer=tf.zeros_initializer())
    return tf.nn.xw_plus_b(net, w, b)


def train(data_dir, directory):
    with tf.Graph().as_default():
        images, labels = inputs(os.path.join(data_dir, 'train-00000.tfrecord'), False)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, inference(images))
        global_step = tf.train.get_or_create_global_step()
        op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
        hooks = [tf.train.StopAtStepHook(last_step=4), tf.train.NanTensorHook(loss)]
        with tf.train.MonitoredTrainingSession(checkpoint_dir=directory, hooks=hooks) as mon_sess:
            while not mon_sess.should_stop():
                mon_sess.run(op)


def evaluate(data_dir, directory):
    with tf.Graph().as_default():
        images, labels = inputs(os.path.join(data_dir, 'valid.tfrecord'), True)
        top_k_op = tf.nn.in_top_k(inference(images), labels, 1)
        saver = tf.train.Saver(tf.trainable_variables())
        with tf.Session() as sess:
            ckpt = tf.train.get_checkpoint_state(directory)
            sess.run(tf.local_variables_initializer())
            saver.restore(sess, ckpt.model_checkpoint_path)
            step = ckpt.model_checkpoint_path.split('/')[-1].split('-')[-1]
            coord = tf.train.Coordinator()
            threads = []
            for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
                threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
            counted = 0
            for _ in range(int(math.ceil(N_TEST / BATCH))):
                counted += len(sess.run([top_k_op])[0])
            print('step %s: %d examples' % (step, counted))
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=10)


checkpoints = tempfile.mkdtemp()
train(sys.argv[1], checkpoints)
evaluate(sys.argv[1], checkpoints)
