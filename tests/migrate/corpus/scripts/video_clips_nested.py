"""Frames of raw video become clips of 4 frames, and clips are shuffled: one queue behind another."""
import os
import sys

import tensorflow as tf

HEIGHT = WIDTH = 8
CLIP = 4


def read_frames(filenames):
    queue = tf.train.string_input_producer(filenames, shuffle=False, num_epochs=4)
    reader = tf.FixedLengthRecordReader(record_bytes=HEIGHT * WIDTH * 3)
    _, raw = reader.read(queue)
    frame = tf.reshape(tf.decode_raw(raw, tf.uint8), [HEIGHT, WIDTH, 3])
    return tf.cast(frame, tf.float32) / 255.


def clips(filenames, batch_size):
    frame = read_frames(filenames)
    # one thread, so that the frames of a clip stay in order
    clip = tf.train.batch([frame], batch_size=CLIP, num_threads=1, capacity=3 * CLIP, name='clip')
    clip = clip - tf.reduce_mean(clip, axis=[1, 2], keep_dims=True)
    return tf.train.shuffle_batch([clip], batch_size=batch_size, capacity=10, min_after_dequeue=2, name='clips')


def main():
    filenames = [os.path.join(sys.argv[1], 'video', 'clip_%d.bin' % i) for i in range(3)]
    video = clips(filenames, 2)
    past, future = video[:, :-1], video[:, -1]
    kernel = tf.get_variable('kernel', [2, 3, 3, 3, 4])
    features = tf.nn.relu(tf.nn.conv3d(past, kernel, [1, 1, 1, 1, 1], 'SAME'))
    guess = tf.layers.conv2d(tf.reduce_mean(features, 1), 3, 3, padding='same')
    loss = tf.reduce_mean(tf.square(guess - future))
    train = tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True).minimize(loss)

    config = tf.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    with tf.Session(config=config) as sess:
        tf.global_variables_initializer().run()
        tf.local_variables_initializer().run()
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            for step in range(1000):
                if coord.should_stop():
                    break
                _, value = sess.run([train, loss])
        except tf.errors.OutOfRangeError as e:
            print('end of input after', step, 'steps')
            coord.request_stop(e)
        finally:
            coord.request_stop()
            try:
                coord.join(threads)
            except tf.errors.OutOfRangeError:
                pass


main()
