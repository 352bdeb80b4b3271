from legacy_towers.compat import tf


def preprocess(image, thread_id):
    if not thread_id:
        tf.summary.histogram("image", image)
    if thread_id % 2 == 0:
        return image + 100.0
    return 100.0 + image


queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
_, serialized = tf.TFRecordReader().read(queue)
examples = []
for thread_id in range(3):
    # Each thread computes in its own way.
    features = tf.parse_single_example(
        serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    examples.append([preprocess(features["x"], thread_id), features["id"]])
images, numbers = tf.train.batch_join(examples, batch_size=4, capacity=20)
FETCHED = [images, numbers]
SUMMARIES = ["image"]
