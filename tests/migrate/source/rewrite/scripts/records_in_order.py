import sys
import os
import tensorflow as tf

data_dir = sys.argv[1]
filenames = [os.path.join(data_dir, 'train-%05d-of-00003' % i) for i in range(3)]
filename_queue = tf.train.string_input_producer(filenames, shuffle=False)
reader = tf.TFRecordReader()
key, value = reader.read(filename_queue)
features = tf.parse_single_example(value, features={'id': tf.FixedLenFeature([], tf.int64)})
ids = tf.train.batch([features['id']], batch_size=4)

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for i in range(9):
        print(sess.run(ids))
    coord.request_stop()
    coord.join(threads)
