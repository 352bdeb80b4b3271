"""The registry of the modules, functions and classes that implement names of TensorFlow 1.x.

Each package listed here has a module `symbols` with `SYMBOLS`, the names that it supports, and `UNSUPPORTED`, why
others are not supported and what to do instead. Reading the symbols imports no TensorFlow: a target is imported when a
script first uses its name.
"""
import functools
from typing import Any, Dict, FrozenSet, Iterable, Tuple

from legacy_towers.compat.tf1.contrib import symbols as contrib
from legacy_towers.compat.tf1.core import symbols as core
from legacy_towers.compat.tf1.estimator import symbols as estimator
from legacy_towers.compat.tf1.keras import symbols as keras
from legacy_towers.compat.tf1.pre_1_0 import symbols as pre_1_0
from legacy_towers.compat.tf1.symbols import Symbol
from legacy_towers.compat.tf1.tutorials import symbols as tutorials

_PACKAGES: Tuple[Any, ...] = (contrib, pre_1_0, core, keras, tutorials, estimator)


def rows(is_1_15: bool, of_script: Iterable[Symbol] = ()) -> Dict[str, Symbol]:
    """Returns name -> symbol for the running TensorFlow.

    Args:
      is_1_15: whether TensorFlow 1.15 runs, which needs only the symbols with `on_1_15`.
      of_script: symbols that apply while a script runs, see `user_script.ScriptRun`.

    Raises:
      ValueError: two symbols have the same name.
    """
    found: Dict[str, Symbol] = {}
    for symbol in [each for package in _PACKAGES for each in package.SYMBOLS] + list(of_script):
        if is_1_15 and not symbol.on_1_15:
            continue
        if symbol.name in found:
            raise ValueError(
                "{} has two targets: {} and {}".format(symbol.name, found[symbol.name].target, symbol.target)
            )
        found[symbol.name] = symbol
    return found


@functools.lru_cache(maxsize=None)
def reasons() -> Dict[str, str]:
    """Returns name -> why it is not supported and what to do, from the `UNSUPPORTED` of all packages.

    A row applies to its name and to all names below it that have no row of their own.
    """
    found: Dict[str, str] = {}
    for package in _PACKAGES:
        found.update(getattr(package, "UNSUPPORTED", {}))
    return found


@functools.lru_cache(maxsize=None)
def modules_with_reasons_on_1_15() -> FrozenSet[str]:
    """Returns the modules of which TensorFlow 1.15 lacks names that older versions had and `reasons` explains."""
    return frozenset(name.rpartition(".")[0] for name in pre_1_0.UNSUPPORTED)
