"""Handwritten digits on several towers, from scikit-learn's data set, which is written to TFRecord files once.

    legacy-towers train examples/digits.py --towers 4 --input dataset
    python examples/digits.py --towers 4 --input queue

1,797 images of 8x8 pixels, of which every fifth is a test image. A small convolutional network with batch norm.
"""
import os
import sys

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import InputError

TEST_EVERY = 5
DATA_DIR = "digits-data"


def write_files(data_dir):
    """Writes train.tfrecords and test.tfrecords into `data_dir`, unless they exist.

    Raises:
      InputError: `data_dir` does not exist; only DATA_DIR is created.
    """
    names = ("train", "test")
    paths = {name: os.path.join(data_dir, name + ".tfrecords") for name in names}
    if all(os.path.exists(path) for path in paths.values()):
        return paths
    from sklearn.datasets import load_digits

    if data_dir == DATA_DIR:
        os.makedirs(data_dir, exist_ok=True)
    elif not os.path.isdir(data_dir):
        raise InputError("--data-dir: there is no directory {!r}: create it, and the data are written there".format(
            data_dir
        ))
    digits = load_digits()
    for name in names:
        with tf.python_io.TFRecordWriter(paths[name] + ".part") as writer:
            for index, (image, label) in enumerate(zip(digits.images, digits.target)):
                if (index % TEST_EVERY == 0) == (name == "test"):
                    writer.write(serialize(index, image, label))
        os.replace(paths[name] + ".part", paths[name])  # a file of this name is always complete
    return paths


def serialize(index, image, label):
    """Serializes an example: its number, 64 pixels from 0 to 16 row by row, and the digit."""
    features = {
        "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[index])),
        "image": tf.train.Feature(float_list=tf.train.FloatList(value=image.ravel())),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(label)])),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def parse(record):
    """Returns {"id": int64 [], "image": float32 [8, 8, 1] from 0 to 1, "label": int64 []}."""
    features = {
        "id": tf.FixedLenFeature([], tf.int64),
        "image": tf.FixedLenFeature([8, 8, 1], tf.float32),
        "label": tf.FixedLenFeature([], tf.int64),
    }
    example = tf.parse_single_example(record, features)
    example["image"] = example["image"] / 16.0
    return example


def model_fn(batch, mode):
    """Builds one tower: two convolutions with batch norm and two dense layers."""
    training = mode == lt.TRAIN
    net = batch["image"]
    for filters, pool in ((32, False), (64, True)):
        net = tf.layers.conv2d(net, filters, 3, padding="same", use_bias=False)
        net = tf.nn.relu(tf.layers.batch_normalization(net, momentum=0.9, training=training))
        if pool:
            net = tf.layers.max_pooling2d(net, 2, 2)
    net = tf.layers.dense(tf.layers.flatten(net), 64, activation=tf.nn.relu)
    logits = tf.layers.dense(net, 10)
    if mode == lt.PREDICT:
        return lt.TowerOutput(predictions={"digit": tf.argmax(logits, axis=1), "probabilities": tf.nn.softmax(logits)})
    right = tf.cast(tf.equal(tf.argmax(logits, axis=1), batch["label"]), tf.float32)
    loss = tf.losses.sparse_softmax_cross_entropy(batch["label"], logits)
    return lt.TowerOutput(loss=loss, metrics={"accuracy": right}, predictions=logits)


@lt.job
def digits(data_dir=DATA_DIR, learning_rate=0.02, shuffle_seed=1):
    """Returns the job. Its arguments are options of the command line, such as --learning-rate."""
    paths = write_files(data_dir)

    def optimizer(global_step):
        rate = tf.train.exponential_decay(learning_rate, global_step, 200, 0.5, staircase=True)
        return tf.train.MomentumOptimizer(rate, 0.9)

    return lt.Job(
        model_fn=model_fn,
        train=lt.Examples.from_tfrecords(paths["train"], parse, seed=shuffle_seed),
        test=lt.Examples.from_tfrecords(paths["test"], parse),
        optimizer=optimizer,
        per_tower_batch_size=16,
        epochs=30,
        update_ops="mean",
    )


if __name__ == "__main__":
    sys.exit(lt.main(["train", __file__] + sys.argv[1:]))
