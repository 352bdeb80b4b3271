"""tensorflow.examples.tutorials.mnist.input_data, with its names of 1.15 and of earlier versions."""
import gzip
import os
import tempfile

import numpy
from six.moves import urllib, xrange

from legacy_towers.compat.tf1.tutorials.download import maybe_download
from legacy_towers.compat.tf1.tutorials.mnist_data import (
    DEFAULT_SOURCE_URL,
    DataSet,
    Datasets,
    dense_to_one_hot,
    extract_images,
    extract_labels,
    load_mnist,
    read_data_sets,
)
from legacy_towers.compat.versions import tf

SOURCE_URL = DEFAULT_SOURCE_URL

__all__ = [
    "DataSet",
    "Datasets",
    "SOURCE_URL",
    "dense_to_one_hot",
    "extract_images",
    "extract_labels",
    "gzip",
    "load_mnist",
    "maybe_download",
    "numpy",
    "os",
    "read_data_sets",
    "tempfile",
    "tf",
    "urllib",
    "xrange",
]
