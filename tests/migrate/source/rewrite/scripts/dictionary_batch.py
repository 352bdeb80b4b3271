import sys, os
import tensorflow as tf

def get_data(path, batch_size=3):
    q = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
    _, s = tf.TFRecordReader().read(q)
    parsed = tf.parse_single_example(s, features={
        "id": tf.FixedLenFeature([], tf.int64),
        "label": tf.FixedLenFeature([], tf.int64),
        "name": tf.FixedLenFeature([], tf.string),
    })
    parsed["label"] = tf.one_hot(parsed["label"], 5)
    return tf.train.batch(parsed, batch_size=batch_size, capacity=30)

batch = get_data(os.path.join(sys.argv[1], "validation-00000-of-00002"))
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            found = sess.run(batch)
            print(found["id"], found["name"], found["label"].sum())
    except tf.errors.OutOfRangeError:
        print("end")
    finally:
        coord.request_stop()
        coord.join(threads)
