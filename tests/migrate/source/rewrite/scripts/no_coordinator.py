import os, sys
import tensorflow as tf

dataset = [os.path.join(sys.argv[1], f) for f in sorted(os.listdir(sys.argv[1])) if f.startswith("batch_")]
q = tf.train.string_input_producer(dataset, shuffle=False)
reader = tf.FixedLengthRecordReader(76)
_, record = reader.read(q)
raw = tf.decode_raw(record, tf.uint8)
label = tf.cast(raw[0], tf.int32)
image = tf.to_float(tf.reshape(raw[1:76], [75]))
image, label = tf.train.batch([image, label], 6, capacity=60)
average = tf.reduce_mean(image, 1)

with tf.Session() as sess:
    tf.train.start_queue_runners()
    for _ in range(5):
        print(sess.run([average, label]))
