"""A job whose input costs more than its model: JPEG images are decoded and augmented for a small network.

    legacy-towers train examples/input_bound.py --towers 4 --steps 60 --input dataset
    legacy-towers compare examples/input_bound.py --towers 4

The images are drawn on first use, the same ones each time: a disc, a square or a cross in a warm or a cold colour, at a
random position on noise. The input pipeline decides the speed of this job.
"""
import os
import shutil
import sys

import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import InputError

SIDE = 128  # pixels per side of an image
CROP = 112  # pixels per side of the part that the model gets
DATA_DIR = "input-bound-data"
SHAPES = ("disc", "square", "cross")
COLOURS = {"warm": (225, 110, 60), "cold": (60, 120, 225)}
CLASSES = ["{}-{}".format(shape, colour) for shape in SHAPES for colour in sorted(COLOURS)]
COUNTS = {"train": 600, "test": 120}


def draw(index):
    """Returns (image, class): uint8 [128, 128, 3] and an int from 0 to 5, which depend only on `index`."""
    random = np.random.RandomState(index)
    kind = index % len(CLASSES)
    shape, colour = CLASSES[kind].split("-")
    picture = random.randint(0, 160, [SIDE, SIDE, 3])
    size = random.randint(14, 36)
    across, down = (np.arange(SIDE) - random.randint(size, SIDE - size, [2, 1]))
    across, down = np.abs(across)[None, :], np.abs(down)[:, None]
    inside = {
        "disc": across ** 2 + down ** 2 < size ** 2,
        "square": np.maximum(across, down) < size * 0.9,
        "cross": (np.maximum(across, down) < size) & (np.minimum(across, down) < size * 0.3),
    }[shape]
    picture[inside] = np.array(COLOURS[colour]) + random.randint(-30, 31, 3)
    return picture.astype(np.uint8), kind


def write_pictures(data_dir):
    """Writes DIR/train/CLASS/NUMBER.jpg and DIR/test/CLASS/NUMBER.jpg, unless these folders exist.

    Raises:
      InputError: `data_dir` does not exist; only DATA_DIR is created.
    """
    if os.path.isdir(os.path.join(data_dir, "train")) and os.path.isdir(os.path.join(data_dir, "test")):
        return
    if data_dir != DATA_DIR and not os.path.isdir(data_dir):
        raise InputError("--data-dir: there is no directory {!r}: create it, and the data are written there".format(
            data_dir
        ))
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        pixels = tf.placeholder(tf.uint8, [SIDE, SIDE, 3])
        encoded = tf.image.encode_jpeg(pixels, quality=90)
        with tf.Session(config=lt.session_config(hide_gpus=True)) as session:
            first = 0
            for part, count in COUNTS.items():
                unfinished = os.path.join(data_dir, part + ".part")
                shutil.rmtree(unfinished, ignore_errors=True)
                for name in CLASSES:
                    os.makedirs(os.path.join(unfinished, name))
                for index in range(first, first + count):
                    picture, kind = draw(index)
                    with open(os.path.join(unfinished, CLASSES[kind], "{:04d}.jpg".format(index)), "wb") as file:
                        file.write(session.run(encoded, {pixels: picture}))
                first += count
                shutil.rmtree(os.path.join(data_dir, part), ignore_errors=True)
                os.replace(unfinished, os.path.join(data_dir, part))  # a folder of this name is always complete


def parse(path, contents):
    """Returns {"image": float32 [112, 112, 3] from -1 to 1, "label": int64 []}: the center of the image."""
    pixels = tf.image.decode_jpeg(contents, channels=3)
    edge = (SIDE - CROP) // 2
    return {"image": scaled(pixels[edge:edge + CROP, edge:edge + CROP]), "label": label_of(path)}


