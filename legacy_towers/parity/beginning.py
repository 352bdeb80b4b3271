"""Several runs that begin from the same values: the first writes its own into a file, and all take these."""
import os
from typing import Any, Union

from legacy_towers.parity.arrays_file import read_arrays, write_arrays
from legacy_towers.parity.variables import VariableValues
from legacy_towers.parity.whole_values import WholeValues


def begin_from(path: str, values: Union[VariableValues, WholeValues], session: Any) -> None:
    """Gives a session's variables the values in the file; writes theirs into it first, if it isn't there yet."""
    if not os.path.exists(path):
        write_arrays(path, values.read(session))
    values.write(session, read_arrays(path))
