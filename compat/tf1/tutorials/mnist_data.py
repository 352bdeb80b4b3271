"""The MNIST reader of tf.contrib.learn and of tensorflow.examples.tutorials.mnist.input_data.

    mnist = read_data_sets("MNIST_data", one_hot=True)
    images, labels = mnist.train.next_batch(100)

Batches have the order of TensorFlow 1.15, which shuffles with numpy.random; each DataSet sets its seed.
"""
import collections
from typing import Any, List, Optional, Tuple, Union

import numpy as np

from legacy_towers.compat.tf1.tutorials import digits, download
from legacy_towers.compat.versions import tf
from legacy_towers.errors import ArgumentError

Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])
# The host from which TensorFlow 1.15 downloads the files; this module does not.
DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"
_PIXELS, _CLASSES = 784, 10
Batch = Tuple[Union[np.ndarray, List[Any]], Union[np.ndarray, List[Any]]]


def extract_images(f: Any) -> np.ndarray:
    """Returns the images in `f`, a path or a file open for reading bytes: uint8 [images, rows, columns, 1]."""
    return _extract(f, digits.IMAGES)


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = _CLASSES) -> np.ndarray:
    """Returns the labels in `f`, a path or a file open for reading bytes: uint8 [labels], or one-hot rows."""
    labels = _extract(f, digits.LABELS)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense: np.ndarray, num_classes: int = _CLASSES) -> np.ndarray:
    """Returns the labels as one-hot rows, float64 [labels, num_classes]."""
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
    """Batches of images with their labels.

    Args:
      images: uint8 [images, rows, columns, 1].
      labels: [images], or [images, classes].
      fake_data: whether `next_batch` returns images of 784 ones with label 0; images and labels are not used then.
      one_hot: whether labels of fake data are one-hot.
      dtype: tf.float32 for pixels in [0, 1], tf.uint8 for [0, 255].
      reshape: whether to reshape images to [images, rows * columns].
      seed: of numpy.random; by default it is derived from the graph's seed.

    Raises:
      TypeError: `dtype` is neither.
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
        """Returns the next images and labels; a batch at the end of an epoch is completed from the next epoch.

        Args:
          batch_size: how many.
          fake_data: whether to return lists of images of 784 ones with label 0.
          shuffle: whether to shuffle an epoch that begins in this call.
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
    # AssertionErrors, as in 1.15: scripts may catch them.
    if images.shape[0] != labels.shape[0]:
        raise AssertionError("images.shape: {} labels.shape: {}".format(images.shape, labels.shape))
    if reshape and images.shape[3] != 1:
        raise AssertionError("images of shape {} can't be reshaped: they have {} channels".format(
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
    """Reads the training, validation and test set from the four files of MNIST in `train_dir`.

    Args:
      train_dir: the folder of the files.
      fake_data: see `DataSet`; no files are read then.
      one_hot: whether labels are one-hot rows, [images, 10].
      dtype: see `DataSet`.
      reshape: see `DataSet`.
      validation_size: how many training images, from the first on, form the validation set.
      seed: see `DataSet`.
      source_url: your mirror, from which missing files are downloaded; none by default.

    Raises:
      MissingFiles: files are missing, and no mirror is given; the message says which files to put where.
      ValueError: `validation_size` is negative or larger than the training set, or a file is broken.
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
    # The order matters: each sets the seed of numpy.random.
    return Datasets(
        train=DataSet(images[validation_size:], labels[validation_size:], **options),
        validation=DataSet(images[:validation_size], labels[:validation_size], **options),
        test=DataSet(test_images, test_labels, **options),
    )


def load_mnist(train_dir: str = "MNIST-data") -> Datasets:
    """Returns `read_data_sets` of the folder, with the default arguments."""
    return read_data_sets(train_dir)
