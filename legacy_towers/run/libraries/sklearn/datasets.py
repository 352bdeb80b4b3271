"""sklearn.datasets with `load_boston`, as before scikit-learn 1.2."""
from typing import Any

import numpy as np
import sklearn.datasets as _now

from legacy_towers.compat.tf1.core import boston
from legacy_towers.run.libraries.views import pass_on as _pass_on

__all__ = sorted(set(_now.__all__) | {"load_boston"})
_pass_on(globals(), _now)


def load_boston(return_X_y: bool = False) -> Any:  # noqa: N803
    """Returns a Bunch of data [506, 13], target [506] and feature names; with `return_X_y` (data, target)."""
    names, table = boston.table("sklearn.datasets.load_boston")
    data, target = table[:, :-1], table[:, -1]
    if return_X_y:
        return data, target
    bunch = type(_now.load_iris())
    return bunch(
        data=data, target=target, feature_names=np.array(names[:-1]), DESCR=boston.__doc__, filename=boston.FILE
    )
