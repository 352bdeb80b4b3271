from legacy_towers.compat import tf

BATCH_SIZE = 4
filename_queue = tf.train.string_input_producer(CSV, shuffle=False, num_epochs=1)
reader = tf.TextLineReader(skip_header_lines=1)
_, line = reader.read(filename_queue)
a, n, label = tf.decode_csv(line, [[0.], [0], [""]])

# Two threads fill it.
queue = tf.FIFOQueue(capacity=10, dtypes=[tf.float32, tf.int32, tf.string], shapes=[[], [], []])
enqueue_op = queue.enqueue([a * 2., n, label])
runner = tf.train.QueueRunner(queue, [enqueue_op])
tf.train.add_queue_runner(runner)
FETCHED = queue.dequeue_up_to(BATCH_SIZE)
