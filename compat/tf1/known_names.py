"""The names of TensorFlow 1.15 and 0.12, read from recorded files: neither version has to be installed.

    is_name_of_1_15("tensorflow.train.shuffle_batch")     True
    closest("tensorflow.train.shufle_batch")              ["tensorflow.train.shuffle_batch"]
    arguments("tensorflow.nn.dropout")                    ("x", "keep_prob=None", "noise_shape=None", ...)
    OF_0_12.is_name("tensorflow.split_v")                 True

The names are those of modules, functions, classes and constants; attributes of classes are not recorded. The functions
of this module are about 1.15.
"""
import difflib
import functools
import os
from typing import Dict, FrozenSet, List, Optional, Tuple

_HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded")
# tf.compat.v1 and tf are one module in the view of 1.x.
_SAME_AS_ROOT = "tensorflow.compat.v1"


@functools.lru_cache(maxsize=None)
def _read_names(path: str) -> Dict[str, FrozenSet[str]]:
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, _, names = line.partition(":")
            found[name] = frozenset(names.split())
    return found


@functools.lru_cache(maxsize=None)
def _read_signatures(path: str) -> Dict[str, Tuple[str, ...]]:
    with open(path, encoding="utf-8") as file:
        return {fields[0]: tuple(fields[1:]) for fields in map(str.split, file)}


@functools.lru_cache(maxsize=None)
def _modules_below(path: str) -> Dict[str, FrozenSet[str]]:
    found: Dict[str, set] = {}
    for name in _read_names(path):
        parent, _, last = name.rpartition(".")
        found.setdefault(parent, set()).add(last)
    return {name: frozenset(below) for name, below in found.items()}


class Recording:
    """The names of one version of TensorFlow.

    Args:
      version: such as "1.15", whose files tests/tf1_cases/record_names.py writes.
      folder: where they are; those of 1.15 and 0.12 are installed.
    """

    def __init__(self, version: str, folder: str = _HERE) -> None:
        self.version = version
        suffix = version.replace(".", "_") + ".txt"
        self._names_file = os.path.join(folder, "names_" + suffix)
        self._signatures_file = os.path.join(folder, "signatures_" + suffix)

    def _modules(self) -> Dict[str, FrozenSet[str]]:
        return _read_names(self._names_file)

    def signatures(self) -> Dict[str, Tuple[str, ...]]:
        """Returns dotted name -> arguments, as `arguments` returns them, of all functions and classes of tf."""
        return _read_signatures(self._signatures_file)

    def modules(self) -> List[str]:
        """Returns the dotted names of all modules, sorted."""
        return sorted(self._modules())

    def names_in(self, module: str) -> FrozenSet[str]:
        """Returns the names in `module` ("tensorflow.nn"), its submodules included; empty if it is not a module."""
        return self._names_in(self._canonical(module))

    def public_names(self, module: str) -> FrozenSet[str]:
        """Returns the public names of `module`; of its submodules only those that it exports."""
        return self._own_names(self._canonical(module))

    def _names_in(self, module: str) -> FrozenSet[str]:
        return self._own_names(module) | self._below().get(module, frozenset())

    def _own_names(self, module: str) -> FrozenSet[str]:
        found = set()
        # "*x" means all names of the module x, as in `from x import *`.
        seen, pending = set(), [module]
        while pending:
            current = pending.pop()
            if current not in seen:
                seen.add(current)
                for name in self._modules().get(current, ()):
                    pending.append(name[1:]) if name.startswith("*") else found.add(name)
        return frozenset(found)

    def imported_from(self, module: str) -> Optional[str]:
        """Returns the module that `module` is an alias of: tensorflow.python.ops.nn for tensorflow.contrib.slim.nn.

        None if it is not an alias.
        """
        return self._alias_of(self._canonical(module))

    def _below(self) -> Dict[str, FrozenSet[str]]:
        return _modules_below(self._names_file)

    def is_module(self, dotted: str) -> bool:
        """Returns whether `dotted` was a module: "tensorflow.contrib.slim"."""
        return self._canonical(dotted) in self._modules()

    def is_name(self, dotted: str) -> bool:
        """Returns whether this TensorFlow had `dotted`: "tensorflow.nn.relu", or a module."""
        dotted = self._canonical(dotted)
        parent, _, last = dotted.rpartition(".")
        return dotted in self._modules() or last in self._names_in(parent)

    def closest(self, dotted: str, limit: int = 3) -> List[str]:
        """Returns up to `limit` names similar to `dotted`, the most similar first.

        First come names spelt the same elsewhere in the public API, then names spelt similarly in the same module.
        """
        dotted = self._canonical(dotted)
        parent, _, last = dotted.rpartition(".")
        elsewhere = [
            "{}.{}".format(module, last)
            for module, names in sorted(self._modules().items())
            if last in names and module != parent and ".python" not in module
        ]
        elsewhere.sort(key=lambda name: (name.startswith("tensorflow.contrib"), name.count("."), name))
        near = difflib.get_close_matches(last, sorted(self._names_in(parent)), limit, 0.75)
        return (elsewhere + ["{}.{}".format(parent, name) for name in near])[:limit]

    def arguments(self, dotted: str) -> Optional[Tuple[str, ...]]:
        """Returns the arguments of a function or class of tf, in order, None if none were recorded.

        Each is "name", "name=default", "*name" or "**name"; a default that is not a simple constant is "...".
        """
        return self.signatures().get(self._canonical(dotted))

    def _canonical(self, dotted: str) -> str:
        if dotted == _SAME_AS_ROOT or dotted.startswith(_SAME_AS_ROOT + "."):
            dotted = "tensorflow" + dotted[len(_SAME_AS_ROOT) :]
        parts = dotted.split(".")
        for length in range(2, len(parts)):
            # Names below an alias of a module are recorded at the module only.
            parent = ".".join(parts[:length])
            original = self._alias_of(parent)
            if original is not None and parent not in self._below():
                return self._canonical(".".join([original] + parts[length:]))
        return dotted

    def _alias_of(self, module: str) -> Optional[str]:
        names = self._modules().get(module, frozenset())
        (only,) = names if len(names) == 1 else ("",)
        return only[1:] if only.startswith("*") else None


OF_1_15 = Recording("1.15")
OF_0_12 = Recording("0.12")

modules = OF_1_15.modules
names_in = OF_1_15.names_in
public_names = OF_1_15.public_names
imported_from = OF_1_15.imported_from
is_module_of_1_15 = OF_1_15.is_module
is_name_of_1_15 = OF_1_15.is_name
closest = OF_1_15.closest
arguments = OF_1_15.arguments
