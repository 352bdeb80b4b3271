"""Own queues, whose sizes are written as summaries beside the loss."""
import os
import sys

import tensorflow as tf


def fraction_full(queue, capacity):
    tf.summary.scalar('queue/%s/fraction_of_%d_full' % (queue.name, capacity),
                      tf.to_float(queue.size()) * (1. / capacity))


class InputPipeline(object):
    def __init__(self, files, batch_size, threads=2):
        self.raw = tf.FIFOQueue(16, [tf.string], shapes=[[]], name='raw')
        self.ready = tf.FIFOQueue(32, [tf.float32, tf.int64], shapes=[[784], []], name='ready')
        names = tf.train.string_input_producer(files)
        _, record = tf.TFRecordReader().read(names)
        self.runners = [
            tf.train.QueueRunner(self.raw, [self.raw.enqueue(record)]),
            tf.train.QueueRunner(self.ready, [self.ready.enqueue(self.decoded(self.raw.dequeue()))] * threads),
        ]
        for runner in self.runners:
            tf.train.add_queue_runner(runner)
        fraction_full(self.raw, 16)
        fraction_full(self.ready, 32)
        self.images, self.labels = self.ready.dequeue_many(batch_size)

    @staticmethod
    def decoded(record):
        example = tf.parse_single_example(record, {'image_raw': tf.FixedLenFeature([], tf.string),
                                                   'label': tf.FixedLenFeature([], tf.int64)})
        image = tf.reshape(tf.decode_raw(example['image_raw'], tf.uint8), [784])
        return [tf.to_float(image) * (1. / 255), example['label']]


data = InputPipeline([os.path.join(sys.argv[1], 'digits', name + '.tfrecords') for name in ('train', 'test')], 6)
logits = tf.layers.dense(data.images, 10, name='softmax')
loss = tf.losses.sparse_softmax_cross_entropy(data.labels, logits)
tf.summary.scalar('loss', loss)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
summary_op = tf.summary.merge_all()
writer = tf.summary.FileWriter('summaries')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for step in range(6):
        if step % 3 == 0:
            writer.add_summary(sess.run(summary_op), step)
        sess.run(train_op)
    writer.close()
    coord.request_stop()
    coord.join(threads)
print('ok')
