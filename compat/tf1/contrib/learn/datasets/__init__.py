"""tf.contrib.learn.datasets: boston, dbpedia, iris and mnist."""
from typing import Any, Callable, Dict

from legacy_towers.compat.tf1.contrib.learn.datasets import base
from legacy_towers.compat.tf1.contrib.learn.datasets.base import load_boston, load_iris
from legacy_towers.compat.tf1.contrib.learn.datasets.text_datasets import load_dbpedia
from legacy_towers.compat.tf1.tutorials import mnist_data as mnist

__all__ = ["DATASETS", "base", "load_boston", "load_dataset", "load_dbpedia", "load_iris", "mnist"]

DATASETS: Dict[str, Callable[..., Any]] = {
    "boston": load_boston,
    "dbpedia": load_dbpedia,
    "iris": load_iris,
    "mnist": mnist.load_mnist,
}


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """Returns the dataset `name`: "boston", "iris", "mnist" (folder MNIST-data) or "dbpedia" (folder dbpedia_data).

    Raises:
      ValueError: there is no such dataset.
    """
    if name not in DATASETS:
        raise ValueError("Name of dataset is not found: {}. Supported datasets: {}".format(name, sorted(DATASETS)))
    return load_dbpedia(size, test_with_fake_data) if name == "dbpedia" else DATASETS[name]()
