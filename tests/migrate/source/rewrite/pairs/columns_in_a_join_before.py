from legacy_towers.compat import tf

queue = tf.train.string_input_producer(sorted(CSV), shuffle=False, num_epochs=1)
_, line = tf.TextLineReader(skip_header_lines=1).read(queue)
defaults = [[0.0], [0], ["none"]]
examples = [tf.decode_csv(line, record_defaults=defaults) for _ in range(2)]
a, n, label = tf.train.batch_join(examples, batch_size=4)
FETCHED = [a, n, label]
