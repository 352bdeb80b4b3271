"""Inception-style input: a queue of serialized examples, several readers, and preprocessing threads that distort."""
import os
import sys

import tensorflow as tf

tf.app.flags.DEFINE_integer('image_size', 12, 'Side of the images.')
tf.app.flags.DEFINE_integer('num_preprocess_threads', 2, 'Threads that distort.')
tf.app.flags.DEFINE_integer('num_readers', 2, 'Parallel readers.')
FLAGS = tf.app.flags.FLAGS


def distort_color(image, thread_id=0, scope=None):
    with tf.name_scope(values=[image], name=scope, default_name='distort_color'):
        color_ordering = thread_id % 2
        if color_ordering == 0:
            image = tf.image.random_brightness(image, max_delta=32. / 255.)
            image = tf.image.random_saturation(image, lower=0.5, upper=1.5)
            image = tf.image.random_hue(image, max_delta=0.2)
        elif color_ordering == 1:
            image = tf.image.random_brightness(image, max_delta=32. / 255.)
            image = tf.image.random_contrast(image, lower=0.5, upper=1.5)
        return tf.clip_by_value(image, 0.0, 1.0)


def distort_image(image, bbox, thread_id):
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        tf.shape(image), bounding_boxes=bbox, min_object_covered=0.1, aspect_ratio_range=[0.75, 1.33],
        area_range=[0.05, 1.0], max_attempts=100, use_image_if_no_bounding_boxes=True)
    image = tf.slice(image, begin, size)
    image = tf.image.resize_images(image, [FLAGS.image_size, FLAGS.image_size], method=thread_id % 4)
    image.set_shape([FLAGS.image_size, FLAGS.image_size, 3])
    image = tf.image.random_flip_left_right(image)
    return distort_color(image, thread_id)


def batch_inputs(data_dir, batch_size):
    filename_queue = tf.train.string_input_producer(
        tf.gfile.Glob(os.path.join(data_dir, 'train-*')), shuffle=True, capacity=16)
    examples_queue = tf.RandomShuffleQueue(capacity=12 + 3 * batch_size, min_after_dequeue=12, dtypes=[tf.string])
    enqueue_ops = []
    for _ in range(FLAGS.num_readers):
        _, value = tf.TFRecordReader().read(filename_queue)
        enqueue_ops.append(examples_queue.enqueue([value]))
    tf.train.queue_runner.add_queue_runner(tf.train.queue_runner.QueueRunner(examples_queue, enqueue_ops))
    example_serialized = examples_queue.dequeue()
    images_and_labels = []
    for thread_id in range(FLAGS.num_preprocess_threads):
        parsed = tf.parse_single_example(example_serialized, {
            'image/encoded': tf.FixedLenFeature([], tf.string),
            'image/class/label': tf.FixedLenFeature([1], tf.int64),
            'image/object/bbox/xmin': tf.VarLenFeature(tf.float32),
            'image/object/bbox/ymin': tf.VarLenFeature(tf.float32),
            'image/object/bbox/xmax': tf.VarLenFeature(tf.float32),
            'image/object/bbox/ymax': tf.VarLenFeature(tf.float32)})
        sides = [tf.expand_dims(parsed['image/object/bbox/' + side].values, 0) for side in
                 ('ymin', 'xmin', 'ymax', 'xmax')]
        bbox = tf.transpose(tf.expand_dims(tf.concat(sides, 0), 0), [0, 2, 1])
        image = tf.image.convert_image_dtype(tf.image.decode_jpeg(parsed['image/encoded'], channels=3), tf.float32)
        image = distort_image(image, bbox, thread_id)
        images_and_labels.append([image, tf.cast(parsed['image/class/label'], tf.int32)])
    images, label_index_batch = tf.train.batch_join(
        images_and_labels, batch_size=batch_size, capacity=2 * FLAGS.num_preprocess_threads * batch_size)
    return images, tf.reshape(label_index_batch, [batch_size])


def main(argv):
    images, labels = batch_inputs(os.path.join(argv[1], 'records'), 4)
    logits = tf.contrib.layers.fully_connected(tf.contrib.layers.flatten(images), 4, activation_fn=None)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.RMSPropOptimizer(0.01, 0.9, momentum=0.9, epsilon=1.0).minimize(loss, step)
    with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=4)]) as sess:
        while not sess.should_stop():
            print('%.3f' % sess.run([train_op, loss])[1])


if __name__ == '__main__':
    tf.app.run()
