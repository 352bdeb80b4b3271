"""Writes records and images for the scripts of the corpus."""
import os

from legacy_towers.compat import tf


def path_below(folder, *parts):
    path = os.path.join(str(folder), *parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def images_of(random, number, height, width, depth, kind):
    """Returns `number` encoded images."""
    encode = tf.image.encode_jpeg if kind == "jpeg" else tf.image.encode_png
    with tf.Graph().as_default(), tf.Session() as session:
        pixels = tf.placeholder(tf.uint8, [height, width, depth])
        encoded = encode(pixels)
        return [
            session.run(encoded, {pixels: random.randint(0, 256, [height, width, depth])}) for _ in range(number)
        ]


def ints(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[int(each) for each in values]))


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=[float(each) for each in values]))


def strings(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(
        value=[each if isinstance(each, bytes) else each.encode() for each in values]
    ))


def example_of(features):
    return tf.train.Example(features=tf.train.Features(feature=features))


def sequence_of(context, lists):
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context),
        feature_lists=tf.train.FeatureLists(feature_list={
            name: tf.train.FeatureList(feature=features) for name, features in lists.items()
        }),
    )


def write_records(path, protos, compression=""):
    with tf.io.TFRecordWriter(path, options=compression or None) as writer:
        for each in protos:
            writer.write(each.SerializeToString())
