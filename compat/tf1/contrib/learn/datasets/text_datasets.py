"""tf.contrib.learn.datasets.text_datasets: DBpedia, texts of 14 classes."""
import csv
import os
import tarfile

import numpy as np

from legacy_towers.compat.tf1.contrib.learn.datasets import base
from legacy_towers.compat.versions import tf

__all__ = ["DBPEDIA_URL", "load_dbpedia", "maybe_download_dbpedia"]

DBPEDIA_URL = "https://github.com/le-scientifique/torchDatasets/raw/master/dbpedia_csv.tar.gz"
# The small dataset has every 1000th line.
_SMALL_DATASET_STRIDE = 1000


def maybe_download_dbpedia(data_dir: str) -> None:
    """Downloads dbpedia_csv/train.csv and test.csv into `data_dir` if they do not exist."""
    if all(tf.gfile.Exists(os.path.join(data_dir, "dbpedia_csv", name)) for name in ("train.csv", "test.csv")):
        return
    with tarfile.open(base.maybe_download("dbpedia_csv.tar.gz", data_dir, DBPEDIA_URL), "r:*") as archive:
        archive.extractall(data_dir)


def load_dbpedia(size: str = "small", test_with_fake_data: bool = False) -> base.Datasets:
    """Returns DBpedia from the folder dbpedia_data: data [examples, 2] (title, text), targets 1 to 14.

    Args:
      size: "small" for every 1000th line, anything else for all lines.

    Raises:
      ValueError: `test_with_fake_data` is true. Those data were part of TensorFlow 1.15.
    """
    if test_with_fake_data:
        raise ValueError(
            "load_dataset('dbpedia', test_with_fake_data=True) is not supported: the fake data were part of TensorFlow "
            "1.15. Put train.csv and test.csv into dbpedia_data/dbpedia_csv, and leave the argument out"
        )
    data_dir = os.path.join(os.getenv("TF_EXP_BASE_DIR", ""), "dbpedia_data")
    maybe_download_dbpedia(data_dir)
    paths = [os.path.join(data_dir, "dbpedia_csv", name) for name in ("train.csv", "test.csv")]
    if size == "small":
        paths = [_write_small_file(path) for path in paths]
    tables = [base.load_csv_without_header(path, np.int32, str, target_column=0) for path in paths]
    return base.Datasets(train=tables[0], validation=None, test=tables[1])


def _write_small_file(path: str) -> str:
    small_path = path.replace(".csv", "_small.csv")
    with tf.gfile.Open(path) as file, tf.gfile.Open(small_path, "w") as small_file:
        rows = csv.reader(file)
        csv.writer(small_file).writerows(row for i, row in enumerate(rows) if i % _SMALL_DATASET_STRIDE == 0)
    return small_path
