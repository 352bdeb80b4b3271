"""The Boston house prices, which scikit-learn dropped in 1.2 and TensorFlow with tf.contrib.

The table is that of Harrison and Rubinfeld (Hedonic housing prices and the demand for clean air, Journal of
Environmental Economics and Management 5, 1978), as distributed by StatLib. scikit-learn dropped it because its column B
assumes that segregation raises prices. It is included only so that old scripts run.
"""
import csv
import os
from typing import Any, List, Tuple

import numpy as np

from legacy_towers.compat.tf1 import user_script

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "boston_house_prices.csv")


def table(asked_for: str) -> Tuple[List[str], Any]:
    """Returns the names of the columns, and the table, float64 [506, 14]; the last column is the price in 1000 dollars.

    Args:
      asked_for: the function that the script called, for the message.
    """
    user_script.report_replacement(asked_for, "the table of 1978, which scikit-learn dropped because of its column B")
    with open(FILE) as file:
        names, *rows = csv.reader(file)
    return names, np.array(rows, np.float64)
