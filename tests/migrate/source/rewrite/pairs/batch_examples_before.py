from legacy_towers.compat import tf


def parse(record):
    return tf.decode_csv(record, [[""], [""], [""]])


def input_fn(pattern, epochs):
    return tf.contrib.learn.read_batch_examples(
        pattern, batch_size=3, reader=tf.TextLineReader, randomize_input=False, num_epochs=epochs, queue_capacity=20,
        parse_fn=parse)


FETCHED = input_fn(FOLDER + "/*.csv", 1)
