"""Names: the name scopes of towers, made and read back here, and names in messages."""
import re
from typing import Iterable, Optional

# TensorFlow makes a scope's name unique by a suffix: the second set of towers in a graph is tower_0_1, tower_1_1, ...
_TOWER = re.compile(r"(?:^|/)tower_(\d+)(?:_\d+)?(?=/|$)")


def tower_scope(index: int) -> str:
    """Returns the name scope of tower `index`: `tower_0`, `tower_1`, ..."""
    return "tower_{}".format(index)


def tower_of(operation_name: str) -> Optional[int]:
    """Returns the index of the tower whose scope `operation_name` lies in, None if it lies in none.

    The innermost tower scope counts: `gradients/tower_2/fc/MatMul_grad` belongs to tower 2.
    """
    found = _TOWER.findall(operation_name)
    return int(found[-1]) if found else None


def quoted(names: Iterable[str], most: int = 5) -> str:
    """Returns names for an error message: `'a', 'b' and 3 more`, `most` of them at the most."""
    names = list(names)
    text = ", ".join(repr(str(name)) for name in names[:most])
    return text if len(names) <= most else "{} and {} more".format(text, len(names) - most)
