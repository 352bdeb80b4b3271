"""The slice of a partitioned variable that a variable holds, as checkpoints record it."""
from typing import Any, List, NamedTuple, Optional


class Slice(NamedTuple):
    """A slice of a partitioned variable.

    Attributes:
      whole: the name of the partitioned variable, which is its name in a checkpoint.
      whole_shape: the shape of the partitioned variable.
      offset: where the slice begins, per axis.
    """

    whole: str
    whole_shape: List[int]
    offset: List[int]


def slice_of(variable: Any) -> Optional[Slice]:
    """Returns the slice that `variable` holds; None if it is not part of a partitioned variable."""
    # Private: nothing public gives the name under which a Saver writes a slice, which optimizer slots and moving
    # averages take over. Tried on 1.15 and 2.21, for ref and resource variables.
    info = variable._get_save_slice_info()
    if info is None:
        return None
    return Slice(str(info.full_name), list(info.full_shape), list(info.var_offset))
