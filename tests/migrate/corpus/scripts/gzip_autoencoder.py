"""An auto-encoder of digits in compressed records."""
import sys

import tensorflow as tf


class AutoEncoder:
    def __init__(self, sizes):
        self.sizes = sizes

    def __call__(self, x):
        h = x
        for i, n in enumerate(self.sizes):
            h = tf.layers.dense(h, n, tf.nn.sigmoid, name='enc%d' % i)
        for i, n in reversed(list(enumerate([int(x.shape[1])] + self.sizes[:-1]))):
            h = tf.layers.dense(h, n, tf.nn.sigmoid, name='dec%d' % i)
        return h


class Reader:
    def __init__(self, paths, options=None):
        self.reader = tf.TFRecordReader(options=options)
        self.queue = tf.train.string_input_producer(paths, capacity=4, seed=11)

    def next(self):
        _, record = self.reader.read(self.queue)
        example = tf.parse_single_example(record, {'image_raw': tf.FixedLenFeature([], tf.string)})
        pixels = tf.decode_raw(example['image_raw'], tf.uint8)
        pixels.set_shape([784])
        return tf.cast(pixels, tf.float32) / 255.

    def batch(self, n):
        return tf.train.batch([self.next()], n, enqueue_many=False, capacity=8 * n)


gz = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
x = Reader([sys.argv[1] + '/digits/train.tfrecords.gz'], gz).batch(5)
reconstructed = AutoEncoder([32, 8])(x)
loss = tf.losses.mean_squared_error(x, reconstructed)
train = tf.train.RMSPropOptimizer(0.001).minimize(loss)
summary = tf.summary.merge([tf.summary.scalar('mse', loss), tf.summary.histogram('x', x)])
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    threads = tf.train.start_queue_runners(s)
    writer = tf.summary.FileWriter('events', s.graph)
    for i in range(6):
        l, text, _ = s.run([loss, summary, train])
        writer.add_summary(text, i)
    writer.close()
    print(round(float(l), 1) > 0)
