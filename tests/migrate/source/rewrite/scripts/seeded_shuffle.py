import os, sys
import tensorflow as tf
tf.set_random_seed(7)
files = ["{}/train-0000{}-of-00003".format(sys.argv[1], i) for i in range(3)]
queue = tf.train.string_input_producer(files, shuffle=True, seed=1, num_epochs=1)
_, s = tf.TFRecordReader().read(queue)
f = tf.parse_single_example(s, {"id": tf.FixedLenFeature([], tf.int64)})
ids = tf.train.shuffle_batch([f["id"]], 5, capacity=12, min_after_dequeue=4, seed=2, allow_smaller_final_batch=True)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    with coord.stop_on_exception():
        while not coord.should_stop():
            print(sess.run(ids))
    coord.join(threads)
