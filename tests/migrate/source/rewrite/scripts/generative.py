import glob
import os
import sys
import tensorflow as tf


class DCGAN(object):
    def __init__(self, sess, data_dir, batch_size=3, output_size=4):
        self.sess = sess
        self.batch_size = batch_size
        self.output_size = output_size
        self.data = sorted(glob.glob(os.path.join(data_dir, "images", "*.png")))
        self.build_model()

    def inputs(self):
        filename_queue = tf.train.string_input_producer(self.data, shuffle=True)
        reader = tf.WholeFileReader()
        _, content = reader.read(filename_queue)
        image = tf.image.decode_png(content, channels=3)
        image = tf.cast(image, tf.float32)
        image = tf.image.resize_images(image, [self.output_size, self.output_size])
        image = image / 127.5 - 1.0
        image.set_shape([self.output_size, self.output_size, 3])
        return tf.train.shuffle_batch(
            [image], batch_size=self.batch_size, num_threads=4, capacity=30, min_after_dequeue=9)

    def build_model(self):
        self.images = self.inputs()
        self.z = tf.random_uniform([self.batch_size, 2], -1.0, 1.0)
        w = tf.get_variable("w", [self.output_size * self.output_size * 3, 1])
        real = tf.matmul(tf.reshape(self.images, [self.batch_size, -1]), w)
        self.d_loss = tf.reduce_mean(tf.nn.softplus(-real)) + tf.reduce_mean(self.z)

    def train(self, steps):
        optimizer = tf.train.AdamOptimizer(2e-4, beta1=0.5).minimize(self.d_loss)
        self.sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=self.sess, coord=coord)
        for counter in range(steps):
            _, d_loss = self.sess.run([optimizer, self.d_loss])
            print("[%2d] d_loss: %.4f" % (counter, d_loss))
        coord.request_stop()
        coord.join(threads)


with tf.Session() as sess:
    DCGAN(sess, sys.argv[1]).train(4)
