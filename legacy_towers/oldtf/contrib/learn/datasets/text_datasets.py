"""tf.contrib.learn.datasets.text_datasets: what DBpedia says of 14 kinds of things."""
import csv
import os
import tarfile

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.learn.datasets import base

__all__ = ["DBPEDIA_URL", "load_dbpedia", "maybe_download_dbpedia"]

DBPEDIA_URL = "https://github.com/le-scientifique/torchDatasets/raw/master/dbpedia_csv.tar.gz"
# The small data set has one of so many lines.
_SMALLER_BY = 1000


def maybe_download_dbpedia(data_dir: str) -> None:
    """Fetches dbpedia_csv/train.csv and test.csv into `data_dir` where they aren't there."""
    if all(tf.gfile.Exists(os.path.join(data_dir, "dbpedia_csv", name)) for name in ("train.csv", "test.csv")):
        return
    with tarfile.open(base.maybe_download("dbpedia_csv.tar.gz", data_dir, DBPEDIA_URL), "r:*") as archive:
        archive.extractall(data_dir)


def load_dbpedia(size: str = "small", test_with_fake_data: bool = False) -> base.Datasets:
    """Returns (title, text) of each example with its class, 1 to 14, from the folder dbpedia_data.

    Args:
      size: "small" takes one line of 1000, anything else all.

    Raises:
      ValueError: `test_with_fake_data`: the lines that TensorFlow 1.15 brought for it are installed no more.
    """
    if test_with_fake_data:
        raise ValueError(
            "load_dataset('dbpedia', test_with_fake_data=True): the fake data came with TensorFlow 1.15, which is not "
            "installed: put train.csv and test.csv into dbpedia_data/dbpedia_csv, and leave the argument out"
        )
    data_dir = os.path.join(os.getenv("TF_EXP_BASE_DIR", ""), "dbpedia_data")
    maybe_download_dbpedia(data_dir)
    paths = [os.path.join(data_dir, "dbpedia_csv", name) for name in ("train.csv", "test.csv")]
    if size == "small":
        paths = [_shrunk(path) for path in paths]
    tables = [base.load_csv_without_header(path, np.int32, str, target_column=0) for path in paths]
    return base.Datasets(train=tables[0], validation=None, test=tables[1])


def _shrunk(path: str) -> str:
    smaller = path.replace(".csv", "_small.csv")
    with tf.gfile.Open(path) as given, tf.gfile.Open(smaller, "w") as taken:
        csv.writer(taken).writerows(row for number, row in enumerate(csv.reader(given)) if number % _SMALLER_BY == 0)
    return smaller
