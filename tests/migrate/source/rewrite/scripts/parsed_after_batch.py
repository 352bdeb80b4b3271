import os
import sys
import tensorflow as tf

files = [os.path.join(sys.argv[1], "train-%05d-of-00003" % shard) for shard in range(3)]


def input_pipeline(batch_size):
    filename_queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    reader = tf.TFRecordReader()
    _, serialized = reader.read(filename_queue)
    # Parsing a batch is faster than parsing examples.
    batch = tf.train.batch([serialized], batch_size=batch_size, capacity=50, allow_smaller_final_batch=True)
    features = tf.parse_example(batch, features={
        "id": tf.FixedLenFeature([], tf.int64),
        "tags": tf.VarLenFeature(tf.int64),
    })
    return features["id"], tf.sparse_tensor_to_dense(features["tags"])


ids, tags = input_pipeline(6)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            i, t = sess.run([ids, tags])
            print(i, t.shape)
    except tf.errors.OutOfRangeError as e:
        coord.request_stop(e)
    coord.request_stop()
    coord.join(threads)
