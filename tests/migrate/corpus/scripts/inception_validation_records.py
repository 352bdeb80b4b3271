"""Evaluates a classifier once over the validation records, the last batch being smaller."""
import glob
import sys

import numpy as np
import tensorflow as tf


def parse_example_proto(example_serialized):
    feature_map = {
        'image/encoded': tf.FixedLenFeature([], dtype=tf.string, default_value=''),
        'image/class/label': tf.FixedLenFeature([1], dtype=tf.int64, default_value=-1),
        'image/class/text': tf.FixedLenFeature([], dtype=tf.string, default_value=''),
    }
    sparse_float32 = tf.VarLenFeature(dtype=tf.float32)
    feature_map.update({k: sparse_float32 for k in [
        'image/object/bbox/xmin', 'image/object/bbox/ymin', 'image/object/bbox/xmax', 'image/object/bbox/ymax']})
    features = tf.parse_single_example(example_serialized, feature_map)
    label = tf.cast(features['image/class/label'], dtype=tf.int32)
    xmin = tf.expand_dims(features['image/object/bbox/xmin'].values, 0)
    ymin = tf.expand_dims(features['image/object/bbox/ymin'].values, 0)
    xmax = tf.expand_dims(features['image/object/bbox/xmax'].values, 0)
    ymax = tf.expand_dims(features['image/object/bbox/ymax'].values, 0)
    bbox = tf.transpose(tf.expand_dims(tf.concat([ymin, xmin, ymax, xmax], 0), 0), [0, 2, 1])
    return features['image/encoded'], label, bbox, features['image/class/text']


def eval_image(encoded, height, width):
    image = tf.image.decode_jpeg(encoded, channels=3)
    image = tf.image.convert_image_dtype(image, dtype=tf.float32)
    image = tf.image.central_crop(image, central_fraction=0.875)
    image = tf.expand_dims(image, 0)
    image = tf.image.resize_bilinear(image, [height, width], align_corners=False)
    image = tf.squeeze(image, [0])
    return tf.multiply(tf.subtract(image, 0.5), 2.0)


with tf.name_scope('batch_processing'):
    filename_queue = tf.train.string_input_producer(
        sorted(glob.glob(sys.argv[1] + '/records/validation-*')), shuffle=False, capacity=1, num_epochs=1)
    reader = tf.TFRecordReader()
    _, example_serialized = reader.read(filename_queue)
    image_buffer, label_index, bbox, _ = parse_example_proto(example_serialized)
    image = eval_image(image_buffer, 12, 12)
    images, label_batch = tf.train.batch([image, label_index], batch_size=4, allow_smaller_final_batch=True)
    labels = tf.reshape(label_batch, [-1])

logits = tf.layers.dense(tf.layers.flatten(images), 4)
top_1_op = tf.nn.in_top_k(logits, labels, 1)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = []
    for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
        threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
    right = total = 0
    try:
        while not coord.should_stop():
            found = sess.run(top_1_op)
            right += np.sum(found)
            total += len(found)
    except Exception as e:
        coord.request_stop(e)
    coord.request_stop()
    try:
        coord.join(threads, stop_grace_period_secs=10)
    except tf.errors.OutOfRangeError:
        pass
    print('precision @ 1 = %.4f of %d' % (right / float(total), total))
