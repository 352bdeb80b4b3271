"""tf.contrib.learn.datasets.base: tables as arrays."""
import csv
import os
from typing import Any, List, NamedTuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.oldtf.changed import boston

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
    data: Any
    target: Any


class Datasets(NamedTuple):
    train: Any
    validation: Any
    test: Any


def load_csv_with_header(filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Dataset:
    """Returns the table of a CSV file whose first line says how many examples and features there are."""
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
    """Returns the table of a CSV file."""
    data: List[Any] = []
    target: List[Any] = []
    with tf.gfile.Open(filename) as file:
        for row in csv.reader(file):
            target.append(row.pop(target_column))
            data.append(np.asarray(row, dtype=features_dtype))
    return Dataset(np.array(data), np.array(target, dtype=target_dtype).astype(target_dtype))


def load_iris(data_path: Any = None) -> Dataset:
    """Returns 150 irises: the file `data_path`, or scikit-learn's.

    Raises:
      ImportError: there is neither.
    """
    if data_path is not None:
        return load_csv_with_header(data_path, target_dtype=np.int64, features_dtype=float)
    try:
        from sklearn import datasets
    except ImportError as error:
        raise ImportError(
            "tf.contrib.learn.datasets.load_iris takes the data of scikit-learn: pip install scikit-learn"
        ) from error
    iris = datasets.load_iris()
    return Dataset(iris.data, iris.target.astype(np.int64))


def load_boston(data_path: Any = None) -> Dataset:
    """Returns the Boston house prices, or the table of the file `data_path`."""
    if data_path is not None:
        return load_csv_with_header(data_path, target_dtype=float, features_dtype=float)
    _, table = boston.table("tf.contrib.learn.datasets.load_boston")
    table[445, 0] = 0.6718  # what TensorFlow's own copy had there, for 10.6718
    return Dataset(table[:, :-1], table[:, -1])


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Returns the path of `filename` in `work_directory`, fetched from `source_url` where it isn't there."""
    if not tf.gfile.Exists(work_directory):
        tf.gfile.MakeDirs(work_directory)
    path = os.path.join(work_directory, filename)
    if not tf.gfile.Exists(path):
        import urllib.request

        temporary, _ = urllib.request.urlretrieve(source_url)
        tf.gfile.Copy(temporary, path)
    return path
