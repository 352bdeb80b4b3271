"""`legacy-towers init`: a job file to start from, which trains as it is on generated data."""
import keyword
import os
import re
import shlex
import string

# How examples reach the job.
DATA = ("arrays", "tfrecord", "csv", "generator")

_FILE = '''\
"""A job to start from: it runs as it is, on generated data. The places to change are numbered.

    legacy-towers train $file --towers 2 --checkpoint-dir run
    legacy-towers evaluate $file --checkpoint-dir run
    legacy-towers predict $file --checkpoint-dir run --output predictions.jsonl
    legacy-towers compare $file --towers 2
    legacy-towers export $file --checkpoint-dir run --output models/1
"""
$imports
import legacy_towers as lt
from legacy_towers.compat import tf  # the TF1 API, on any supported TensorFlow

SIZE, CLASSES = 8, 3


# 1. The data: put yours in place of the generated ones.
def generate(count, seed):
    """Returns {"x": float32 [count, SIZE], "label": int64 [count]}: the label is the largest of three sums."""
    x = np.random.RandomState(seed).normal(size=[count, SIZE]).astype(np.float32)
    sums = x.dot(np.random.RandomState(0).normal(size=[SIZE, CLASSES]))
    return {"x": x, "label": sums.argmax(axis=1).astype(np.int64)}

$data

# 2. The model. It is called once per tower, with the tower's batch: x is float32 [batch, SIZE], label is int64 [batch].
def model_fn(batch, mode):
    """Builds one tower; mode is lt.TRAIN, lt.EVAL or lt.PREDICT."""
    net = tf.layers.dense(batch["x"], 32, activation=tf.nn.relu)
    net = tf.layers.dropout(net, 0.1, training=mode == lt.TRAIN)
    logits = tf.layers.dense(net, CLASSES)
    if mode == lt.PREDICT:                           # an exported model is not given a label
        return lt.TowerOutput(predictions={"class": tf.argmax(logits, axis=1), "probabilities": tf.nn.softmax(logits)})
    right = tf.cast(tf.equal(tf.argmax(logits, axis=1), batch["label"]), tf.float32)
    loss = tf.losses.sparse_softmax_cross_entropy(batch["label"], logits)
    return lt.TowerOutput(loss=loss, metrics={"accuracy": right})


# 3. The job: its arguments are options of the command line, such as --learning-rate.
@lt.job
def $name($arguments):
    """Returns the job."""
$examples    return lt.Job(
        model_fn=model_fn,
        train=train,
        test=test,                                   # for evaluate and predict; None if there is none
        optimizer=lambda global_step: tf.train.MomentumOptimizer(learning_rate, 0.9),
        per_tower_batch_size=32,                     # --per-tower-batch-size, --global-batch-size
        epochs=5,                                    # --epochs, --steps
        input="dataset",                             # --input; `legacy-towers compare` finds the fastest
        # More options: variables="replicated", reduction="tree", moving_average_decay=0.99, update_ops="mean", ...
    )
'''

_ARRAYS = '''
def examples(count, seed):
    """Returns examples from arrays of [count, ...], which are in memory."""
    return lt.Examples.from_arrays(generate(count, seed), seed=1)
'''

_GENERATOR = '''
def examples(count, seed):
    """Returns examples that a Python generator yields, one by one. Queues can't read them."""
    arrays = generate(count, seed)

    def read():
        for x, label in zip(arrays["x"], arrays["label"]):
            yield {"x": x, "label": label}

    spec = {"x": tf.TensorSpec([SIZE], tf.float32), "label": tf.TensorSpec([], tf.int64)}
    return lt.Examples.from_generator(read, spec, count=count, seed=1)
'''

# Examples in memory, and examples in files of a directory.
_IN_MEMORY = '''\
    train, test = examples(2000, seed=1), examples(500, seed=2)
'''
_IN_FILES = '''\
    if data_dir == GENERATED:                        # leave this out once you have files
        write_generated_files()
    train, test = (
        examples(os.path.join(data_dir, "train*$suffix")), examples(os.path.join(data_dir, "test*$suffix"))
    )
'''

