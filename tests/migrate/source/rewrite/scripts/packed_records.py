import sys, os
import tensorflow as tf

options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.ZLIB)
queue = tf.train.string_input_producer([os.path.join(sys.argv[1], "packed.tfrecord")], num_epochs=3)
reader = tf.TFRecordReader(options=options)
_, record = reader.read(queue)
example = tf.parse_single_example(record, features={
    "x": tf.FixedLenFeature([2], tf.float32),
    "y": tf.FixedLenFeature([], tf.int64),
})
x, y = tf.train.batch([example["x"], example["y"]], batch_size=5, num_threads=1, capacity=32)
mean = tf.reduce_mean(x, axis=0)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    try:
        while True:
            print(sess.run([mean, y]))
    except tf.errors.OutOfRangeError:
        print("epoch limit reached")
    finally:
        coord.request_stop()
        coord.join(threads)
