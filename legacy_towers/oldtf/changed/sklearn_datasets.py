"""sklearn.datasets with `load_boston`, as before scikit-learn 1.2."""
from typing import Any

import numpy as np
import sklearn.datasets as _now

from legacy_towers.oldtf.changed import boston

__all__ = sorted(set(_now.__all__) | {"load_boston"})
globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})


def __getattr__(name: str) -> Any:
    return getattr(_now, name)


def load_boston(return_X_y: bool = False) -> Any:  # noqa: N803
    """Returns data [506, 13], target [506] and the names of the columns; or data and target alone."""
    names, table = boston.table("sklearn.datasets.load_boston")
    data, target = table[:, :-1], table[:, -1]
    if return_X_y:
        return data, target
    bunch = type(_now.load_iris())
    return bunch(
        data=data, target=target, feature_names=np.array(names[:-1]), DESCR=boston.__doc__, filename=boston.FILE
    )
