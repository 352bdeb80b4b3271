from legacy_towers.compat import tf


def read(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return {"number": number, "words": tf.range(number)}


class Batches(object):
    def of(self, examples, size):
        return tf.train.batch_join(examples, size, dynamic_pad=True, allow_smaller_final_batch=True)


queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
example = read(queue)
FETCHED = Batches().of([{"words": example["words"], "more": example["number"] + 1}], 3)
