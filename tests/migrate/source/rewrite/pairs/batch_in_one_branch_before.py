from legacy_towers.compat import tf


def parse_rows(rows):
    columns = tf.decode_csv(tf.expand_dims(rows, -1), [[0.0], [0], [""]])
    return dict(zip(["x", "number", "name"], columns))


def input_fn(files, batches, size):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, rows = tf.TextLineReader(skip_header_lines=1).read_up_to(queue, size)
    features = parse_rows(rows)
    if batches:
        features = tf.train.batch(features, size, enqueue_many=True, allow_smaller_final_batch=True)
    labels = features.pop("name")
    return features, labels


FETCHED = [input_fn(CSV, True, 3), input_fn(CSV, False, 3)]
