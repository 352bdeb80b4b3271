"""tf.train.Int64List that also accepts booleans, which newer versions of protobuf reject."""
from typing import Any, Iterable, List, Optional

import numpy as np

from legacy_towers.compat.versions import tf


class _Int64List:
    """Replaces the class: makes its messages and has its attributes."""

    def __call__(self, *, value: Optional[Iterable[Any]] = None) -> Any:
        return tf.train.Int64List() if value is None else tf.train.Int64List(value=_integers(value))

    def __getattr__(self, name: str) -> Any:
        return getattr(tf.train.Int64List, name)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, tf.train.Int64List)


def _integers(values: Iterable[Any]) -> List[Any]:
    return [int(each) if isinstance(each, (bool, np.bool_)) else each for each in values]


Int64List = _Int64List()
