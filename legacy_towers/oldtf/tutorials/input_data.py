"""tensorflow.examples.tutorials.mnist.input_data: what it had in 1.15, and in the versions before."""
import gzip
import os
import tempfile

import numpy
from six.moves import urllib, xrange

from legacy_towers.compat import tf
from legacy_towers.oldtf.tutorials.download import maybe_download
from legacy_towers.oldtf.tutorials.mnist_data import (
    DEFAULT_SOURCE_URL,
    DataSet,
    Datasets,
    dense_to_one_hot,
    extract_images,
    extract_labels,
    load_mnist,
    read_data_sets,
)

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
