from legacy_towers.compat import tf


class Reader(object):
    def read(self, unused_queue):
        """Reads examples."""
        raise NotImplementedError()


class Many(Reader):
    def read(self, queue, count=4):
        reader = tf.TFRecordReader()
        _, records = reader.read_up_to(queue, count)
        return self.parse(records)

    def parse(self, records):
        ids = tf.parse_example(records, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        return ids, ids + 1


class One(Reader):
    def read(self, queue, least=-2):
        reader = tf.TFRecordReader()
        _, record = reader.read(queue)
        return self.parse(record, least)

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
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    examples = [
        reader.read(queue) for _ in range(number_of_readers)
    ]
    return tf.train.shuffle_batch_join(
        examples, batch_size=size, capacity=size * 5, min_after_dequeue=size, allow_smaller_final_batch=True,
        enqueue_many=True)


FETCHED = batches(reader_of("many"), FILES, 5)
