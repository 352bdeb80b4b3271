from legacy_towers.compat import tf


def read(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    return serialized


def parse(serialized):
    features = tf.parse_single_example(serialized, {
        "id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    return features["id"], features["x"]


def batches(images_and_words, size, capacity):
    # What each batch has beside the images is computed here.
    joined = []
    for image, words in images_and_words:
        length = tf.subtract(tf.shape(words)[0], 1)
        last = words[length]
        joined.append([image, last, length])
    images, last, lengths = tf.train.batch_join(joined, size, capacity, allow_smaller_final_batch=True)
    return images, last, lengths


queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
serialized = read(queue)
examples = []
for thread_id in range(3):
    number, image = parse(serialized)
    words = tf.range(number + 1)
    examples.append([image, words])
FETCHED = batches(examples, size=3, capacity=20)
