"""An Estimator whose input_fn reads by tf.contrib.learn."""
from __future__ import print_function

import os
import sys
import tempfile

import tensorflow as tf
from tensorflow.contrib import learn
from tensorflow.contrib.learn import ModeKeys

tf.logging.set_verbosity(tf.logging.WARN)


def input_fn_for(pattern, batch_size, mode):
    def input_fn():
        features = tf.contrib.learn.read_batch_features(
            file_pattern=pattern, batch_size=batch_size,
            features={'signal': tf.FixedLenFeature([4], tf.float32), 'target': tf.FixedLenFeature([1], tf.float32)},
            reader=tf.TFRecordReader, randomize_input=mode == ModeKeys.TRAIN,
            num_epochs=None if mode == ModeKeys.TRAIN else 1, queue_capacity=64, reader_num_threads=1,
            num_enqueue_threads=1)
        target = features.pop('target')
        return features, target
    return input_fn


def model_fn(features, labels, mode):
    out = tf.layers.dense(features['signal'], 1)
    loss = tf.losses.mean_squared_error(labels, out)
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op,
                                      eval_metric_ops={'mae': tf.metrics.mean_absolute_error(labels, out)})


assert learn is not None
path = os.path.join(sys.argv[1], 'signals.tfrecord')
estimator = tf.estimator.Estimator(model_fn, model_dir=tempfile.mkdtemp())
estimator.train(input_fn_for(path, 4, ModeKeys.TRAIN), steps=5)
result = estimator.evaluate(input_fn_for(path, 4, ModeKeys.EVAL))
print(result['global_step'], sorted(result))
