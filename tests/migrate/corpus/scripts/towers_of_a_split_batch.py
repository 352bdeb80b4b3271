"""One batch for all devices, split along its first dimension."""
import os
import sys
import tensorflow as tf


class MultiGpuModel:
    def __init__(self, data_dir, num_gpus=2, batch_size=6):
        self.num_gpus = num_gpus
        self.batch_size = batch_size
        self.data_dir = data_dir
        with tf.device('/cpu:0'):
            self.images, self.labels = self._input()
            self._build()

    def _input(self):
        paths = [os.path.join(self.data_dir, 'faces', '%d.png' % i) for i in range(12)]
        reader = tf.WholeFileReader()
        key, value = reader.read(tf.train.string_input_producer(paths, shuffle=False))
        image = tf.image.decode_png(value, channels=1)
        image = tf.cast(image, tf.float32) * (1. / 255) - 0.5
        image.set_shape((6, 6, 1))
        # the number before .png is the id of the image, and its parity the class
        stem = tf.string_split([tf.string_split([key], '/').values[-1]], '.').values[0]
        label = tf.mod(tf.string_to_number(stem, out_type=tf.int32), 2)
        return tf.train.batch([image, label], batch_size=self.batch_size, capacity=24, num_threads=1)

    def _build(self):
        image_splits = tf.split(self.images, self.num_gpus, 0)
        label_splits = tf.split(self.labels, self.num_gpus, 0)
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        all_grads = []
        self.losses = []
        for i in range(self.num_gpus):
            with tf.device('/gpu:{}'.format(i)), tf.variable_scope('m', reuse=i > 0):
                w = tf.get_variable('w', [36, 2], initializer=tf.constant_initializer(0.01))
                logits = tf.matmul(tf.reshape(image_splits[i], [-1, 36]), w)
                xent = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label_splits[i], logits=logits)
                self.losses.append(tf.reduce_mean(xent))
                all_grads.append(optimizer.compute_gradients(self.losses[-1]))
        merged = [(sum(g for g, _ in gvs) / self.num_gpus, gvs[0][1]) for gvs in zip(*all_grads)]
        self.train_op = optimizer.apply_gradients(merged)


model = MultiGpuModel(sys.argv[1])
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coordinator)
    for _ in range(4):
        out = sess.run([model.train_op] + model.losses)
    print('%.4f %.4f' % tuple(out[1:]))
    coordinator.request_stop()
    coordinator.join(threads)
