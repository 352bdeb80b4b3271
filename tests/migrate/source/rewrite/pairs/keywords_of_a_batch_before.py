from legacy_towers.compat import tf

SIZE = 2 + 1
OPTIONS = {"batch_size": SIZE, "num_threads": 1, "capacity": 8 * SIZE, "allow_smaller_final_batch": True}
files = dict(num_epochs=2, shuffle=False)

queue = tf.train.string_input_producer(CSV, **files)
_, line = tf.TextLineReader(**dict(skip_header_lines=1)).read(queue)
FETCHED = tf.train.batch([line, tf.size(tf.string_split([line], ","))], **OPTIONS)
