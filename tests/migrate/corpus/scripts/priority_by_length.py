"""Language model: short sentences first, by a priority queue."""
import os
import sys

import tensorflow as tf

with tf.Graph().as_default() as graph:
    files = tf.train.string_input_producer([os.path.join(sys.argv[1], "text", "corpus.txt")], num_epochs=1)
    _, line = tf.TextLineReader().read(files)
    characters = tf.to_int32(tf.decode_raw(line, tf.uint8))
    length = tf.cast(tf.size(characters), tf.int64)
    queue = tf.PriorityQueue(capacity=7, types=[tf.string], shapes=[[]], name="by_length")
    enqueue = queue.enqueue((length, line))
    runner = tf.train.QueueRunner(queue, [enqueue])
    tf.train.add_queue_runner(runner)
    priority, sentence = queue.dequeue()
    ids = tf.to_int32(tf.decode_raw(sentence, tf.uint8))
    inputs, targets = ids[:-1], ids[1:]
    table = tf.get_variable("table", [256, 8])
    logits = tf.layers.dense(tf.nn.embedding_lookup(table, inputs), 256)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    init = [tf.global_variables_initializer(), tf.local_variables_initializer()]

with tf.Session(graph=graph) as session:
    session.run(init)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coord)
    lengths = []
    try:
        while not coord.should_stop():
            lengths.append(session.run([priority, train])[0])
    except tf.errors.OutOfRangeError:
        pass
    finally:
        coord.request_stop()
    coord.join(threads)
    print(len(lengths))