def parse_and_change(path, contents):
    """Returns the same as `parse`, for a random crop of the image, with random flips, brightness and contrast.

    The random numbers depend on the image's name, so that they are the same in every input pipeline and epoch.
    """
    draws = [tf.random.stateless_uniform([], seed) for seed in seeds_of(path)]
    pixels = tf.image.decode_jpeg(contents, channels=3)
    # Enlarged and reduced, as in jobs for images of different sizes.
    pixels = tf.image.resize_bilinear(tf.cast(pixels, tf.float32)[None], [2 * SIDE, 2 * SIDE])
    pixels = tf.nn.avg_pool(pixels, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")[0]
    top, left = [tf.cast(draw * (SIDE - CROP + 1), tf.int32) for draw in draws[:2]]
    pixels = tf.slice(pixels, [top, left, 0], [CROP, CROP, 3])
    pixels = tf.where(draws[2] < 0.5, pixels, tf.reverse(pixels, [1]))
    image = scaled(pixels + 40 * (draws[3] - 0.5)) * (0.8 + 0.4 * draws[4])
    return {"image": tf.clip_by_value(image, -1.0, 1.0), "label": label_of(path)}


def seeds_of(path):
    """Returns five seeds, int64 [2], from the last two components of a path, CLASS/NUMBER.jpg."""
    name = tf.strings.reduce_join(tf.strings.split([path], os.sep).values[-2:], separator="/")
    number = tf.strings.to_hash_bucket_fast(name, 2 ** 31)
    return [tf.stack([number, tf.constant(which, tf.int64)]) for which in range(5)]


def label_of(path):
    """Returns the index of the class, which is the name of the image's folder."""
    folder = tf.strings.split([path], os.sep).values[-2]
    return tf.argmax(tf.cast(tf.equal(tf.constant(CLASSES), folder), tf.int32))


def scaled(pixels):
    """Scales pixels from [0, 255] to float32 in [-1, 1]."""
    return tf.cast(pixels, tf.float32) / 127.5 - 1.0


def convolution(net, name, filters, stride):
    """Returns relu(3x3 convolution + bias) with the given stride."""
    with tf.variable_scope(name):
        shape = [3, 3, int(net.shape[-1]), filters]
        weights = tf.get_variable("weights", shape, initializer=tf.variance_scaling_initializer(2.0))
        biases = tf.get_variable("biases", [filters], initializer=tf.zeros_initializer())
    return tf.nn.relu(tf.nn.conv2d(net, weights, [1, stride, stride, 1], "SAME") + biases)


def model_fn(batch, mode):
    """Builds one tower: four small convolutions and a dense layer."""
    net = batch["image"]
    for number, (filters, stride) in enumerate([(8, 4), (16, 2), (32, 2), (32, 1)]):
        net = convolution(net, "conv{}".format(number), filters, stride)
    net = tf.reduce_max(net, axis=[1, 2])
    weights = tf.get_variable("dense/weights", [32, len(CLASSES)], initializer=tf.glorot_uniform_initializer())
    biases = tf.get_variable("dense/biases", [len(CLASSES)], initializer=tf.zeros_initializer())
    logits = tf.matmul(net, weights) + biases
    if mode == lt.PREDICT:
        return lt.TowerOutput(predictions={"class": tf.argmax(logits, axis=1)})
    right = tf.cast(tf.equal(tf.argmax(logits, axis=1), batch["label"]), tf.float32)
    loss = tf.losses.sparse_softmax_cross_entropy(batch["label"], logits)
    return lt.TowerOutput(loss=loss, metrics={"accuracy": right}, predictions=logits)


@lt.job
def input_bound(data_dir=DATA_DIR, learning_rate=0.003, shuffle_seed=1):
    """Returns the job. Its arguments are options of the command line, such as --learning-rate."""
    write_pictures(data_dir)
    return lt.Job(
        model_fn=model_fn,
        train=lt.Examples.from_whole_files(
            os.path.join(data_dir, "train", "*", "*.jpg"), parse_and_change, seed=shuffle_seed
        ),
        test=lt.Examples.from_whole_files(os.path.join(data_dir, "test", "*", "*.jpg"), parse),
        optimizer=lambda global_step: tf.train.AdamOptimizer(learning_rate),
        per_tower_batch_size=16,
        epochs=20,
    )


if __name__ == "__main__":
    sys.exit(lt.main(["train", __file__] + sys.argv[1:]))
