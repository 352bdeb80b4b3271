import sys, os
import tensorflow as tf

q = tf.train.string_input_producer([os.path.join(sys.argv[1], "train-00001-of-00003")], num_epochs=1)
_, s = tf.TFRecordReader().read(q)
f = tf.parse_single_example(s, {"tags": tf.VarLenFeature(tf.int64), "id": tf.FixedLenFeature([], tf.int64)})
tags = tf.sparse_tensor_to_dense(f["tags"])
tags, ids = tf.train.batch([tags, f["id"]], batch_size=3, dynamic_pad=True, allow_smaller_final_batch=True)

sess = tf.Session()
sess.run(tf.local_variables_initializer())
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
try:
    while not coord.should_stop():
        print(sess.run((ids, tags)))
except tf.errors.OutOfRangeError:
    pass
finally:
    coord.request_stop()
coord.join(threads)
sess.close()
