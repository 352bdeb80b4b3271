"""What a parse or map function returned, as one structure of tensors that means the same by every way in."""
from typing import Any

import numpy as np

from legacy_towers import structure
from legacy_towers.compat import tf

_DATA = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


def as_structure(parsed: Any) -> Any:
    """Returns `parsed` with tuples for lists of tensors, and a tensor for each value that is none.

        [image, label]  ->  (image, label)          {"scale": [0.5, 2.0]}  ->  {"scale": a tensor of shape [2]}
    """
    if isinstance(parsed, dict):
        return {key: as_structure(part) for key, part in parsed.items()}
    if isinstance(parsed, list) and all(isinstance(leaf, _DATA) for leaf in structure.leaves_of(parsed)):
        return tf.convert_to_tensor(parsed)
    if isinstance(parsed, (tuple, list)):
        parts = [as_structure(part) for part in parsed]
        return type(parsed)(*parts) if hasattr(parsed, "_fields") else tuple(parts)
    return tf.convert_to_tensor(parsed) if isinstance(parsed, _DATA) else parsed
