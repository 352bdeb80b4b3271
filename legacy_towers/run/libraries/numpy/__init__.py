"""numpy as of 1.18, for the files of a script: the names that 1.20 to 2.x removed, and their old behaviour.

    _RENAMED, _OTHERS   np.int, np.float_, np.Inf, np.product, np.mat, ...
    _dropped            removed names without a new name: np.cast, np.sctypes, ...
    _functions          removed functions: np.in1d, np.asscalar, ...
    _arguments          functions that took other arguments
    _arrays             arrays of lists, integers that wrap around, ...
    _tensors            arrays of symbolic tensors

Conversions of lists and integers are reported once for each line of the script.
"""
import ast
import builtins
import pickle
from typing import Any

import numpy as _now

from legacy_towers.compat.tf1 import user_script
from legacy_towers.run.libraries import needed
from legacy_towers.run.libraries.numpy import _arguments, _arrays, _dropped, _functions, _tensors
from legacy_towers.run.libraries.numpy import lib as _lib
from legacy_towers.run.libraries.numpy import random as _random
from legacy_towers.run.libraries.views import pass_on as _pass_on

if user_script.running() is not None:
    needed.print_numbers_as_numpy_1()
_pass_on(globals(), _now)
__version__ = _now.__version__
# numpy 1's names for Python's types. After this module is executed, these names are shadowed in it, too.
_BUILTINS = {name: getattr(builtins, name) for name in ("bool", "int", "float", "complex", "object", "str")}
_BUILTINS.update(long=builtins.int, unicode=builtins.str)
# Old name -> new name.
_RENAMED = {
    "float_": "float64",
    "complex_": "complex128",
    "cfloat": "complex128",
    "singlecomplex": "complex64",
    "longfloat": "longdouble",
    "longcomplex": "clongdouble",
    "clongfloat": "clongdouble",
    "string_": "bytes_",
    "unicode_": "str_",
    "int0": "intp",
    "uint0": "uintp",
    "bool8": "bool_",
    "object0": "object_",
    "str0": "str_",
    "bytes0": "bytes_",
    "void0": "void",
    "Inf": "inf",
    "Infinity": "inf",
    "infty": "inf",
    "PINF": "inf",
    "NaN": "nan",
    "NAN": "nan",
    "product": "prod",
    "cumproduct": "cumprod",
    "sometrue": "any",
    "alltrue": "all",
    "round_": "round",
    "mat": "asmatrix",
    "row_stack": "vstack",
    "trapz": "trapezoid",
    "typeDict": "sctypeDict",
    "AxisError": "exceptions.AxisError",
    "ComplexWarning": "exceptions.ComplexWarning",
    "RankWarning": "exceptions.RankWarning",
    "VisibleDeprecationWarning": "exceptions.VisibleDeprecationWarning",
    "ModuleDeprecationWarning": "exceptions.ModuleDeprecationWarning",
}
_OTHERS = {"NINF": -_now.inf, "PZERO": 0.0, "NZERO": -0.0, "loads": pickle.loads, "safe_eval": ast.literal_eval}


def _add_old_names() -> None:
    for old, new in _RENAMED.items():
        value: Any = _now
        for part in new.split("."):
            value = getattr(value, part, None)
        if not hasattr(_now, old) and value is not None:
            globals()[old] = value
    globals().update({name: value for name, value in _OTHERS.items() if not hasattr(_now, name)})
    globals().update({name: getattr(_dropped, name) for name in _dropped.__all__ if not hasattr(_now, name)})
    globals().update({name: getattr(_arguments, name) for name in _arguments.__all__})
    globals().update({name: getattr(_functions, name) for name in _functions.__all__})
    globals().update(_arrays.FUNCTIONS, lib=_lib, random=_random)
    globals().update(_tensors.accepting_tensors(globals()))


_add_old_names()
# `from numpy import *` binds all of these except Python's types.
__all__ = sorted(set(getattr(_now, "__all__", ())) | {name for name in _RENAMED if name in globals()} | set(_OTHERS))
globals().update(_BUILTINS)
