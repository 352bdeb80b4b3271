"""Captions of different lengths, padded in a batch, with a mask."""
import os
import sys
import tensorflow as tf


def parse_sequence_example(serialized, image_feature, caption_feature):
    context, sequence = tf.parse_single_sequence_example(
        serialized,
        context_features={image_feature: tf.FixedLenFeature([4], dtype=tf.float32)},
        sequence_features={caption_feature: tf.FixedLenSequenceFeature([], dtype=tf.int64)})
    return context[image_feature], sequence[caption_feature]


def prefetch_input_data(reader, file_pattern, is_training, batch_size, values_per_shard=7, num_reader_threads=1):
    data_files = []
    for pattern in file_pattern.split(","):
        data_files.extend(sorted(tf.gfile.Glob(pattern)))
    if not data_files:
        tf.logging.fatal("Found no input files matching %s", file_pattern)
    if is_training:
        filename_queue = tf.train.string_input_producer(data_files, shuffle=True, capacity=16, name="filename_queue")
        min_queue_examples = values_per_shard * 2
        capacity = min_queue_examples + 100 * batch_size
        values_queue = tf.RandomShuffleQueue(capacity=capacity, min_after_dequeue=min_queue_examples,
                                             dtypes=[tf.string], name="random_input_queue")
    else:
        filename_queue = tf.train.string_input_producer(data_files, shuffle=False, capacity=1)
        values_queue = tf.FIFOQueue(capacity=values_per_shard + 3 * batch_size, dtypes=[tf.string])
    enqueue_ops = []
    for _ in range(num_reader_threads):
        _, value = reader.read(filename_queue)
        enqueue_ops.append(values_queue.enqueue([value]))
    tf.train.queue_runner.add_queue_runner(tf.train.queue_runner.QueueRunner(values_queue, enqueue_ops))
    tf.summary.scalar("queue/%s/fraction_of_%d_full" % (values_queue.name, capacity if is_training else 1),
                      tf.cast(values_queue.size(), tf.float32) * (1. / 100))
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


with tf.Graph().as_default():
    queue = prefetch_input_data(tf.TFRecordReader(), os.path.join(sys.argv[1], "captions-*"), True, 4)
    pairs = [parse_sequence_example(queue.dequeue(), "image/data", "image/caption_ids") for _ in range(2)]
    images, input_seqs, target_seqs, input_mask = batch_with_dynamic_pad(pairs, 4, 2 * 4 * 2)
    embedding = tf.get_variable("map", [12, 5])
    hidden = tf.nn.embedding_lookup(embedding, input_seqs) + tf.expand_dims(tf.layers.dense(images, 5), 1)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target_seqs, logits=tf.layers.dense(hidden, 12))
    weights = tf.to_float(input_mask)
    batch_loss = tf.div(tf.reduce_sum(losses * weights), tf.reduce_sum(weights), name="batch_loss")
    train_op = tf.contrib.layers.optimize_loss(loss=batch_loss, global_step=tf.train.get_or_create_global_step(),
                                               learning_rate=0.5, optimizer="SGD", clip_gradients=5.0)
    batch_shape = tf.shape(input_seqs)
    with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(num_steps=4)]) as sess:
        while not sess.should_stop():
            loss, shape = sess.run([train_op, batch_shape])
    print("batch", shape[0])
