import math
import os
import sys
import tensorflow as tf

NUM_EXAMPLES = 15
batch_size = 4

queue = tf.train.string_input_producer(
    [os.path.join(sys.argv[1], "validation-%05d-of-00002" % i) for i in range(2)], num_epochs=1, shuffle=False)
_, value = tf.TFRecordReader().read(queue)
f = tf.parse_single_example(value, {"label": tf.FixedLenFeature([], tf.int64), "id": tf.FixedLenFeature([], tf.int64)})
label, number = tf.train.batch([f["label"], f["id"]], batch_size=batch_size, allow_smaller_final_batch=True)
top_k_op = tf.equal(label, tf.mod(number, 5))

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = []
    try:
        for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
            threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
        num_iter = int(math.ceil(NUM_EXAMPLES / batch_size))
        true_count = 0
        step = 0
        while step < num_iter and not coord.should_stop():
            predictions = sess.run(top_k_op)
            true_count += predictions.sum()
            step += 1
        print('precision @ 1 = %.3f' % (true_count / NUM_EXAMPLES))
    except Exception as e:
        coord.request_stop(e)
    coord.request_stop()
    coord.join(threads, stop_grace_period_secs=10)
