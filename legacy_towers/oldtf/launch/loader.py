"""Loads the modules of a script: their own files, compiled with their imports sent to the tree.

Python's finder finds the modules, as ever; this one only changes who loads those that are files of the user. No
bytecode is read or written: what lies in their __pycache__ was compiled without the tree.
"""
import ast
import contextlib
import importlib.abc
import importlib.machinery
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat import keras, versions
from legacy_towers.oldtf import tree
from legacy_towers.oldtf.changed import libraries, rewriting
from legacy_towers.oldtf.current import ScriptRun
from legacy_towers.oldtf.launch import VIEWS, python2, shadowing
from legacy_towers.oldtf.launch.deep_trees import room_for_deep_trees
from legacy_towers.oldtf.launch.imports import Imports

# As inspect has them, which takes its time to import.
_CO_VARARGS, _CO_VARKEYWORDS = 4, 8
_TF_SLIM = "legacy_towers.oldtf.contrib.slim_library.tf_slim"
_KERAS = {"keras": "legacy_towers.oldtf.keras", "keras_applications": "legacy_towers.oldtf.keras.applications"}


class ScriptLoader(importlib.machinery.SourceFileLoader):
    """Loads one file of the user.

    Args:
      finder: how its imports are sent elsewhere.
    """

    def __init__(self, fullname: str, path: str, finder: "ScriptFinder") -> None:
        super().__init__(fullname, path)
        self._finder = finder

    def get_code(self, fullname: str) -> Any:
        """Returns the code, always from the source."""
        path = self.get_filename(fullname)
        package = fullname if self.is_package(fullname) else fullname.rpartition(".")[0]
        return self._finder.compile(self.get_data(path), path, package)


class ScriptFinder(importlib.abc.MetaPathFinder):
    """Finds the modules of a script.

    Args:
      run: which files are the script's.
      trees, views: what is imported instead of what, see `Imports`.

    Attributes:
      lasting: what is put back by `uninstall`.
    """

    def __init__(self, run: ScriptRun, trees: Dict[str, str], views: Dict[str, str]) -> None:
        self.run = run
        self.trees = trees
        self.views = views
        self.lasting = contextlib.ExitStack()
        # path -> (the bytes of the file, its package), and, of those that AutoGraph asked for, the tree
        self._sources: Dict[str, Tuple[bytes, str]] = {}
        self._read_again: Dict[str, ast.Module] = {}

    def find_spec(self, fullname: str, path: Optional[Sequence[Any]], target: Any = None) -> Any:
        return self.with_own_loader(importlib.machinery.PathFinder.find_spec(fullname, path, target))

    def with_own_loader(self, spec: Any) -> Any:
        """Returns `spec`; where it is that of a Python file of the user's, with our loader."""
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader:
            return spec
        if spec.origin is not None and self.run.owns(spec.origin):
            spec.loader = ScriptLoader(spec.name, spec.origin, self)
        return spec

    def compile(self, source: bytes, path: str, package: str = "") -> Any:
        """Returns the code of the file at `path`, whose bytes are `source`.

        Args:
          package: the package that it is a module of; "": of none.
        """
        self.run.add_file(path)
        self._sources[path] = source, package
        self._read_again.pop(path, None)
        with room_for_deep_trees():
            module = self.rewritten(python2.read(source, path, self.run, bool(package)))
            return compile(module, path, "exec", dont_inherit=True)

    def function(self, code: Any) -> Optional[ast.AST]:
        """Returns the FunctionDef or Lambda that `code` was compiled from, None where it can't be told.

        Its int() and float() are left as they are: AutoGraph has its own, of tensors.
        """
        path = code.co_filename
        if path not in self._sources:
            return None
        if path not in self._read_again:
            source, package = self._sources[path]
            module = python2.read(source, path, self.run, bool(package), says=False)
            whole = rewriting.rewrite(module, numbers=False)
            self._read_again[path] = Imports(self.trees, self.views).visit(whole)
        begin = code.co_name, code.co_firstlineno
        found: List[Any] = [node for node in ast.walk(self._read_again[path]) if _begins(node) == begin]
        if len(found) > 1:  # lambdas of one line
            found = [node for node in found if _takes(node.args, code)]
        return found[0] if len(found) == 1 else None

    def rewritten(self, module: ast.AST) -> Any:
        """Returns the syntax tree `module` with its imports sent to the tree, and with what its methods did.

        An expression, or a statement of its own, has its imports only: there is no place in it for more.
        """
        whole = rewriting.rewrite(module) if isinstance(module, ast.Module) else module
        return Imports(self.trees, self.views).visit(whole)


def _begins(node: Any) -> Any:
    """Returns (name, first line) as the code has them that is compiled from `node`; None: it is no function."""
    if isinstance(node, ast.Lambda):
        return "<lambda>", node.lineno
    if not isinstance(node, ast.FunctionDef):
        return None
    return node.name, min([node.lineno] + [each.lineno for each in node.decorator_list])


def _takes(arguments: ast.arguments, code: Any) -> bool:
    """Returns whether a function with these arguments may be the one with this code."""
    by_place = getattr(arguments, "posonlyargs", []) + arguments.args
    others = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    names = [each.arg for each in by_place + arguments.kwonlyargs + others]
    return len(by_place) == code.co_argcount and tuple(names) == code.co_varnames[: len(names)] and (
        bool(code.co_flags & _CO_VARARGS), bool(code.co_flags & _CO_VARKEYWORDS)
    ) == (arguments.vararg is not None, arguments.kwarg is not None)


def install(run: ScriptRun, serves_tree: bool) -> ScriptFinder:
    """Makes the files of `run` be loaded by this module, and returns what does.

    Args:
      serves_tree: whether their imports of tensorflow go to the tree.
    """
    trees = {tree.ROOT: tree.IMPORTED_AS} if serves_tree else {}
    version = versions.tensorflow_version()
    if serves_tree and version is not None and version.pair != (1, 15):
        # tf_slim itself fails on today's TensorFlow, and keras is Keras 3, or tf.keras by other names of modules. A
        # script's own copies of them are the script's.
        served = dict({"tf_slim": _TF_SLIM}, **(_KERAS if keras.is_keras_2() else {}))
        trees.update(shadowing.without_own(served, run.root))
    tree.install()
    views = shadowing.without_own(dict(libraries.views(), **VIEWS), run.root)
    finder = ScriptFinder(run, trees, views)
    # Before Python's own finder of files, and behind those that stand before it.
    own = importlib.machinery.PathFinder
    sys.meta_path.insert(sys.meta_path.index(own) if own in sys.meta_path else len(sys.meta_path), finder)
    run.when_tensorflow_is_there(lambda: _be_read_by_autograph(finder))
    return finder


def uninstall(finder: ScriptFinder) -> None:
    """Takes back what `install` did."""
    sys.meta_path.remove(finder)
    finder.lasting.close()


def _be_read_by_autograph(finder: ScriptFinder) -> None:
    from legacy_towers.compat import autograph_source

    finder.lasting.enter_context(autograph_source.functions_are_read_by(finder.function))


def installed() -> Optional[ScriptFinder]:
    """Returns what loads the files of the script that runs, None where none does."""
    for finder in sys.meta_path:
        if isinstance(finder, ScriptFinder):
            return finder
    return None