_WRITE = '''
GENERATED = "$folder"


def write_generated_files():
    """Writes train$suffix and test$suffix into the directory GENERATED, unless they exist."""
    os.makedirs(GENERATED, exist_ok=True)
    for seed, (name, count) in enumerate([("train", 2000), ("test", 500)], start=1):
        path = os.path.join(GENERATED, name + "$suffix")
        if not os.path.exists(path):
            partial = "{}.{}".format(path, os.getpid())
            write(partial, generate(count, seed))
            os.replace(partial, path)                # a file of this name is always complete

'''

_TFRECORD = '''
def write(path, arrays):
    """Writes a TFRecord file with a tf.train.Example per row."""
    with tf.python_io.TFRecordWriter(path) as writer:
        for x, label in zip(arrays["x"], arrays["label"]):
            features = tf.train.Features(feature={
                "x": tf.train.Feature(float_list=tf.train.FloatList(value=x)),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
            })
            writer.write(tf.train.Example(features=features).SerializeToString())


def parse(record):
    """Returns the example of a serialized record."""
    return tf.parse_single_example(record, {
        "x": tf.FixedLenFeature([SIZE], tf.float32),
        "label": tf.FixedLenFeature([], tf.int64, default_value=0),  # records that are served have none
    })


def examples(files):
    """Returns examples from the TFRecord files that match a pattern."""
    return lt.Examples.from_tfrecords(files, parse, seed=1)
'''

_CSV = '''
COLUMNS = ["x{}".format(number) for number in range(SIZE)]


def write(path, arrays):
    """Writes a CSV file with a header and a line per row."""
    with open(path, "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS + ["label"])
        writer.writerows(list(x) + [label] for x, label in zip(arrays["x"], arrays["label"]))


def example(row):
    """Returns the example of a line: a dict of scalars, by column."""
    return {"x": tf.stack([row[name] for name in COLUMNS]), "label": row["label"]}


def examples(files):
    """Returns examples from the CSV files that match a pattern; a value is the one of an empty field."""
    columns = dict({name: 0.0 for name in COLUMNS}, label=np.int64(0))
    return lt.Examples.from_csv(files, columns, seed=1).map(example)
'''

_KINDS = {
    "arrays": (_ARRAYS, "", []),
    "generator": (_GENERATOR, "", []),
    "tfrecord": (_WRITE + _TFRECORD, ".tfrecords", ["os"]),
    "csv": (_WRITE + _CSV, ".csv", ["csv", "os"]),
}
# Names that a job's function can't have, since the file uses them.
_TAKEN = re.compile(r"(np|lt|tf|os|csv|generate|examples?|write|write_generated_files|parse|model_fn)$")


def starter_job(path: str, data: str = "arrays") -> str:
    """Returns the text of a job file.

    Args:
      path: where it will be: the job has the name of the file.
      data: one of `DATA`.
    """
    section, suffix, modules = _KINDS[data]
    name = re.sub(r"\W", "_", os.path.splitext(os.path.basename(path))[0], flags=re.ASCII)
    if not name.isidentifier() or keyword.iskeyword(name) or _TAKEN.match(name):
        name = "job_" + name
    values = {
        "file": shlex.quote(path),
        "name": name,
        "suffix": suffix,
        "folder": name.replace("_", "-") + "-data",
        "imports": "".join("import {}\n".format(module) for module in modules) + "\n" * bool(modules)
        + "import numpy as np\n",
        "arguments": ("data_dir=GENERATED, " if suffix else "") + "learning_rate=0.05",
    }
    values["data"] = string.Template(section).substitute(values)
    values["examples"] = string.Template(_IN_FILES if suffix else _IN_MEMORY).substitute(values)
    return string.Template(_FILE).substitute(values)
