"""Lists of symbolic tensors as operands of numpy's arrays, as on TensorFlow 1.15 with numpy 1.18.

    np.array([0.5, 0.5]) * [loss, other]        an array of the two tensors

numpy asks each element of the list for `__array__`, which raises an error in a symbolic tensor; numpy 1.18 ignores it.
A tensor that is an operand itself is not asked: the array leaves the operation to the tensor.
"""
import contextlib
import opcode
import sys
from typing import Any, Callable, Collection, Iterator

from legacy_towers.compat.versions import tf


@contextlib.contextmanager
def lists_of_tensors_are_operands(is_of_script: Callable[[str], bool], operators: Collection[str]) -> Iterator[None]:
    """Makes the operators of arrays accept lists of symbolic tensors in the files of a script.

    On TensorFlow 1.15 it changes nothing.

    Args:
      is_of_script: returns whether the patch applies to a file.
      operators: files of which each function runs an operator of the script.
    """
    # Tried on 2.13 and 2.21 with numpy 1.24 and 2.4; ends when symbolic tensors have no __array__ that fails.
    before = vars(tf.Tensor).get("__array__")
    if before is None or tf.__version__.startswith("1.15"):
        yield
        return

    class ArrayMethod:
        """`tf.Tensor.__array__`, which a tensor does not have while an operator of the script runs."""

        def __get__(self, tensor: Any, owner: Any = None) -> Any:
            if tensor is not None:
                caller: Any = sys._getframe(1)
                if caller.f_code is tf.Tensor.__getattr__.__code__:  # asks again
                    caller = caller.f_back
                if caller is not None and is_operator(caller):
                    raise AttributeError("__array__")
            return before.__get__(tensor, owner)

    def is_operator(frame: Any) -> bool:
        path = frame.f_code.co_filename
        if path in operators:
            return True
        if not is_of_script(path):
            return False
        name = opcode.opname[frame.f_code.co_code[frame.f_lasti]]
        return name.startswith(("BINARY_", "INPLACE_", "COMPARE_")) and name != "BINARY_SUBSCR"

    tf.Tensor.__array__ = ArrayMethod()
    try:
        yield
    finally:
        tf.Tensor.__array__ = before
