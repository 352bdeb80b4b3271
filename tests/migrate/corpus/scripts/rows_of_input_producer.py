# matrix factorization of ratings, a few rows at a time
import os
import sys

import numpy as np
import tensorflow as tf

ratings = np.genfromtxt(os.path.join(sys.argv[1], 'ratings.csv'), delimiter=',', dtype=np.float32)
num_users, num_items = int(ratings[:, 0].max()) + 1, int(ratings[:, 1].max()) + 1
dim = 3

producer = tf.train.input_producer(tf.constant(ratings), element_shape=[3], num_epochs=3, shuffle=True, seed=11,
                                   capacity=64, shared_name=None, name='rows')
rows = producer.dequeue_many(6)
user = tf.to_int32(rows[:, 0])
item = tf.to_int32(rows[:, 1])
rate = rows[:, 2]

U = tf.get_variable('U', [num_users, dim], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1))
V = tf.get_variable('V', [num_items, dim], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=2))
bias = tf.get_variable('bias', [], initializer=tf.zeros_initializer())
infer = tf.reduce_sum(tf.nn.embedding_lookup(U, user) * tf.nn.embedding_lookup(V, item), 1) + bias
cost = tf.nn.l2_loss(infer - rate) + 0.01 * (tf.nn.l2_loss(U) + tf.nn.l2_loss(V))
train = tf.train.AdamOptimizer(0.01).minimize(cost)

init = [tf.global_variables_initializer(), tf.local_variables_initializer()]
with tf.Session() as sess:
    sess.run(init)
    coord = tf.train.Coordinator()
    enqueue_threads = tf.train.start_queue_runners(sess, coord)
    seen = 0
    with coord.stop_on_exception():
        while not coord.should_stop():
            _, c, u = sess.run([train, cost, user])
            seen += len(u)
    print('ratings seen:', seen)
    coord.join(enqueue_threads)
