# detector-style input: portrait and landscape images must not be in one batch
import os
import sys
import tensorflow as tf
from tensorflow.contrib.training import bucket


class Loader:
    def __init__(self, root, bs):
        self.root = root
        self.bs = bs

    def example(self):
        q = tf.train.string_input_producer(
            [os.path.join(self.root, 'shapes.tfrecord')], shuffle=True, seed=1, num_epochs=2)
        rd = tf.TFRecordReader(options=tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP))
        _, ex = rd.read(q)
        parsed = tf.parse_single_example(ex, {
            'height': tf.FixedLenFeature([], tf.int64),
            'width': tf.FixedLenFeature([], tf.int64),
            'pixels': tf.FixedLenFeature([], tf.string),
            'boxes': tf.VarLenFeature(tf.float32),
        })
        h, w = tf.to_int32(parsed['height']), tf.to_int32(parsed['width'])
        im = tf.reshape(tf.decode_raw(parsed['pixels'], tf.uint8), tf.stack([h, w, 1]))
        boxes = tf.reshape(tf.sparse_tensor_to_dense(parsed['boxes']), [-1, 4])
        return im, boxes, h, w

    def batches(self):
        im, boxes, h, w = self.example()
        which = tf.cast(h > w, tf.int32)
        which, (ims, boxes) = bucket([im, boxes], which, self.bs, num_buckets=2, dynamic_pad=True, capacity=16,
                                     allow_smaller_final_batch=True)
        return which, tf.to_float(ims), boxes


which, ims, boxes = Loader(sys.argv[1], 2).batches()
feat = tf.reduce_mean(tf.layers.conv2d(ims, 2, 3, padding='SAME'), [1, 2])
target = tf.reduce_mean(boxes, [1, 2])
loss = tf.reduce_mean(tf.abs(tf.squeeze(tf.layers.dense(feat, 1), -1) - target))
train = tf.train.GradientDescentOptimizer(1e-4).minimize(loss)
seen = [0, 0]
with tf.train.MonitoredSession() as sess:
    while not sess.should_stop():
        _, b, i = sess.run([train, which, ims])
        seen[int(b)] += len(i)
print('landscape %d portrait %d' % tuple(seen))
