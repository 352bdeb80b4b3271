"""tf.contrib.learn.datasets."""
from typing import Any, Callable, Dict

from legacy_towers.oldtf.contrib.learn.datasets import base
from legacy_towers.oldtf.contrib.learn.datasets.base import load_boston, load_iris
from legacy_towers.oldtf.contrib.learn.datasets.text_datasets import load_dbpedia
from legacy_towers.oldtf.tutorials import mnist_data as mnist

__all__ = ["DATASETS", "base", "load_boston", "load_dataset", "load_dbpedia", "load_iris", "mnist"]

DATASETS: Dict[str, Callable[..., Any]] = {
    "boston": load_boston,
    "dbpedia": load_dbpedia,
    "iris": load_iris,
    "mnist": mnist.load_mnist,
}


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """Returns the data set called `name`: iris, mnist from the folder MNIST-data, dbpedia from dbpedia_data.

    Raises:
      ValueError: there is no such data set.
    """
    if name not in DATASETS:
        raise ValueError("Name of dataset is not found: {}; served are {}".format(name, sorted(DATASETS)))
    return load_dbpedia(size, test_with_fake_data) if name == "dbpedia" else DATASETS[name]()
