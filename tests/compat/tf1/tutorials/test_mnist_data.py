"""The MNIST reader returns the arrays of TensorFlow 1.15's reader, in the same order."""
import gzip
import importlib
import os
import struct
import sys

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree, user_script
from legacy_towers.compat.tf1.tutorials import digits, download, input_data, mnist_data
from legacy_towers.errors import ArgumentError, InputError, UserError

ON_1_15 = pytest.mark.skipif("not tree.is_1_15()", reason="only TensorFlow 1.15 has the real one")
SIZES = {"train": 70, "t10k": 30}


def write(folder, zipped=True):
    random = np.random.RandomState(3)
    for prefix, count in sorted(SIZES.items()):
        labels = random.randint(10, size=count).astype(np.uint8)
        images = random.randint(256, size=[count, 28, 28]).astype(np.uint8)
        for name, header, data in (
            ("-labels-idx1-ubyte", (2049, count), labels),
            ("-images-idx3-ubyte", (2051, count, 28, 28), images),
        ):
            path = os.path.join(str(folder), prefix + name)
            with gzip.open(path + ".gz", "wb") if zipped else open(path, "wb") as file:
                file.write(struct.pack(">{}I".format(len(header)), *header) + data.tobytes())


def read_plainly(folder, name, header):
    with gzip.open(os.path.join(str(folder), name), "rb") as file:
        return np.frombuffer(file.read()[header:], np.uint8)


def first_batches(module, folder, seed, **options):
    """Returns the data sets, eight batches of the training set of 60 examples, and two of the test set."""
    with tf.Graph().as_default():
        sets = module.read_data_sets(str(folder), validation_size=10, seed=seed, **options)
        batches = [sets.train.next_batch(20) for _ in range(5)] + [sets.train.next_batch(25) for _ in range(3)]
        batches += [sets.test.next_batch(8), sets.test.next_batch(8, shuffle=False)]
        return sets, batches


@ON_1_15
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "options",
    [{}, {"one_hot": True}, {"dtype": tf.uint8}, {"reshape": False}],
    ids=["plain", "one_hot", "uint8", "not reshaped"],
)
def test_reader_gives_the_batches_of_the_real_one(tmp_path, options):
    write(tmp_path)
    real = importlib.import_module("tensorflow.contrib.learn.python.learn.datasets.mnist")
    theirs, their_batches = first_batches(real, tmp_path, 11, **options)
    ours, our_batches = first_batches(mnist_data, tmp_path, 11, **options)
    for one, other in zip(theirs, ours):
        assert one.num_examples == other.num_examples and one.epochs_completed == other.epochs_completed
        np.testing.assert_array_equal(one.images, other.images)
        np.testing.assert_array_equal(one.labels, other.labels)
        assert (one.images.dtype, one.labels.dtype) == (other.images.dtype, other.labels.dtype)
    for one, other in zip(their_batches, our_batches):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])


# The labels of the batches that TensorFlow 1.15 gave: print(first_batches(real, folder, 11)[1]) in the test above.
LABELS_OF_1_15 = [
    "59126852857771751237",
    "68136209842354586698",
    "54173608399389082471",
    "56635204782816590888",
    "43131258192866915739",
    "4745387371902775986261829",
    "3147640533664871509278278",
    "8865628817495151052333998",
    "65983382",
    "05801718",
]


def test_order_of_batches_is_that_of_1_15(tmp_path):
    write(tmp_path)
    batches = first_batches(mnist_data, tmp_path, 11)[1]
    assert ["".join(map(str, labels)) for _, labels in batches] == LABELS_OF_1_15


def test_read_data_sets_reads_images_and_labels(tmp_path, capsys):
    write(tmp_path)
    images = read_plainly(tmp_path, "train-images-idx3-ubyte.gz", 16).reshape(70, 28, 28, 1)
    labels = read_plainly(tmp_path, "train-labels-idx1-ubyte.gz", 8)
    sets = mnist_data.read_data_sets(str(tmp_path), validation_size=10)
    assert capsys.readouterr().out.startswith("Extracting " + os.path.join(str(tmp_path), digits.TRAIN_IMAGES))
    np.testing.assert_allclose(sets.validation.images, images[:10].reshape(10, 784) / 255.0, rtol=1e-6)
    np.testing.assert_array_equal(sets.train.labels, labels[10:])
    assert (sets.train.num_examples, sets.validation.num_examples, sets.test.num_examples) == (60, 10, 30)
    one_hot = mnist_data.read_data_sets(str(tmp_path), one_hot=True, validation_size=10, reshape=False)
    assert one_hot.train.images.shape == (60, 28, 28, 1) and one_hot.train.labels.shape == (60, 10)
    np.testing.assert_array_equal(one_hot.train.labels.argmax(axis=1), labels[10:])


def test_an_epoch_has_each_example_once(tmp_path):
    write(tmp_path)
    train = mnist_data.read_data_sets(str(tmp_path), validation_size=0).train
    seen = np.concatenate([train.next_batch(35)[0] for _ in range(2)])
    assert len(np.unique(seen, axis=0)) == 70 and train.epochs_completed == 0
    train.next_batch(35)
    assert train.epochs_completed == 1


