"""Which part of a larger variable a variable is, as a checkpoint holds it."""
from typing import Any, List, NamedTuple, Optional


class Slice(NamedTuple):
    """A part of a partitioned variable.

    Attributes:
      whole: the name of the whole variable, which is its name in a checkpoint.
      whole_shape: the shape of the whole.
      offset: where the part begins, per axis.
    """

    whole: str
    whole_shape: List[int]
    offset: List[int]


def slice_of(variable: Any) -> Optional[Slice]:
    """Returns which part of which variable this one is; None for a whole variable."""
    # Private: the name that a Saver gives a part, and that slots and moving averages take over from it, is told by
    # nothing public. Tried on 1.15 and 2.21, for ref and resource variables.
    info = variable._get_save_slice_info()
    if info is None:
        return None
    return Slice(str(info.full_name), list(info.full_shape), list(info.var_offset))
