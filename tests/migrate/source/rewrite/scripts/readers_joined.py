import os
import sys
import tensorflow as tf

NUM_READERS = 2


def read(filename_queue):
    _, value = tf.TFRecordReader().read(filename_queue)
    f = tf.parse_single_example(value, {"id": tf.FixedLenFeature([], tf.int64), "score": tf.FixedLenFeature([], tf.float32)})
    return [f["id"], f["score"]]


def inputs(batch_size):
    files = [os.path.join(sys.argv[1], "train-%05d-of-00003" % i) for i in range(3)]
    filename_queue = tf.train.string_input_producer(files, num_epochs=2)
    examples = [read(filename_queue) for _ in range(NUM_READERS)]
    return tf.train.shuffle_batch_join(examples, batch_size=batch_size, capacity=50, min_after_dequeue=10)


ids, scores = inputs(4)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    count = 0
    try:
        while not coord.should_stop():
            a, b = sess.run([ids, scores])
            count += len(a)
    except tf.errors.OutOfRangeError:
        print(count)
    finally:
        coord.request_stop()
    coord.join(threads)
