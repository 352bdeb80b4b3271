from legacy_towers.compat import tf


def read(serialized):
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return {"number": number, "words": tf.range(number)}


class Batches(object):
    def of(self, dataset, size):
        dataset = dataset.padded_batch(size, tf.data.get_output_shapes(dataset))
        dataset = dataset.prefetch(1)
        return tf.data.make_one_shot_iterator(dataset).get_next()


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    example = read(serialized)
    return {"words": example["words"], "more": example["number"] + 1}


dataset = dataset.map(parse)
FETCHED = Batches().of(dataset, 3)
