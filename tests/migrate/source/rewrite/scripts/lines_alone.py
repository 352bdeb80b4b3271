import os, sys
import tensorflow as tf

filename_queue = tf.train.string_input_producer([os.path.join(sys.argv[1], "text_1.txt")], shuffle=False)
reader = tf.TextLineReader()
key, value = reader.read(filename_queue)
lines = tf.train.batch([value], batch_size=2)
sess = tf.InteractiveSession()
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(coord=coord)
for _ in range(6):
    print(lines.eval())
coord.request_stop()
coord.join(threads)
