from legacy_towers.compat import tf


def preprocess(image, thread_id):
    if not thread_id:
        tf.summary.histogram("image", image)
    if thread_id % 2 == 0:
        return image + 100.0
    return 100.0 + image


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(thread_id, serialized):
    # Each thread computes in its own way.
    features = tf.parse_single_example(
        serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    return preprocess(features["x"], thread_id), features["id"]


def parse_in_turn(number, serialized):
    # Examples get the numbers that threads had, in turn: one of the functions runs.
    turn = tf.cast(number % 3, tf.int32)
    return tf.switch_case(turn, [
        lambda thread_id=thread_id: parse(thread_id, serialized) for thread_id in range(3)
    ])


# Its summaries are of examples that are read for them.
for thread_id in range(3):
    parse(thread_id, tf.data.make_one_shot_iterator(dataset).get_next())
dataset = dataset.enumerate().map(parse_in_turn, num_parallel_calls=3)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
images, numbers = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [images, numbers]
SUMMARIES = ["image"]
