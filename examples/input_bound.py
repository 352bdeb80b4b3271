"""A job whose input costs more than its model: JPEG pictures that are decoded and changed a little, then a small net.

    legacy-towers train examples/input_bound.py --towers 4 --steps 60 --input dataset
    legacy-towers compare examples/input_bound.py --towers 4

The pictures are drawn on first use, the same ones each time: a disc, a square or a cross in a warm or a cold colour,
somewhere on noise. Here it matters by which way the examples come in.
"""
import os
import shutil
import sys

import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf

SIDE = 128  # pixels of a picture
CROP = 112  # of what is cut out of it
SHAPES = ("disc", "square", "cross")
COLOURS = {"warm": (225, 110, 60), "cold": (60, 120, 225)}
CLASSES = ["{}-{}".format(shape, colour) for shape in SHAPES for colour in sorted(COLOURS)]
COUNTS = {"train": 600, "test": 120}


def draw(index):
    """Returns (picture, class): uint8 [128, 128, 3] and a number below 6, which depend on `index` alone."""
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
    """Draws DIR/train/CLASS/NUMBER.jpg and DIR/test/CLASS/NUMBER.jpg, unless they are there."""
    if os.path.isdir(os.path.join(data_dir, "train")) and os.path.isdir(os.path.join(data_dir, "test")):
        return
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
                os.replace(unfinished, os.path.join(data_dir, part))  # a folder of this name is always a whole one


def parse(path, contents):
    """Returns {"image": float32 [112, 112, 3] from -1 to 1, "label": int64 []}: the middle of the picture."""
    pixels = tf.image.decode_jpeg(contents, channels=3)
    edge = (SIDE - CROP) // 2
    return {"image": scaled(pixels[edge:edge + CROP, edge:edge + CROP]), "label": label_of(path)}


def parse_and_change(path, contents):
    """Returns what `parse` does, of a random part of the picture, perhaps flipped, in another light and contrast.

    What is random is drawn from the picture's name: so it is the same by every way in, and in each epoch.
    """
    draws = [tf.random.stateless_uniform([], seed) for seed in seeds_of(path)]
    pixels = tf.image.decode_jpeg(contents, channels=3)
    # Larger, then smaller again, as jobs do that were written for pictures of all sizes.
    pixels = tf.image.resize_bilinear(tf.cast(pixels, tf.float32)[None], [2 * SIDE, 2 * SIDE])
    pixels = tf.nn.avg_pool(pixels, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")[0]
    top, left = [tf.cast(draw * (SIDE - CROP + 1), tf.int32) for draw in draws[:2]]
    pixels = tf.slice(pixels, [top, left, 0], [CROP, CROP, 3])
    pixels = tf.where(draws[2] < 0.5, pixels, tf.reverse(pixels, [1]))
    image = scaled(pixels + 40 * (draws[3] - 0.5)) * (0.8 + 0.4 * draws[4])
    return {"image": tf.clip_by_value(image, -1.0, 1.0), "label": label_of(path)}


def seeds_of(path):
    """Returns five seeds, int64 [2], from the last two parts of a path: CLASS/NUMBER.jpg."""
    name = tf.strings.reduce_join(tf.strings.split([path], os.sep).values[-2:], separator="/")
    number = tf.strings.to_hash_bucket_fast(name, 2 ** 31)
    return [tf.stack([number, tf.constant(which, tf.int64)]) for which in range(5)]


def label_of(path):
    """Returns the number of the class that the picture's folder names."""
    folder = tf.strings.split([path], os.sep).values[-2]
    return tf.argmax(tf.cast(tf.equal(tf.constant(CLASSES), folder), tf.int32))


def scaled(pixels):
    """Returns pixels from 0 to 255 as float32 from -1 to 1."""
    return tf.cast(pixels, tf.float32) / 127.5 - 1.0


def convolution(net, name, filters, stride):
    """Returns relu(convolution of 3x3 + bias), `stride` pixels apart."""
    with tf.variable_scope(name):
        shape = [3, 3, int(net.shape[-1]), filters]
        weights = tf.get_variable("weights", shape, initializer=tf.variance_scaling_initializer(2.0))
        biases = tf.get_variable("biases", [filters], initializer=tf.zeros_initializer())
    return tf.nn.relu(tf.nn.conv2d(net, weights, [1, stride, stride, 1], "SAME") + biases)


def model_fn(batch, mode):
    """Four small convolutions and a dense layer: one tower."""
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
def input_bound(data_dir="input-bound-data", learning_rate=0.003, shuffle_seed=1):
    """Returns the job; its arguments are options of the command line."""
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
