"""Writes the data of the scripts in tests/scripts, always the same small files."""
import gzip
import os
import struct

import numpy as np


def cifar10(folder: str) -> None:
    """Writes two files in CIFAR-10's binary format, 40 examples each."""
    random = np.random.RandomState(0)
    for number in (1, 2):
        labels = random.randint(10, size=[40, 1]).astype(np.uint8)
        images = random.randint(256, size=[40, 3072]).astype(np.uint8)
        np.concatenate([labels, images], axis=1).tofile(os.path.join(folder, "data_batch_{}.bin".format(number)))


def records(folder: str) -> None:
    """Writes two TFRecord files of 35 examples each: image_raw (64 bytes), label, weights (1 or 2 floats)."""
    from legacy_towers.compat import tf

    random = np.random.RandomState(1)
    for number in range(2):
        with tf.python_io.TFRecordWriter(os.path.join(folder, "part-{}.tfrecords".format(number))) as writer:
            for _ in range(35):
                image = random.randint(256, size=64).astype(np.uint8).tobytes()
                feature = {
                    "image_raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image])),
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[random.randint(3)])),
                    "weights": tf.train.Feature(
                        float_list=tf.train.FloatList(value=list(random.rand(random.randint(1, 3))))
                    ),
                }
                example = tf.train.Example(features=tf.train.Features(feature=feature))
                writer.write(example.SerializeToString())


def words(folder: str) -> None:
    """Writes a text of 40 lines with a vocabulary of about 30 words."""
    random = np.random.RandomState(2)
    with open(os.path.join(folder, "ptb.train.txt"), "w") as text:
        for _ in range(40):
            chosen = np.minimum(random.geometric(0.15, size=random.randint(4, 12)), 30)
            text.write(" ".join("word{}".format(each) for each in chosen) + "\n")


def mnist(folder: str) -> None:
    """Writes the four files of MNIST with random pixels: 5,200 training images and 200 test images."""
    random = np.random.RandomState(3)
    for prefix, count in (("train", 5200), ("t10k", 200)):
        labels = random.randint(10, size=count).astype(np.uint8)
        images = (random.rand(count, 28, 28) * (30 + 20 * labels[:, None, None])).astype(np.uint8)
        with gzip.open(os.path.join(folder, prefix + "-labels-idx1-ubyte.gz"), "wb") as file:
            file.write(struct.pack(">II", 2049, count) + labels.tobytes())
        with gzip.open(os.path.join(folder, prefix + "-images-idx3-ubyte.gz"), "wb") as file:
            file.write(struct.pack(">IIII", 2051, count, 28, 28) + images.tobytes())


def png_records(folder: str) -> None:
    """Writes two TFRecord files of 30 examples each: 16 x 16 PNG images and a label of 0 to 2."""
    from legacy_towers.compat import tf

    random = np.random.RandomState(4)
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.placeholder(tf.uint8, [16, 16, 3])
        encoded = tf.image.encode_png(image)
        for number in range(2):
            path = os.path.join(folder, "images-{}.tfrecord".format(number))
            with tf.python_io.TFRecordWriter(path) as writer:
                for _ in range(30):
                    png = session.run(encoded, {image: random.randint(256, size=[16, 16, 3])})
                    feature = {
                        "image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(value=[png])),
                        "image/format": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"png"])),
                        "image/class/label": tf.train.Feature(
                            int64_list=tf.train.Int64List(value=[random.randint(3)])
                        ),
                    }
                    example = tf.train.Example(features=tf.train.Features(feature=feature))
                    writer.write(example.SerializeToString())


def csv(folder: str) -> None:
    """Writes two CSV files with a header and 40 lines: four floats, an integer, and a string such as x_x."""
    random = np.random.RandomState(6)
    for number in range(2):
        with open(os.path.join(folder, "file{}.csv".format(number)), "w") as text:
            text.write("a,b,c,d,target,comment\n")
            for _ in range(40):
                numbers = random.rand(4)
                columns = ["{:.6f}".format(each) for each in numbers]
                columns += [str(int(10 * numbers.sum())), "_".join(["x"] * random.randint(1, 4))]
                text.write(",".join(columns) + "\n")


def png_files(folder: str) -> None:
    """Writes 20 PNG files of 20 x 20 pixels; a file's name begins with its label, 0 or 1."""
    from legacy_towers.compat import tf

    random = np.random.RandomState(7)
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.placeholder(tf.uint8, [20, 20, 3])
        encoded = tf.image.encode_png(image)
        for number in range(20):
            name = "{}_{:02d}.png".format(number % 2, number)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(session.run(encoded, {image: random.randint(256, size=[20, 20, 3])}))
