"""tf.contrib.learn's reader of MNIST, which tensorflow.examples.tutorials.mnist.input_data was.

    mnist = read_data_sets("MNIST_data", one_hot=True)
    images, labels = mnist.train.next_batch(100)

Batches come in the order of TensorFlow 1.15: it shuffles by numpy.random, which each DataSet seeds.
"""
import collections
from typing import Any, List, Optional, Tuple, Union

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.oldtf.tutorials import digits, download

Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])
# Where TensorFlow 1.15 downloaded the files from; nothing is downloaded from there any more.
DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"
_PIXELS, _CLASSES = 784, 10
Batch = Tuple[Union[np.ndarray, List[Any]], Union[np.ndarray, List[Any]]]


def extract_images(f: Any) -> np.ndarray:
    """Returns the images in `f`, a file that is open to read bytes or its path: [images, rows, columns, 1] of uint8."""
    return _extract(f, digits.IMAGES)


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = _CLASSES) -> np.ndarray:
    """Returns the labels in `f`, a file that is open to read bytes or its path: [labels] of uint8, or one-hot rows."""
    labels = _extract(f, digits.LABELS)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense: np.ndarray, num_classes: int = _CLASSES) -> np.ndarray:
    """Returns a row for each label, [labels, num_classes] of float64, with a one at the label."""
    rows = np.zeros((len(labels_dense), num_classes))
    rows[np.arange(len(labels_dense)), labels_dense.ravel()] = 1
    return rows


def _extract(f: Any, magic: int) -> np.ndarray:
    if isinstance(f, (str, bytes)):
        with tf.gfile.Open(f, "rb") as file:
            return _extract(file, magic)
    print("Extracting", f.name)
    return digits.read(f, magic)


class DataSet:
    """Images with their labels, in batches.

    Args:
      images: [images, rows, columns, 1] of uint8.
      labels: [images], or [images, classes].
      fake_data: whether `next_batch` is to make up 784 ones and the label 0; then the others are not used.
      one_hot: of the labels of fake data.
      dtype: tf.float32 for images of [0, 1], tf.uint8 for [0, 255].
      reshape: whether images become [images, rows * columns].
      seed: of numpy.random, beside the graph's.

    Raises:
      TypeError: for another `dtype`.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = tf.float32,
        reshape: bool = True,
        seed: Optional[int] = None,
    ) -> None:
        graph_seed, own_seed = tf.get_seed(seed)
        np.random.seed(graph_seed if seed is None else own_seed)
        dtype = tf.as_dtype(dtype).base_dtype
        if dtype not in (tf.uint8, tf.float32):
            raise TypeError("Invalid image dtype {!r}, expected uint8 or float32".format(dtype))
        self.one_hot = one_hot
        self._num_examples = 10000 if fake_data else images.shape[0]
        if not fake_data:
            _check(images, labels, reshape)
            if reshape:
                images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
            if dtype == tf.float32:
                images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
        self._images, self._labels = images, labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    @property
    def images(self) -> Any:
        return self._images

    @property
    def labels(self) -> Any:
        return self._labels

    @property
    def num_examples(self) -> int:
        return int(self._num_examples)

    @property
    def epochs_completed(self) -> int:
        return self._epochs_completed

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> Batch:
        """Returns the next `batch_size` images and their labels; at the end of an epoch with the next one's first.

        Args:
          fake_data: whether to make them up: lists of 784 ones and of the label 0.
          shuffle: whether an epoch that begins here is shuffled.
        """
        if fake_data:
            label = [1] + [0] * (_CLASSES - 1) if self.one_hot else 0
            return [[1] * _PIXELS for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        self._index_in_epoch = end = start + batch_size
        if end <= self._num_examples:
            return self._images[start:end], self._labels[start:end]
        self._epochs_completed += 1
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = end = batch_size - (self._num_examples - start)
        return np.concatenate((images, self._images[:end])), np.concatenate((labels, self._labels[:end]))

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]


def _check(images: np.ndarray, labels: np.ndarray, reshape: bool) -> None:
    # Assertions in 1.15, and in scripts that expect them.
    if images.shape[0] != labels.shape[0]:
        raise AssertionError("images.shape: {} labels.shape: {}".format(images.shape, labels.shape))
    if reshape and images.shape[3] != 1:
        raise AssertionError("images of {} can't be reshaped: they have {} channels".format(
            images.shape, images.shape[3]))


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = tf.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: Optional[int] = None,
    source_url: Optional[str] = DEFAULT_SOURCE_URL,
) -> Datasets:
    """Returns the three data sets, read from the four files of MNIST in `train_dir`.

    Args:
      validation_size: how many of the training images, the first, become the validation set.
      source_url: a mirror of yours: files that are not there are downloaded from it.

    Raises:
      MissingFiles: they are not there, and no mirror is given; the message says which files to put where.
      ValueError: `validation_size` is negative, or more than there are; or a file is broken.
    """
    if fake_data:
        return Datasets(*(DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3)))
    if source_url and source_url != DEFAULT_SOURCE_URL:
        for name in digits.FILES:
            download.maybe_download(name, train_dir, source_url + name)
    arrays = []
    for number, path in enumerate(digits.find(train_dir)):
        with tf.gfile.Open(path, "rb") as file:
            arrays.append(extract_labels(file, one_hot=one_hot) if number % 2 else extract_images(file))
    images, labels, test_images, test_labels = arrays
    if not 0 <= validation_size <= len(images):
        raise ArgumentError(
            "Validation size should be between 0 and {}. Received: {}.".format(len(images), validation_size)
        )
    options = {"dtype": dtype, "reshape": reshape, "seed": seed}
    # In this order: each seeds numpy.random, and the last one counts.
    return Datasets(
        train=DataSet(images[validation_size:], labels[validation_size:], **options),
        validation=DataSet(images[:validation_size], labels[:validation_size], **options),
        test=DataSet(test_images, test_labels, **options),
    )


def load_mnist(train_dir: str = "MNIST-data") -> Datasets:
    return read_data_sets(train_dir)
