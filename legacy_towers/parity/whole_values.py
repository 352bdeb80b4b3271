"""Variables and gradients as a checkpoint knows them: by plain names, those of a partitioned variable put together."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.slices import slice_of


class _Piece(NamedTuple):
    """Where a part lies in the whole variable; `shape` is the whole one's."""

    name: str
    shape: Tuple[int, ...]
    place: Tuple[slice, ...]


def _piece(variable: Any) -> Optional[_Piece]:
    found = slice_of(variable)
    if found is None:
        return None
    place = tuple(slice(start, start + size) for start, size in zip(found.offset, variable.shape.as_list()))
    return _Piece(found.whole, tuple(found.whole_shape), place)


def put_together(variables: Sequence[Any], arrays: Sequence[np.ndarray]) -> Dict[str, np.ndarray]:
    """Returns name in a checkpoint -> array, from one array per variable or part of one."""
    whole: Dict[str, np.ndarray] = {}
    for variable, array in zip(variables, arrays):
        piece = _piece(variable)
        if piece is None:
            whole[str(variable.op.name)] = np.asarray(array)
            continue
        if piece.name not in whole:
            whole[piece.name] = np.zeros(piece.shape, np.asarray(array).dtype)
        whole[piece.name][piece.place] = array
    return whole


class WholeValues:
    """Reads and writes the global variables of the default graph, which it extends by a placeholder for each."""

    def __init__(self) -> None:
        self._variables: List[Any] = tf.global_variables()
        self._placeholders: List[Any] = []
        self._assigns: List[Any] = []
        with tf.name_scope("parity"):
            for variable in self._variables:
                with tf.device(variable.device):
                    placeholder = tf.placeholder(variable.dtype.base_dtype, variable.shape)
                    self._placeholders.append(placeholder)
                    self._assigns.append(tf.assign(variable, placeholder).op)

    def read(self, session: Any) -> Dict[str, np.ndarray]:
        """Returns name -> value."""
        return put_together(self._variables, session.run(self._variables))

    def write(self, session: Any, values: Dict[str, np.ndarray]) -> List[str]:
        """Gives each variable that has a value in `values` that value; returns the names of the others."""
        feed, assigns, others = {}, [], []
        for variable, placeholder, assign in zip(self._variables, self._placeholders, self._assigns):
            piece = _piece(variable)
            name = str(variable.op.name) if piece is None else piece.name
            if name not in values:
                others.append(name)
                continue
            # A copy: a variable may keep the array itself (a feed of aligned memory isn't copied), and update it.
            feed[placeholder] = np.array(values[name] if piece is None else values[name][piece.place])
            assigns.append(assign)
        session.run(assigns, feed)
        return others
