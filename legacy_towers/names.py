"""The name scopes of towers: made here, and read back here from the names of operations."""
import re
from typing import Optional

_TOWER = re.compile(r"(?:^|/)tower_(\d+)(?=/|$)")


def tower_scope(index: int) -> str:
    """Returns the name scope of tower `index`: `tower_0`, `tower_1`, ..."""
    return "tower_{}".format(index)


def tower_of(operation_name: str) -> Optional[int]:
    """Returns the index of the tower whose scope `operation_name` lies in, None if it lies in none.

    The innermost tower scope counts: `gradients/tower_2/fc/MatMul_grad` belongs to tower 2.
    """
    found = _TOWER.findall(operation_name)
    return int(found[-1]) if found else None
