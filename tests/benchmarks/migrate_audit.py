"""The time of `legacy-towers migrate PATH` on a repository of many files, which it generates, or on one of your own.

    python tests/benchmarks/migrate_audit.py [--files 500] [PATH ...]

The generated repository is a package that imports the names of all of its modules into its __init__.py, layers and
models in classes that register themselves in tables, readers of files in 60 modules, and scripts that train. The time
is that of the command in a process of its own; CPU seconds are those of the process, which other load changes less.

CPU seconds, Python 3.11, 2 cores that other processes used too: 5.8 for 500 generated files with 60 pipelines, all of
which can be rewritten.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

READERS = 60
TABLE = '''\
MODELS, LAYERS, READERS = {}, {}, {}


def register(table, name):
    def decorator(function):
        table[name] = function
        return function
    return decorator
'''
LAYER = '''\
import tensorflow as tf
from lab.table import *


class Layer%(number)d(object):
    """Two convolutions."""

    def __init__(self, width=%(number)d, activation=tf.nn.relu):
        self.width, self.activation, self.outputs = width, activation, []

    def convolve(self, inputs, width):
        weights = tf.get_variable("weights", [3, 3, inputs.shape[-1].value, width])
        outputs = tf.nn.conv2d(inputs, weights, [1, 1, 1, 1], "SAME")
        self.outputs.append(outputs)
        return self.activation(outputs + tf.get_variable("biases", [width]))

    def __call__(self, inputs):
        with tf.variable_scope("a"):
            hidden = self.convolve(inputs, self.width)
        with tf.variable_scope("b"):
            return self.convolve(hidden, self.width) + normalized(hidden)


def normalized(inputs):
    mean, variance = tf.nn.moments(inputs, [0])
    return (inputs - mean) / tf.sqrt(variance + 1e-6)


register(LAYERS, "layer%(number)d")(Layer%(number)d)
'''
MODEL = '''\
import tensorflow as tf
from lab import layers
from lab.table import *
from lab.layers import *


@register(MODELS, "model%(number)d")
def model%(number)d(inputs, labels=None, is_training=True):
    hidden = inputs
    for name in sorted(LAYERS):
        with tf.variable_scope(name):
            hidden = LAYERS[name]()(hidden)
    hidden = layers.Layer%(layer)d(32)(hidden)
    logits = tf.layers.dense(tf.reduce_mean(hidden, [1, 2]), 10)
    if labels is None:
        return logits
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return logits, tf.reduce_mean(loss)
'''
READER = '''\
import os
import tensorflow as tf
from lab.table import *


class Reader%(number)d(object):
    def __init__(self, folder, batch_size):
        self.folder, self.batch_size = folder, batch_size

    def names(self):
        return [os.path.join(self.folder, "%%d.tfrecord" %% number) for number in range(8)]

    def example(self, queue):
        _, serialized = tf.TFRecordReader().read(queue)
        features = tf.parse_single_example(serialized, {
            "image": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)})
        image = tf.reshape(tf.decode_raw(features["image"], tf.uint8), [32, 32, 3])
        return tf.image.per_image_standardization(image), features["label"]


@register(READERS, "reader%(number)d")
def batches%(number)d(folder, batch_size, is_training=True):
    reader = Reader%(number)d(folder, batch_size)
    queue = tf.train.string_input_producer(reader.names(), shuffle=is_training)
    image, label = reader.example(queue)
    return tf.train.shuffle_batch([image, label], batch_size, 1000, 500, num_threads=4)
'''
SCRIPT = '''\
import tensorflow as tf
from lab import *
from lab.readers.reader%(reader)d import batches%(reader)d


def main(_):
    images, labels = batches%(reader)d("data", 32)
    logits, loss = MODELS["model%(model)d"](images, labels)
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
        while not coordinator.should_stop():
            session.run(train)
        coordinator.request_stop()
        coordinator.join(threads)


if __name__ == "__main__":
    tf.app.run()
'''


def generate(folder, files):
    """Writes a repository of `files` files."""
    def write(path, text):
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    rest = files - READERS - 5
    layers, models = rest // 4, rest // 3
    for number in range(layers):
        write("lab/layers/layer{}.py".format(number), LAYER % {"number": number})
    for number in range(models):
        write("lab/models/model{}.py".format(number), MODEL % {"number": number, "layer": number % layers})
    for number in range(READERS):
        write("lab/readers/reader{}.py".format(number), READER % {"number": number})
    for number in range(rest - layers - models):
        text = SCRIPT % {"reader": number % READERS, "model": number % models}
        write("scripts/train{}.py".format(number), text)
    for name, count in ("layer", layers), ("model", models), ("reader", READERS):
        lines = ["from lab.{0}s.{0}{1} import *\n".format(name, number) for number in range(count)]
        write("lab/{}s/__init__.py".format(name), "".join(lines))
    write("lab/table.py", TABLE)
    write("lab/__init__.py", "".join("from lab.{} import *\n".format(each) for each in
                                     ("table", "layers", "models", "readers")))


def measure(path):
    """Audits `path` and prints seconds and what is found."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "found.json")
        command = [sys.executable, "-m", "legacy_towers", "migrate", path, "--json", out]
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.DEVNULL)
        seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode in (0, 1), done.returncode
        with open(out, encoding="utf-8") as file:
            found = json.load(file)
    print("{}: {} files, {:.1f} s, {:.1f} s of CPU time; {} findings in {} pipelines, {} can be rewritten".format(
        path, found["files"], seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        len(found["findings"]), found["pipelines"],
        "it is not known how many" if found["rewritten"] is None else len(found["rewritten"]),
    ))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("paths", nargs="*", help="repositories to audit instead of the generated one")
    arguments = parser.parse_args()
    for path in arguments.paths:
        measure(path)
    if not arguments.paths:
        with tempfile.TemporaryDirectory() as folder:
            generate(folder, arguments.files)
            measure(folder)


if __name__ == "__main__":
    main()
