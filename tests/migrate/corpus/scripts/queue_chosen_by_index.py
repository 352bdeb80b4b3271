"""QueueBase.from_list switches from the training queue to the test queue."""
import os
import sys
import tensorflow as tf


def text_queue(name, path):
    lines = tf.train.string_input_producer([path], shuffle=False, name=name + '_files')
    _, line = tf.TextLineReader(skip_header_lines=1).read(lines)
    columns = tf.decode_csv(line, [[0.], [0.], [0]])
    q = tf.FIFOQueue(20, [tf.float32, tf.int32], shapes=[[2], []], name=name)
    tf.train.add_queue_runner(tf.train.QueueRunner(q, [q.enqueue([tf.stack(columns[:2]), columns[2]])]))
    return q


train_queue = text_queue('train', os.path.join(sys.argv[1], 'flowers-0.csv'))
test_queue = text_queue('test', os.path.join(sys.argv[1], 'flowers-1.csv'))
select_q = tf.placeholder(tf.int32, [])
queue = tf.QueueBase.from_list(select_q, [train_queue, test_queue])
x, y = queue.dequeue_many(4)
x.set_shape([4, 2])
y.set_shape([4])

W = tf.Variable(tf.zeros([2, 3]))
xent = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=tf.matmul(x, W), labels=y))
train = tf.train.GradientDescentOptimizer(0.1).minimize(xent)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess, coord)
for i in range(6):
    if i % 3 == 2:
        print('test loss %.4f' % sess.run(xent, {select_q: 1}))
    else:
        sess.run(train, {select_q: 0})
coord.request_stop()
coord.join(threads)
