"""Trains a style network on crops; a tf.cond decides whether a photo is mirrored or dimmed."""
import sys

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string('train', '/photos/*/*.jpg', 'Pattern of the photos, below the data.')
flags.DEFINE_integer('batch', 2, '')
flags.DEFINE_integer('size', 10, '')
FLAGS = flags.FLAGS


def preprocess(image):
    image = tf.cast(tf.image.resize_images(image, [FLAGS.size + 4, FLAGS.size + 4], method=1), tf.float32)
    image = tf.random_crop(image, [FLAGS.size, FLAGS.size, 3])
    mirrored = tf.less(tf.random_uniform([], 0, 1.0), 0.5)
    image = tf.cond(mirrored, lambda: tf.image.flip_left_right(image), lambda: image)
    image = tf.cond(tf.random_uniform([]) > 0.8, lambda: image * 0.5, lambda: image)
    return tf.reshape(image, [FLAGS.size, FLAGS.size, 3])


def content(batch_size, pattern):
    filenames = sorted(tf.gfile.Glob(pattern))
    with tf.name_scope('content'):
        files = tf.train.string_input_producer(filenames, shuffle=True)
        image = tf.image.decode_jpeg(tf.WholeFileReader().read(files)[1], 3)
        return tf.train.batch([preprocess(image)], batch_size, num_threads=4, capacity=batch_size * 4)


def net(x):
    y = tf.layers.conv2d(x / 255., 8, 3, padding='same', activation=tf.nn.elu)
    return tf.layers.conv2d(y, 3, 3, padding='same', activation=tf.nn.tanh) * 150 + 127.5


def gram(layer):
    flat = tf.reshape(layer, [FLAGS.batch, -1, 3])
    return tf.matmul(flat, flat, transpose_a=True) / float(FLAGS.size ** 2)


def main(argv):
    images = content(FLAGS.batch, argv[1] + FLAGS.train)
    made = net(images)
    total_variation = tf.reduce_mean(tf.image.total_variation(made))
    loss = tf.reduce_mean(tf.squared_difference(made, images)) + 1e-3 * total_variation
    loss += 1e-4 * tf.nn.l2_loss(gram(made))
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdamOptimizer(1e-3).minimize(loss, global_step=global_step)
    supervisor = tf.train.Supervisor(logdir=None, global_step=global_step, summary_op=None)
    with supervisor.managed_session() as session:
        while not supervisor.should_stop():
            _, value, step = session.run([train_op, loss, global_step])
            if step >= 4:
                supervisor.request_stop()
    print('%d steps' % step)


if __name__ == '__main__':
    tf.app.run()
