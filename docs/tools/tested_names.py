"""Which test files use which names of TensorFlow 1.x, read from their syntax trees.

    uses = Tests("tests", rows)
    uses.file_of("tensorflow.contrib.layers", "compat/tf1/contrib")    "compat/tf1/contrib/layers/test_layers.py"

A name counts where a test, or a module of cases that it imports, writes it out: as attributes of TensorFlow or of what
implements it, under any name that the file imports (`tf.mul`, `layers.conv2d` after `from
legacy_towers.compat.tf1.contrib import layers`), as a string ("tensorflow.mul", "layers.conv2d"), or in a script that
is one of its strings. Names with one implementation count together. A test that goes through all rows of a package uses
them.
"""
import ast
import os
import re
import textwrap
from typing import Dict, FrozenSet, Iterator, List, Mapping, Optional, Set, Tuple

from legacy_towers.compat.tf1 import symbols

_ROOT = "tensorflow"
# The view of TensorFlow that tests have under other names.
_ALSO_ROOT = ("legacy_towers.compat.tf", "legacy_towers.compat.tf1.importable.tensorflow", "tensorflow.compat.v1", "tf")
# The folder of the modules of cases that tests share.
_CASES = "tf1_cases"
# The tests that load the targets of all names of a package.
_EVERY_TARGET = "test_every_target_can_be_loaded"
# The functions that give a module by its name.
_BY_NAME = ("module", "import_module")
# A table of names leaves out what they have in common.
_ABOVE = (_ROOT, _ROOT + ".contrib", _ROOT + ".python")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$")


class Tests:
    """The tests of all packages.

    Args:
      folder: tests/ of the checkout.
      rows: name -> its row; what a row's target is called in tests is its name.
    """

    def __init__(self, folder: str, rows: Mapping[str, symbols.Symbol]) -> None:
        self._folder = folder
        by_target: Dict[str, List[str]] = {}
        for name, row in rows.items():
            by_target.setdefault(row.target.replace(":", "."), []).append(name)
        # An implementation, and each of its names -> all its names.
        self._names_of = dict(by_target)
        self._names_of.update({name: by_target[row.target.replace(":", ".")] for name, row in rows.items()})
        self._of_file: Dict[str, FrozenSet[str]] = {}

    def file_of(self, name: str, package: str) -> str:
        """Returns the first test file below the folder `package` that uses `name` or a name below it; "" if none does.

        Files whose name contains the last part of `name` come first, then those in a folder of that name.
        """
        last = name.rpartition(".")[2]

        def order(file: str) -> Tuple[bool, bool, str]:
            folder, _, base = file.rpartition("/")
            return last not in base, last not in folder.split("/"), file

        for wanted in (name, _EVERY_TARGET):
            for file in sorted(self._files(package), key=order):
                if wanted in self._used(os.path.join(self._folder, package, file)):
                    return "{}/{}".format(package, file)
        return ""

    def _files(self, package: str) -> List[str]:
        top = os.path.join(self._folder, package)
        paths = [os.path.join(folder, file) for folder, _, files in os.walk(top) for file in files]
        relative = [os.path.relpath(path, top).replace(os.sep, "/") for path in paths]
        return [path for path in relative if path.rpartition("/")[2].startswith("test_") and path.endswith(".py")]

    def _used(self, path: str) -> FrozenSet[str]:
        """Returns the names that a file uses, each with those above it."""
        if path not in self._of_file:
            self._of_file[path] = frozenset()  # modules may import one another
            with open(path, encoding="utf-8") as file:
                written = set(_written(file.read(), {}))
            found = {name for dotted in written for name in self._old_names(dotted)}
            found |= {above for name in found for above in _above(name)}
            for beside in self._beside(written):
                found |= self._used(beside)
            self._of_file[path] = frozenset(found)
        return self._of_file[path]

    def _beside(self, written: Set[str]) -> Iterator[str]:
        """Yields the modules of cases that a test imports."""
        start = _CASES + "."
        for dotted in written:
            if dotted.startswith(start):
                parts = dotted.split(".")
                for length in range(2, len(parts) + 1):
                    path = os.path.join(self._folder, *parts[:length]) + ".py"
                    if os.path.isfile(path):
                        yield path

    def _old_names(self, dotted: str) -> Iterator[str]:
        for also in _ALSO_ROOT:
            if dotted.startswith(also + "."):
                dotted = _ROOT + dotted[len(also) :]
        yield dotted
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            for name in self._names_of.get(".".join(parts[:length]), ()):
                yield ".".join([name] + parts[length:])


def _written(source: str, known: Mapping[str, str]) -> Iterator[str]:
    """Yields the dotted names in a source; `known` is what short names stand for already."""
    tree = _parsed(source)
    nodes = list(ast.walk(tree)) if tree is not None else []
    aliases = dict(known)
    for node in nodes:
        imported = _imported(node)
        aliases.update(imported)
        yield from imported.values()
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = _dotted(node.value, aliases)
            if value and (value == _ROOT or "." in value):
                aliases[node.targets[0].id] = value
    for node in nodes:
        if isinstance(node, (ast.Attribute, ast.Name)):
            yield _dotted(node, aliases) or ""
        elif isinstance(node, ast.FunctionDef) and node.name.startswith(_EVERY_TARGET):
            yield _EVERY_TARGET
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _in_text(node.value, aliases)


def _in_text(text: str, aliases: Mapping[str, str]) -> Iterator[str]:
    if _DOTTED.match(text):
        yield from [text] + ["{}.{}".format(above, text) for above in _ABOVE]
    elif "tf." in text or _ROOT in text:
        yield from _written(textwrap.dedent(text), dict(aliases, tf=_ROOT))


def _parsed(source: str) -> Optional[ast.Module]:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):  # no Python, or Python 2
        return None


def _imported(node: ast.AST) -> Dict[str, str]:
    if isinstance(node, ast.ImportFrom) and node.module:
        return {each.asname or each.name: "{}.{}".format(node.module, each.name) for each in node.names}
    if isinstance(node, ast.Import):
        pairs = [(each.asname, each.name) if each.asname else (each.name.split(".")[0],) * 2 for each in node.names]
        return {str(called): name for called, name in pairs}
    return {}


def _dotted(node: ast.AST, aliases: Mapping[str, str]) -> Optional[str]:
    """Returns the dotted name that an expression stands for; None if it is not a chain of attributes."""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        of = _dotted(node.value, aliases)
        return "{}.{}".format(of, node.attr) if of else None
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
        by_name = (_dotted(node.func, aliases) or "").rpartition(".")[2] in _BY_NAME
        return str(node.args[0].value) if by_name else None
    return None


def _above(name: str) -> Set[str]:
    parts = name.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts))}
