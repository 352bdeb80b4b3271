"""An Estimator whose input_fn makes queues."""
import glob
import os
import sys

import tensorflow as tf

DATA = sys.argv[1]


def input_fn(mode, batch_size=4):
    name = 'train-*' if mode == tf.estimator.ModeKeys.TRAIN else 'validation-*'
    files = sorted(glob.glob(os.path.join(DATA, 'records', name)))
    is_training = mode == tf.estimator.ModeKeys.TRAIN
    filename_queue = tf.train.string_input_producer(files, num_epochs=None if is_training else 1, shuffle=is_training)
    reader = tf.TFRecordReader()
    _, serialized = reader.read(filename_queue)
    parsed = tf.parse_single_example(serialized, {
        'image/encoded': tf.FixedLenFeature((), tf.string, ''),
        'image/class/label': tf.FixedLenFeature((), tf.int64)})
    image = tf.image.decode_jpeg(parsed['image/encoded'], channels=1)
    image = tf.image.resize_images(tf.image.convert_image_dtype(image, tf.float32), [6, 6])
    label = parsed['image/class/label'] - 1
    if is_training:
        images, labels = tf.train.shuffle_batch([image, label], batch_size, 30, 10, num_threads=2)
    else:
        images, labels = tf.train.batch([image, label], batch_size, allow_smaller_final_batch=True)
    return {'image': images}, labels


def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(tf.reshape(features['image'], [-1, 36]), params['classes'])
    predictions = {'class': tf.argmax(logits, 1)}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predictions)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {'accuracy': tf.metrics.accuracy(labels, predictions['class'])}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, model_dir='estimator_model', params={'classes': 3})
estimator.train(lambda: input_fn(tf.estimator.ModeKeys.TRAIN), steps=4)
result = estimator.evaluate(lambda: input_fn(tf.estimator.ModeKeys.EVAL))
print(sorted(result))
