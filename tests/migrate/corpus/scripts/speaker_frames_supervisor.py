"""Speaker identification: utterances of different lengths are padded; a Supervisor runs the training."""
import glob
import os
import sys

import tensorflow as tf

data_dir = os.path.join(sys.argv[1], "speech")


def utterances(files, batch_size, num_threads):
    fqueue = tf.train.string_input_producer(files)
    _, proto = tf.TFRecordReader().read(fqueue)
    context, lists = tf.parse_single_sequence_example(
        proto, {"speaker": tf.FixedLenFeature([], tf.int64)},
        {"frames": tf.FixedLenSequenceFeature([13], tf.float32)})
    frames = lists["frames"]
    mean, variance = tf.nn.moments(frames, [0], keep_dims=True)
    frames = (frames - mean) * tf.rsqrt(variance + 1e-6)
    return tf.train.batch({"frames": frames, "length": tf.shape(frames)[0], "speaker": context["speaker"]},
                          batch_size, num_threads=num_threads, capacity=40, dynamic_pad=True)


batch = utterances(sorted(glob.glob(os.path.join(data_dir, "*.tfrecords"))), 3, 3)
mask = tf.expand_dims(tf.sequence_mask(batch["length"], tf.shape(batch["frames"])[1], tf.float32), -1)
hidden = tf.layers.conv1d(batch["frames"], 8, 3, padding="same", activation=tf.nn.relu) * mask
pooled = tf.reduce_sum(hidden, 1) / tf.to_float(tf.expand_dims(batch["length"], 1))
loss = tf.losses.sparse_softmax_cross_entropy(batch["speaker"], tf.layers.dense(pooled, 4))
global_step = tf.Variable(0, trainable=False, name="global_step")
rate = tf.train.exponential_decay(0.1, global_step, 100, 0.96, staircase=True)
train_op = tf.train.AdagradOptimizer(rate).minimize(loss, global_step)
tf.summary.scalar("loss", loss)

sv = tf.train.Supervisor(logdir="speaker_logs", save_model_secs=0, save_summaries_secs=0)
with sv.managed_session() as sess:
    for _ in range(5):
        if sv.should_stop():
            break
        value, step, _ = sess.run([loss, global_step, train_op])
        print(step, value)
    sv.stop()
