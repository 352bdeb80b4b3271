import os
import sys

import tensorflow as tf

import reader
from batching import shuffled


def main(data_dir):
    files = [os.path.join(data_dir, 'train-%05d-of-00003' % i) for i in range(3)]
    image, label = reader.read(files, num_epochs=1)
    images, labels = shuffled([image, label], 5)
    loss = tf.reduce_mean(images) + tf.reduce_mean(tf.to_float(labels))
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while not coord.should_stop():
                print(sess.run(loss))
        except tf.errors.OutOfRangeError:
            print('done')
        finally:
            coord.request_stop()
        coord.join(threads)


if __name__ == '__main__':
    main(sys.argv[1])
