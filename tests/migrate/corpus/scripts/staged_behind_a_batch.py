"""A staging area on each device between the batch queue and the model, as in the benchmarks."""
import os
import sys

import tensorflow as tf
from tensorflow.python.ops import data_flow_ops

NUM_TOWERS = 2


def minibatch(data_dir, batch_size):
    with tf.name_scope('batch_processing'):
        queue = tf.train.string_input_producer([os.path.join(data_dir, 'valid.tfrecord')], shuffle=False)
        _, records = tf.TFRecordReader().read_up_to(queue, 4)
        records = tf.train.batch([records], batch_size=batch_size * NUM_TOWERS, enqueue_many=True,
                                 capacity=batch_size * 8)
        images, labels = [], []
        for record in tf.unstack(records, num=batch_size * NUM_TOWERS):
            f = tf.parse_single_example(record, {'image/encoded': tf.FixedLenFeature([], tf.string),
                                                 'image/class/label': tf.FixedLenFeature([], tf.int64)})
            image = tf.image.decode_png(f['image/encoded'], channels=3)
            image.set_shape([6, 6, 3])
            images.append(tf.to_float(image) / 255.)
            labels.append(tf.to_int32(f['image/class/label']))
        return [tf.stack(images[n::NUM_TOWERS]) for n in range(NUM_TOWERS)], \
               [tf.stack(labels[n::NUM_TOWERS]) for n in range(NUM_TOWERS)]


image_lists, label_lists = minibatch(sys.argv[1], 2)
puts, warmups, losses = [], [], []
for n in range(NUM_TOWERS):
    with tf.device('/gpu:%d' % n), tf.variable_scope('v', reuse=tf.AUTO_REUSE):
        shapes = [image_lists[n].get_shape(), label_lists[n].get_shape()]
        area = data_flow_ops.StagingArea([tf.float32, tf.int32], shapes=shapes)
        puts.append(area.put([image_lists[n], label_lists[n]]))
        x, y = area.get()
        logits = tf.layers.dense(tf.layers.flatten(x), 3, name='affine')
        losses.append(tf.losses.sparse_softmax_cross_entropy(y, logits))
loss = tf.add_n(losses)
train = tf.group(tf.train.GradientDescentOptimizer(0.1).minimize(loss), *puts)

sv = tf.train.Supervisor(logdir=None, summary_op=None, saver=None)
with sv.managed_session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(puts)
    for i in range(5):
        _, value = sess.run([train, loss])
    print('images/sec are not measured here; loss finite:', value == value)
sv.stop()
