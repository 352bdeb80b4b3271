"""Checks whether the installed Python and numpy lack names that those of TensorFlow 1.15 had."""
import sys

# Modules of numpy.lib that are private since numpy 2.
PRIVATE_SINCE_NUMPY_2 = (
    "arraypad arraysetops function_base histograms index_tricks nanfunctions polynomial shape_base twodim_base"
    " type_check ufunclike utils"
).split()
# The first Python that lacks a name; the numpy of older ones lacks none.
_FIRST_PYTHON = (3, 8)


def are_needed() -> bool:
    """Returns whether this Python, or a numpy for it, lacks names that the shims add."""
    return sys.version_info >= _FIRST_PYTHON


def print_numbers_as_numpy_1() -> None:
    """Makes numpy print scalars in lists, such as the results of a session, as numpy 1: 1.5, not np.float64(1.5)."""
    if not are_needed():
        return
    import numpy

    if int(numpy.__version__.split(".")[0]) >= 2:
        numpy.set_printoptions(legacy="1.25")
