"""The Boston house prices are those of scikit-learn before 1.2."""
import numpy as np
import pytest
from tf1_cases import recorded_cases

from legacy_towers.compat.tf1.core import boston

NAMES = "CRIM ZN INDUS CHAS NOX RM AGE DIS RAD TAX PTRATIO B LSTAT".split()
# The values of the first row, and the mean of the column of prices.
FIRST = [0.00632, 18.0, 2.31, 0.0, 0.538, 6.575, 65.2, 4.09, 1.0, 296.0, 15.3, 396.9, 4.98]
MEAN_PRICE = 22.532806324110677

pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_columns_and_values_of_the_table():
    names, table = boston.table("load_boston")
    assert names == NAMES + ["MEDV"] and table.shape == (506, 14) and table.dtype == np.float64
    assert table[0].tolist() == FIRST + [24.0] and table[:, -1].mean() == pytest.approx(MEAN_PRICE)


def test_the_table_is_that_of_scikit_learn():
    datasets = pytest.importorskip("sklearn.datasets")
    if not hasattr(type(datasets), "__getattr__") and "load_boston" not in dir(datasets):
        pytest.skip("this scikit-learn has removed it")
    data, target = datasets.load_boston(return_X_y=True)
    table = boston.table("load_boston")[1]
    assert np.array_equal(table[:, :-1], data) and np.array_equal(table[:, -1], target)


def test_the_shim_of_sklearn_has_load_boston():
    pytest.importorskip("sklearn.datasets")
    from legacy_towers.run.libraries import sklearn
    from legacy_towers.run.libraries.sklearn import datasets as script_datasets

    found = sklearn.datasets.load_boston()
    assert found.data.shape == (506, 13) and found["target"].mean() == pytest.approx(MEAN_PRICE)
    assert found.feature_names.tolist() == NAMES
    assert [part.shape for part in script_datasets.load_boston(return_X_y=True)] == [(506, 13), (506,)]
    assert script_datasets.load_iris().data.shape == (150, 4)


def test_tf_contrib_learn_has_load_boston():
    datasets = recorded_cases.module("tensorflow.contrib.learn.python.learn.datasets.base")
    found, table = datasets.load_boston(), boston.table("load_boston")[1]
    assert np.argwhere(found.data != table[:, :-1]).tolist() == [[445, 0]] and found.data[445, 0] == 0.6718
    assert np.array_equal(found.target, table[:, -1])
