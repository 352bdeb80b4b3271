"""Easy sentences first: a priority queue sorts what the reader gives by length."""
import os
import sys
import tensorflow as tf

g = tf.Graph()
with g.as_default():
    files = tf.train.string_input_producer([os.path.join(sys.argv[1], 'words.txt')], num_epochs=1)
    _, text = tf.TextLineReader().read(files)
    n = tf.size(tf.string_split([text]).values, out_type=tf.int64)
    q = tf.PriorityQueue(capacity=64, types=[tf.string], shapes=[()], name='curriculum')
    tf.train.add_queue_runner(tf.train.QueueRunner(q, [q.enqueue((n, text))]))
    length, sentence = q.dequeue_many(2)
    chars = tf.decode_raw(tf.substr(sentence, 0, 2), tf.uint8)
    x = tf.reshape(tf.to_float(chars) / 255., [-1, 2])
    pred = tf.layers.dense(x, 1)
    loss = tf.reduce_mean(tf.square(pred - tf.to_float(tf.expand_dims(length, 1))))
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    init = tf.global_variables_initializer(), tf.local_variables_initializer()

with tf.Session(graph=g) as sess:
    sess.run(init)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    taken = 0
    try:
        while True:
            sess.run(train_op)
            taken += 2
    except tf.errors.OutOfRangeError:
        print(taken, 'sentences')
    coord.request_stop()
    coord.join(threads, stop_grace_period_secs=5)
