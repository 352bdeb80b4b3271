"""Names -> records -> examples -> batches: four queues behind each other, the last one holds batches for the GPUs."""
import os
import sys

import numpy as np
import tensorflow as tf

NUM_GPUS = 2
RECORD_BYTES = 1 + 4 * 4 * 3


def records(data_dir):
    names = [os.path.join(data_dir, 'batch_%d.bin' % i) for i in (1, 2)]
    for f in names:
        if not tf.gfile.Exists(f):
            raise ValueError('Failed to find file: ' + f)
    name_queue = tf.train.string_input_producer(names)
    reader = tf.FixedLengthRecordReader(record_bytes=RECORD_BYTES)
    _, raw = reader.read(name_queue)
    record_queue = tf.FIFOQueue(32, [tf.string], shapes=[[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(record_queue, [record_queue.enqueue(raw)]))
    return record_queue.dequeue()


def example(raw):
    record = tf.decode_raw(raw, tf.uint8)
    label = tf.cast(tf.strided_slice(record, [0], [1]), tf.int32)
    depth_major = tf.reshape(tf.strided_slice(record, [1], [RECORD_BYTES]), [3, 4, 4])
    image = tf.cast(tf.transpose(depth_major, [1, 2, 0]), tf.float32)
    label.set_shape([1])
    return image / 128. - 1., label


image, label = example(records(sys.argv[1]))
images, labels = tf.train.shuffle_batch([image, label], batch_size=4, num_threads=2, capacity=24, min_after_dequeue=8)
batch_queue = tf.FIFOQueue(capacity=2 * NUM_GPUS, dtypes=[tf.float32, tf.int32], shapes=[images.shape, [4]])
tf.train.add_queue_runner(tf.train.QueueRunner(batch_queue, [batch_queue.enqueue([images, tf.reshape(labels, [4])])]))

opt = tf.train.GradientDescentOptimizer(0.01)
tower_grads = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(NUM_GPUS):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
            x, y = batch_queue.dequeue()
            logits = tf.layers.dense(tf.layers.flatten(x), 4, name='fc')
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=y))
            tf.get_variable_scope().reuse_variables()
            tower_grads.append(opt.compute_gradients(loss))
averaged = [(tf.add_n([g for g, _ in pairs]) / NUM_GPUS, pairs[0][1]) for pairs in zip(*tower_grads)]
train_op = opt.apply_gradients(averaged)

with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.start_queue_runners(sess=sess)
    values = [sess.run([train_op, loss])[1] for _ in range(4)]
    print(len(values), np.all(np.isfinite(values)))
