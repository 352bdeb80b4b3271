"""Images with captions: shards of SequenceExamples are prefetched, distorted by threads and padded."""
import os
import sys

import tensorflow as tf


def parse_sequence_example(serialized):
    context, sequence = tf.parse_single_sequence_example(
        serialized,
        context_features={"image/data": tf.FixedLenFeature([], dtype=tf.string)},
        sequence_features={"image/caption_ids": tf.FixedLenSequenceFeature([], dtype=tf.int64)})
    return context["image/data"], sequence["image/caption_ids"]


def prefetch_input_data(reader, file_pattern, is_training, batch_size, num_reader_threads=1):
    data_files = []
    for pattern in file_pattern.split(","):
        data_files.extend(tf.gfile.Glob(pattern))
    if not data_files:
        tf.logging.fatal("Found no input files matching %s", file_pattern)
    if is_training:
        filename_queue = tf.train.string_input_producer(data_files, shuffle=True, capacity=16)
        values_queue = tf.RandomShuffleQueue(capacity=20, min_after_dequeue=4, dtypes=[tf.string],
                                             name="random_input_queue")
    else:
        filename_queue = tf.train.string_input_producer(data_files, shuffle=False, capacity=1)
        values_queue = tf.FIFOQueue(capacity=8, dtypes=[tf.string], name="fifo_input_queue")
    enqueue_ops = []
    for _ in range(num_reader_threads):
        _, value = reader.read(filename_queue)
        enqueue_ops.append(values_queue.enqueue([value]))
    tf.train.queue_runner.add_queue_runner(tf.train.queue_runner.QueueRunner(values_queue, enqueue_ops))
    tf.summary.scalar("queue/%s/fraction_of_full" % values_queue.name,
                      tf.cast(values_queue.size(), tf.float32) * (1. / 20))
    return values_queue


def batch_with_dynamic_pad(images_and_captions, batch_size, queue_capacity):
    enqueue_list = []
    for image, caption in images_and_captions:
        caption_length = tf.shape(caption)[0]
        input_length = tf.expand_dims(tf.subtract(caption_length, 1), 0)
        input_seq = tf.slice(caption, [0], input_length)
        target_seq = tf.slice(caption, [1], input_length)
        indicator = tf.ones(input_length, dtype=tf.int32)
        enqueue_list.append([image, input_seq, target_seq, indicator])
    return tf.train.batch_join(enqueue_list, batch_size=batch_size, capacity=queue_capacity, dynamic_pad=True,
                               name="batch_and_pad")


def build(pattern):
    input_queue = prefetch_input_data(tf.TFRecordReader(), pattern, True, 3, 2)
    images_and_captions = []
    for thread_id in range(4):
        encoded_image, caption = parse_sequence_example(input_queue.dequeue())
        image = tf.image.convert_image_dtype(tf.image.decode_jpeg(encoded_image, channels=3), tf.float32)
        image = tf.random_crop(image, [12, 12, 3])
        image = tf.image.random_flip_left_right(image)
        images_and_captions.append([image, caption])
    return batch_with_dynamic_pad(images_and_captions, 3, 2 * 4 * 3)


images, input_seqs, target_seqs, mask = build(os.path.join(sys.argv[1], "captions", "train-?.tfrecords"))
with tf.variable_scope("seq_embedding"):
    table = tf.get_variable("map", [30, 8])
pictures = tf.layers.dense(tf.layers.flatten(images), 8)
outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(8), tf.nn.embedding_lookup(table, input_seqs),
                               sequence_length=tf.reduce_sum(mask, 1),
                               initial_state=tf.nn.rnn_cell.LSTMStateTuple(pictures, pictures))
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target_seqs, logits=tf.layers.dense(outputs, 30))
weights = tf.to_float(mask)
loss = tf.div(tf.reduce_sum(losses * weights), tf.reduce_sum(weights))
train_tensor = tf.contrib.slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.1))
tf.contrib.slim.learning.train(train_tensor, "caption_model", number_of_steps=3, log_every_n_steps=1,
                               save_summaries_secs=600)
print("trained")
