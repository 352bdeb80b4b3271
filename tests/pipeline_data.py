"""The data of the scripts in scripts/."""
import os
import struct

import numpy as np

from legacy_towers.compat import tf


def write_data(folder):
    """Writes records, binary files, CSV, text and images to a folder."""
    random = np.random.RandomState(0)

    def path(*parts):
        return os.path.join(str(folder), *parts)

    def pixels(*shape):
        return random.randint(0, 255, shape).astype(np.uint8)

    count = 0
    for split, shards in (("train", 3), ("validation", 2)):
        for shard in range(shards):
            with tf.python_io.TFRecordWriter(path("{}-{:05d}-of-{:05d}".format(split, shard, shards))) as writer:
                for _ in range(7 + shard):
                    writer.write(_example(
                        image_raw=pixels(4, 4, 3).tobytes(), label=[count % 5], id=[count], height=[4], width=[4],
                        score=[count / 2.0], tags=list(range(count % 4 + 1)), name=b"name%d" % count,
                    ))
                    count += 1
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.ZLIB)
    with tf.python_io.TFRecordWriter(path("packed.tfrecord"), options) as writer:
        for number in range(14):
            writer.write(_example(x=[number, number + 0.5], y=[number % 3]))
    with tf.python_io.TFRecordWriter(path("sequences.tfrecord")) as writer:
        for number in range(12):
            tokens = [int(each) for each in random.randint(0, 99, number % 5 + 1)]
            lists = tf.train.FeatureLists(feature_list={
                "tokens": tf.train.FeatureList(feature=[_feature([token]) for token in tokens])})
            context = tf.train.Features(feature={"length": _feature([len(tokens)])})
            writer.write(tf.train.SequenceExample(context=context, feature_lists=lists).SerializeToString())
    for number in range(3):
        with open(path("batch_{}.bin".format(number)), "wb") as file:
            for label in range(8):
                file.write(bytes([label]) + pixels(3, 5, 5).tobytes())
        with open(path("iris_{}.csv".format(number)), "w") as file:
            file.write("sepal,petal,count,species\n")
            for row in range(9):
                file.write("{:.1f},{:.2f},{},{}\n".format(number + row * 0.1, row * 0.25, row, "xyz"[row % 3]))
        with open(path("text_{}.txt".format(number)), "w") as file:
            for _ in range(7):
                file.write(" ".join("w{}".format(random.randint(50)) for _ in range(random.randint(1, 6))) + "\n")
    with open(path("header.bin"), "wb") as file:
        rows = [struct.pack("<iff", row, row * 0.5, row * 2.0) for row in range(11)]
        file.write(b"HEADER!!" + b"".join(rows) + b"FOOT")
    _write_images(path, pixels)


def _write_images(path, pixels):
    for name in ("images", "masks"):
        os.mkdir(path(name))
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.placeholder(tf.uint8, [None, None, None])
        png = tf.image.encode_png(image)
        lines = []
        for number in range(10):
            name = path("images", "{:02d}.png".format(number))
            for each, channels in ((name, 3), (path("masks", os.path.basename(name)), 1)):
                with open(each, "wb") as file:
                    file.write(session.run(png, {image: pixels(6, 8, channels)}))
            lines.append("{} {}\n".format(name, number % 3))
    with open(path("list.txt"), "w") as file:
        file.writelines(lines)


def _feature(values):
    if isinstance(values, bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[values]))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def _example(**values):
    if "x" in values:
        values["x"] = [float(each) for each in values["x"]]
    features = tf.train.Features(feature={name: _feature(value) for name, value in values.items()})
    return tf.train.Example(features=features).SerializeToString()
