"""The Boston house prices are those of scikit-learn before 1.2, which has them itself on TensorFlow 1.15's Python."""
import numpy as np
import pytest
from oldtf import recorded_cases

from legacy_towers.oldtf.changed import boston

NAMES = "CRIM ZN INDUS CHAS NOX RM AGE DIS RAD TAX PTRATIO B LSTAT".split()
# Of the first row, and of the column of prices.
FIRST = [0.00632, 18.0, 2.31, 0.0, 0.538, 6.575, 65.2, 4.09, 1.0, 296.0, 15.3, 396.9, 4.98]
MEAN_PRICE = 22.532806324110677

pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_table():
    names, table = boston.table("load_boston")
    assert names == NAMES + ["MEDV"] and table.shape == (506, 14) and table.dtype == np.float64
    assert table[0].tolist() == FIRST + [24.0] and table[:, -1].mean() == pytest.approx(MEAN_PRICE)


def test_scikit_learns_own_is_the_same():
    datasets = pytest.importorskip("sklearn.datasets")
    if not hasattr(type(datasets), "__getattr__") and "load_boston" not in dir(datasets):
        pytest.skip("this scikit-learn dropped it")
    data, target = datasets.load_boston(return_X_y=True)
    table = boston.table("load_boston")[1]
    assert np.array_equal(table[:, :-1], data) and np.array_equal(table[:, -1], target)


def test_scripts_get_it_from_sklearn():
    pytest.importorskip("sklearn.datasets")
    from legacy_towers.oldtf.changed import sklearn_datasets, sklearn_view

    found = sklearn_view.datasets.load_boston()
    assert found.data.shape == (506, 13) and found["target"].mean() == pytest.approx(MEAN_PRICE)
    assert found.feature_names.tolist() == NAMES
    assert [part.shape for part in sklearn_datasets.load_boston(return_X_y=True)] == [(506, 13), (506,)]
    assert sklearn_datasets.load_iris().data.shape == (150, 4)


def test_scripts_get_it_from_learn():
    datasets = recorded_cases.module("tensorflow.contrib.learn.python.learn.datasets.base")
    found, table = datasets.load_boston(), boston.table("load_boston")[1]
    assert np.argwhere(found.data != table[:, :-1]).tolist() == [[445, 0]] and found.data[445, 0] == 0.6718
    assert np.array_equal(found.target, table[:, -1])
