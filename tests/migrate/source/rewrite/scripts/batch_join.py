import os, sys
import tensorflow as tf

files = [os.path.join(sys.argv[1], "iris_%d.csv" % i) for i in range(3)]
queue = tf.train.string_input_producer(files, shuffle=False, num_epochs=1)
example_list = []
for _ in range(2):
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    a, b, c, d = tf.decode_csv(line, record_defaults=[[0.0], [0.0], [0], [""]])
    example_list.append([a, c])
x, n = tf.train.batch_join(example_list, batch_size=5, allow_smaller_final_batch=True)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while True:
            print(sess.run([x, n]))
    except tf.errors.OutOfRangeError:
        pass
    coord.request_stop()
    coord.join(threads)
