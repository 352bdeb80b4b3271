# reads by tf.contrib.slim.parallel_reader, evaluates a fixed detector on every record once
import sys
import tensorflow as tf
from tensorflow.contrib.slim.python.slim.data import parallel_reader

data = sys.argv[1]
sources = [data + '/train-*.tfrecord', data + '/valid.tfrecord']

key, value = parallel_reader.parallel_read(sources, reader_class=tf.TFRecordReader, num_epochs=1, num_readers=3,
                                           shuffle=True, dtypes=[tf.string, tf.string], capacity=40,
                                           min_after_dequeue=10, seed=4)
key.set_shape([])
example = tf.parse_single_example(value, {
    'image/encoded': tf.FixedLenFeature([], tf.string),
    'image/class/label': tf.FixedLenFeature([], tf.int64, -1),
})
pixels = tf.cast(tf.image.decode_image(example['image/encoded'], channels=3), tf.float32)
mean = tf.reduce_mean(pixels)
means, labels, keys = tf.train.batch([mean, example['image/class/label'], key], 5, allow_smaller_final_batch=True)

accuracy, update = tf.metrics.accuracy(labels=labels, predictions=tf.cast(means // 86., tf.int64))
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    names = []
    while not coord.should_stop():
        try:
            _, k = sess.run([update, keys])
            names.extend(k)
        except tf.errors.OutOfRangeError:
            coord.request_stop()
    coord.join(threads)
    print(len(names), 'records, accuracy %.3f' % sess.run(accuracy))
