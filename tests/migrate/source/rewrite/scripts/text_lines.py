import os
import sys
import tensorflow as tf

BUCKETS = 20


def read_text(data_dir, batch_size):
    files = [os.path.join(data_dir, "text_%d.txt" % i) for i in range(3)]
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    words = tf.string_split([line]).values
    ids = tf.string_to_hash_bucket_fast(words, BUCKETS)
    length = tf.size(ids)
    return tf.train.batch([ids, length], batch_size=batch_size, dynamic_pad=True, capacity=32)


ids, lengths = read_text(sys.argv[1], 4)
embedding = tf.get_variable("embedding", [BUCKETS, 3])
mean = tf.reduce_mean(tf.nn.embedding_lookup(embedding, ids))
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            print(sess.run([mean, lengths]))
    except tf.errors.OutOfRangeError:
        print("read all lines")
    finally:
        coord.request_stop()
        coord.join(threads)