def test_read_data_sets_reads_files_that_are_not_gzipped(tmp_path):
    (tmp_path / "zipped").mkdir()
    (tmp_path / "plain").mkdir()
    write(tmp_path / "zipped")
    write(tmp_path / "plain", zipped=False)
    one = mnist_data.read_data_sets(str(tmp_path / "zipped"), validation_size=10)
    other = mnist_data.read_data_sets(str(tmp_path / "plain"), validation_size=10)
    np.testing.assert_array_equal(one.test.images, other.test.images)


def test_missing_files_are_named(tmp_path):
    write(tmp_path)
    os.remove(os.path.join(str(tmp_path), digits.TEST_LABELS))
    with pytest.raises(FileNotFoundError) as caught:
        mnist_data.read_data_sets(str(tmp_path))
    text = str(caught.value)
    assert text.startswith("{} has no {}: put train-images-idx3-ubyte.gz, ".format(tmp_path, digits.TEST_LABELS))
    assert "--generate-data" in text and "\n" not in text


@pytest.mark.parametrize("damage", ["magic", "short"])
def test_broken_files_are_an_error(tmp_path, damage):
    write(tmp_path)
    with gzip.open(os.path.join(str(tmp_path), digits.TRAIN_IMAGES), "wb") as file:
        file.write(struct.pack(">IIII", 2049 if damage == "magic" else 2051, 3, 28, 28) + b"\x00")
    with pytest.raises(InputError, match="magic number 2049" if damage == "magic" else "it is truncated"):
        mnist_data.read_data_sets(str(tmp_path))


def test_wrong_sizes_and_dtypes_are_an_error(tmp_path):
    write(tmp_path)
    with pytest.raises(ArgumentError, match="between 0 and 70. Received: 5000"):
        mnist_data.read_data_sets(str(tmp_path))
    with pytest.raises(TypeError, match="expected uint8 or float32"):
        mnist_data.DataSet(np.zeros([1, 2, 2, 1]), np.zeros(1), dtype=tf.int32)


def test_fake_data_is_ones_with_label_0():
    sets = mnist_data.read_data_sets("", fake_data=True, one_hot=True)
    images, labels = sets.train.next_batch(2, fake_data=True)
    assert sets.train.num_examples == 10000
    assert images == [[1] * 784] * 2 and labels == [[1] + [0] * 9] * 2


def test_missing_files_are_downloaded_from_a_mirror(tmp_path):
    (tmp_path / "mirror").mkdir()
    write(tmp_path / "mirror")
    url = (tmp_path / "mirror").as_uri() + "/"
    sets = mnist_data.read_data_sets(str(tmp_path / "here"), validation_size=10, source_url=url)
    assert sets.train.num_examples == 60 and len(os.listdir(str(tmp_path / "here"))) == 4
    assert download.maybe_download(digits.TEST_LABELS, str(tmp_path / "here"), "file:///nonsense").endswith(".gz")


def test_the_graph_seed_is_used_as_in_1_15(tmp_path):
    write(tmp_path)
    tf.set_random_seed(5)
    mnist_data.read_data_sets(str(tmp_path), validation_size=10)
    drawn = np.random.rand()
    np.random.seed(5)
    assert drawn == np.random.rand()


class Options:
    generate_data = True


@pytest.fixture
def generating_run():
    run = user_script.ScriptRun("train.py", os.getcwd(), Options())
    user_script.begin(run)
    yield run
    user_script.end()


@pytest.mark.slow
def test_generate_data_writes_digits_that_can_be_classified(tmp_path, capsys, generating_run):
    pytest.importorskip("sklearn")
    sets = mnist_data.read_data_sets(str(tmp_path / "data"))
    assert "NOT MNIST" in capsys.readouterr().err
    assert (sets.train.num_examples, sets.validation.num_examples, sets.test.num_examples) == (55000, 5000, 10000)
    images = sets.train.images.reshape(-1, 28, 28)
    assert images.max() == 1.0 and images.min() == 0.0
    assert sorted(set(sets.test.labels.tolist())) == list(range(10))
    # A nearest neighbour classifier with 2,000 training images is mostly right.
    distances = ((sets.test.images[:100, None] - sets.train.images[None, :2000]) ** 2).sum(axis=2)
    assert (sets.train.labels[:2000][distances.argmin(axis=1)] == sets.test.labels[:100]).mean() > 0.6
    before = {name: os.stat(str(tmp_path / "data" / name)).st_mtime_ns for name in digits.FILES}
    mnist_data.read_data_sets(str(tmp_path / "data"))
    assert before == {name: os.stat(str(tmp_path / "data" / name)).st_mtime_ns for name in digits.FILES}


def test_generate_data_without_scikit_learn_is_an_error(tmp_path, capsys, generating_run, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(UserError, match="pip install scikit-learn") as error:
        mnist_data.read_data_sets(str(tmp_path / "data"))
    assert error.value.__suppress_context__
    assert capsys.readouterr().err == "" and not (tmp_path / "data").exists()


def test_generate_data_does_not_replace_existing_files(tmp_path, generating_run):
    write(tmp_path)
    os.remove(os.path.join(str(tmp_path), digits.TEST_LABELS))
    with pytest.raises(FileNotFoundError, match=digits.TEST_LABELS):
        mnist_data.read_data_sets(str(tmp_path))


def test_the_view_has_the_mnist_reader():
    module = tree.module("tensorflow.examples.tutorials.mnist.input_data")
    assert module.read_data_sets is mnist_data.read_data_sets
    assert tree.module("tensorflow").examples.tutorials.mnist.input_data.DataSet is mnist_data.DataSet
    assert input_data.extract_images is mnist_data.extract_images
