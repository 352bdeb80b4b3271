import os
import sys
import tensorflow as tf

pattern = os.path.join(sys.argv[1], "train-%05d-of-00003")
filename_queue = tf.train.string_input_producer([pattern % i for i in range(3)], num_epochs=2, shuffle=False)
reader = tf.TFRecordReader()
_, examples = reader.read_up_to(filename_queue, num_records=5)
batch = tf.train.batch([examples], batch_size=4, enqueue_many=True, capacity=40, allow_smaller_final_batch=True)
parsed = tf.parse_example(batch, {"id": tf.FixedLenFeature([], tf.int64)})

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            print(sess.run(parsed["id"]))
    except tf.errors.OutOfRangeError:
        print("done")
    finally:
        coord.request_stop()
    coord.join(threads)
