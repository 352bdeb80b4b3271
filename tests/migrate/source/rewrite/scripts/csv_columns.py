import os
import sys
import tensorflow as tf

filename_queue = tf.train.string_input_producer(
    [os.path.join(sys.argv[1], "iris_0.csv"), os.path.join(sys.argv[1], "iris_1.csv")], shuffle=False)
reader = tf.TextLineReader(skip_header_lines=True)
_, value = reader.read(filename_queue)
col1, col2, col3, col4 = tf.decode_csv(value, record_defaults=[[0.], [0.], [0], ["?"]])
features = tf.stack([col1, col2])
batch = tf.train.batch([features, col3, col4], batch_size=3)

with tf.Session() as sess:
    # Start populating the filename queue.
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    for i in range(8):
        example, count, species = sess.run(batch)
        print(example, count, species)
    coord.request_stop()
    coord.join(threads)
