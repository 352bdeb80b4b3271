from legacy_towers.compat import tf

queue = tf.train.string_input_producer(sorted(CSV), shuffle=False, num_epochs=1)
_, line = tf.TextLineReader(skip_header_lines=1).read(queue)
defaults = [[0.0], [0], ["none"]]
a, n, label = tf.decode_csv(line, record_defaults=defaults)
batch = tf.train.batch({"a": a, "n": n, "label": label}, 3, allow_smaller_final_batch=True)
FETCHED = [batch]
