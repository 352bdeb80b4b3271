import os
import sys
import tensorflow as tf

THREADS = 2


def read_records(data_dir, batch_size):
    files = [os.path.join(data_dir, "train-%05d-of-00003" % shard) for shard in range(3)]
    filename_queue = tf.train.string_input_producer(files, num_epochs=2)
    _, serialized = tf.TFRecordReader().read(filename_queue)
    features = tf.parse_single_example(serialized, features={
        "id": tf.FixedLenFeature([], tf.int64), "score": tf.FixedLenFeature([], tf.float32)})
    queue = tf.RandomShuffleQueue(100, 10, [tf.int64, tf.float32], shapes=[[], []])
    enqueue = queue.enqueue([features["id"], features["score"]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue] * THREADS))
    return queue.dequeue_many(batch_size)


ids, scores = read_records(sys.argv[1], 4)
mean = tf.reduce_mean(scores)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            print(sess.run([ids, mean]))
    except tf.errors.OutOfRangeError:
        print("all records are read")
    finally:
        coord.request_stop()
    coord.join(threads)
