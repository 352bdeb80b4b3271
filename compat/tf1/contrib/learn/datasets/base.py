"""tf.contrib.learn.datasets.base: CSV files, iris and Boston housing as arrays."""
import csv
import os
from typing import Any, List, NamedTuple

import numpy as np

from legacy_towers.compat.tf1.core import boston
from legacy_towers.compat.versions import tf

__all__ = [
    "Dataset",
    "Datasets",
    "load_boston",
    "load_csv_with_header",
    "load_csv_without_header",
    "load_iris",
    "maybe_download",
]


class Dataset(NamedTuple):
    """Features [examples, columns] and labels [examples]."""

    data: Any
    target: Any


class Datasets(NamedTuple):
    """The splits of a dataset."""

    train: Any
    validation: Any
    test: Any


def load_csv_with_header(filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Dataset:
    """Returns the `Dataset` in a CSV file whose first line begins with the numbers of examples and of features."""
    with tf.gfile.Open(filename) as file:
        lines = csv.reader(file)
        header = next(lines)
        count, width = int(header[0]), int(header[1])
        data = np.zeros((count, width), dtype=features_dtype)
        target = np.zeros((count,), dtype=target_dtype)
        for number, row in enumerate(lines):
            target[number] = np.asarray(row.pop(target_column), dtype=target_dtype)
            data[number] = np.asarray(row, dtype=features_dtype)
    return Dataset(data, target)


def load_csv_without_header(filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Dataset:
    """Returns the `Dataset` in a CSV file without a header."""
    data: List[Any] = []
    target: List[Any] = []
    with tf.gfile.Open(filename) as file:
        for row in csv.reader(file):
            target.append(row.pop(target_column))
            data.append(np.asarray(row, dtype=features_dtype))
    return Dataset(np.array(data), np.array(target, dtype=target_dtype).astype(target_dtype))


def load_iris(data_path: Any = None) -> Dataset:
    """Returns the iris dataset (150 examples, 4 features) from the CSV file `data_path` or from scikit-learn.

    Raises:
      ImportError: no `data_path` is given, and scikit-learn is not installed.
    """
    if data_path is not None:
        return load_csv_with_header(data_path, target_dtype=np.int64, features_dtype=float)
    try:
        from sklearn import datasets
    except ImportError as error:
        raise ImportError(
            "tf.contrib.learn.datasets.load_iris reads scikit-learn's copy of the data: pip install scikit-learn"
        ) from error
    iris = datasets.load_iris()
    return Dataset(iris.data, iris.target.astype(np.int64))


def load_boston(data_path: Any = None) -> Dataset:
    """Returns the Boston housing dataset, or the `Dataset` in the CSV file `data_path`."""
    if data_path is not None:
        return load_csv_with_header(data_path, target_dtype=float, features_dtype=float)
    _, table = boston.table("tf.contrib.learn.datasets.load_boston")
    table[445, 0] = 0.6718  # the value in TensorFlow's copy; the source has 10.6718
    return Dataset(table[:, :-1], table[:, -1])


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Returns the path of `filename` in `work_directory`; downloads it from `source_url` if it does not exist."""
    if not tf.gfile.Exists(work_directory):
        tf.gfile.MakeDirs(work_directory)
    path = os.path.join(work_directory, filename)
    if not tf.gfile.Exists(path):
        import urllib.request

        temporary, _ = urllib.request.urlretrieve(source_url)
        tf.gfile.Copy(temporary, path)
    return path
