import os
import sys
import tensorflow as tf

filename_queue = tf.train.string_input_producer([os.path.join(sys.argv[1], "header.bin")], num_epochs=2, shuffle=False)
reader = tf.FixedLengthRecordReader(record_bytes=12, header_bytes=8, footer_bytes=4)
_, value = reader.read(filename_queue)
number = tf.decode_raw(tf.substr(value, 0, 4), tf.int32)
floats = tf.decode_raw(tf.substr(value, 4, 8), tf.float32)
number.set_shape([1])
floats.set_shape([2])
numbers, pairs = tf.train.batch([number, floats], batch_size=5, capacity=25)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            print(sess.run([numbers, pairs]))
    except tf.errors.OutOfRangeError:
        print("no more records")
    finally:
        coord.request_stop()
    coord.join(threads)
