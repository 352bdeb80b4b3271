"""The Boston house prices, which scikit-learn dropped in 1.2 and TensorFlow with tf.contrib.

The table is Harrison's and Rubinfeld's (Hedonic housing prices and the demand for clean air, Journal of Environmental
Economics and Management 5, 1978), as StatLib gives it away. Its column B takes segregation for something that people
pay for, which is why scikit-learn dropped it: it is here so that old scripts run, and not to learn anything from.
"""
import csv
import os
from typing import Any, List, Tuple

import numpy as np

from legacy_towers.oldtf import current

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "boston_house_prices.csv")


def table(asked_for: str) -> Tuple[List[str], Any]:
    """Returns the names of the columns, and the table [506, 14] of float64 with the prices, in 1000 dollars, last.

    Args:
      asked_for: what the script called, of which is said once what it is taken for.
    """
    current.say_once(asked_for, "the table of 1978, which scikit-learn dropped for what its column B implies")
    with open(FILE) as file:
        names, *rows = csv.reader(file)
    return names, np.array(rows, np.float64)
