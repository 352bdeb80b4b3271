from legacy_towers.compat import tf


class Reader(object):
    def read(self, unused_queue):
        """Reads examples."""
        raise NotImplementedError()


class Many(Reader):
    def read(self, dataset, count=4):
        dataset = dataset.flat_map(lambda filename: tf.data.TFRecordDataset(filename).batch(count))
        dataset = dataset.map(self.parse)
        return dataset

    def parse(self, records):
        ids = tf.parse_example(records, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        return ids, ids + 1


class One(Reader):
    def read(self, dataset, least=-2):
        dataset = dataset.flat_map(tf.data.TFRecordDataset)
        dataset = dataset.map(lambda record: self.parse(record, least))
        return dataset

    def parse(self, record, least):
        number = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        return tf.expand_dims(number, 0), tf.expand_dims(number + least, 0)


def reader_of(kind):
    if kind == "one":
        reader = One()
    else:
        reader = Many()
    return reader


def batches(reader, files, size, number_of_readers=2):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.interleave(
        lambda filename: reader.read(tf.data.Dataset.from_tensors(filename)), cycle_length=number_of_readers)
    dataset = dataset.unbatch()
    dataset = dataset.shuffle(size * 5)
    dataset = dataset.batch(size)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(reader_of("many"), FILES, 5)
