"""Loads the modules of a script from its files, with rewritten imports.

Python's own finder finds the modules; this one changes the loader of those that are files of the user. No bytecode is
read or written, since that in __pycache__ was compiled from files that are not rewritten.
"""
import ast
import importlib.machinery
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat.tf1 import tree
from legacy_towers.compat.tf1.user_script import ScriptRun
from legacy_towers.compat.versions import keras, supported
from legacy_towers.run import python2, shadowing
from legacy_towers.run.deep_trees import deep_recursion
from legacy_towers.run.imports import Imports
from legacy_towers.run.rewriting import rewriter
from legacy_towers.run.script_finder import Finder, ScriptLoader

# The values of inspect, whose import is slow.
_CO_VARARGS, _CO_VARKEYWORDS = 4, 8
_TF_SLIM = "legacy_towers.compat.tf1.contrib.slim_library.tf_slim"
_STANDALONE_KERAS = "legacy_towers.compat.tf1.importable.keras"
_KERAS = {"keras": _STANDALONE_KERAS, "keras_applications": _STANDALONE_KERAS + ".applications"}


class ScriptFinder(Finder):
    """Finds the modules of a script.

    Args:
      run: the run of the script, which knows the script's files.
      packages, modules: the replaced imports, see `Imports`.
      dynamic: the module that replaces importlib, see `Imports`.
    """

    def __init__(self, run: ScriptRun, packages: Dict[str, str], modules: Dict[str, str], dynamic: str) -> None:
        super().__init__(run, packages, modules)
        self._dynamic = dynamic
        # path -> (the bytes of the file, its package)
        self._sources: Dict[str, Tuple[bytes, str]] = {}
        # path -> the syntax tree for AutoGraph
        self._autograph_trees: Dict[str, ast.Module] = {}

    def find_spec(self, fullname: str, path: Optional[Sequence[Any]], target: Any = None) -> Any:
        return self.with_own_loader(importlib.machinery.PathFinder.find_spec(fullname, path, target))

    def with_own_loader(self, spec: Any) -> Any:
        """Returns `spec`, with a `ScriptLoader` if it is a Python file of the user."""
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader:
            return spec
        if spec.origin is not None and self.run.owns(spec.origin):
            spec.loader = ScriptLoader(spec.name, spec.origin, self)
        return spec

    def compile(self, source: bytes, path: str, package: str = "") -> Any:
        """Returns the code object of a rewritten file.

        Args:
          source: the bytes of the file.
          path: the path of the file.
          package: the package of the module; "" if it is in none.

        Raises:
          SyntaxError, ValueError: the file is neither Python 3 nor Python 2.
        """
        self.run.add_file(path)
        self._sources[path] = source, package
        self._autograph_trees.pop(path, None)
        with deep_recursion():
            module = self.rewritten(python2.read(source, path, self.run, bool(package)))
            return compile(module, path, "exec", dont_inherit=True)

    def function(self, code: Any) -> Optional[ast.AST]:
        """Returns the FunctionDef or Lambda that `code` was compiled from, None if it is ambiguous or unknown.

        Its int() and float() are not rewritten, since AutoGraph replaces them by functions of tensors.
        """
        path = code.co_filename
        if path not in self._sources:
            return None
        if path not in self._autograph_trees:
            source, package = self._sources[path]
            module = python2.read(source, path, self.run, bool(package), reports=False)
            whole = rewriter.rewrite(module, numbers=False)
            self._autograph_trees[path] = Imports(self.packages, self.modules, self._dynamic).visit(whole)
        begin = code.co_name, code.co_firstlineno
        found: List[Any] = [node for node in ast.walk(self._autograph_trees[path]) if _name_and_line(node) == begin]
        if len(found) > 1:  # several lambdas on one line
            found = [node for node in found if _has_parameters(node.args, code)]
        return found[0] if len(found) == 1 else None

    def rewritten(self, module: ast.AST) -> Any:
        """Returns the syntax tree `module` with rewritten imports, methods and arithmetic.

        In a single expression or statement only imports are rewritten, since the rest needs an import statement.
        """
        whole = rewriter.rewrite(module) if isinstance(module, ast.Module) else module
        return Imports(self.packages, self.modules, self._dynamic).visit(whole)


def _name_and_line(node: Any) -> Any:
    """Returns (co_name, co_firstlineno) of the code that is compiled from `node`, None if it is not a function."""
    if isinstance(node, ast.Lambda):
        return "<lambda>", node.lineno
    if not isinstance(node, ast.FunctionDef):
        return None
    return node.name, min([node.lineno] + [each.lineno for each in node.decorator_list])


def _has_parameters(arguments: ast.arguments, code: Any) -> bool:
    """Returns whether `code` has the parameters `arguments`."""
    positional = getattr(arguments, "posonlyargs", []) + arguments.args
    others = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    names = [each.arg for each in positional + arguments.kwonlyargs + others]
    return len(positional) == code.co_argcount and tuple(names) == code.co_varnames[: len(names)] and (
        bool(code.co_flags & _CO_VARARGS), bool(code.co_flags & _CO_VARKEYWORDS)
    ) == (arguments.vararg is not None, arguments.kwarg is not None)


def install(run: ScriptRun, replaces_tensorflow: bool, modules: Dict[str, str]) -> ScriptFinder:
    """Installs and returns the finder of the script's modules.

    Args:
      run: the run of the script.
      replaces_tensorflow: whether imports of tensorflow get TensorFlow 1.x.
      modules: module -> the module to import instead, see `replaced_modules`.
    """
    packages = {tree.ROOT: tree.IMPORTED_AS} if replaces_tensorflow else {}
    version = supported.tensorflow_version()
    if replaces_tensorflow and version is not None and version.pair != (1, 15):
        # tf_slim itself fails on TensorFlow 2, and the package keras is Keras 3, or tf.keras with other module names.
        # A script's own copies of them are not replaced.
        replaced = dict({"tf_slim": _TF_SLIM}, **(_KERAS if keras.is_keras_2() else {}))
        packages.update(shadowing.without_own(replaced, run.root))
    tree.install()
    modules = dict(modules, **run.replaced_modules)
    finder = ScriptFinder(run, packages, shadowing.without_own(modules, run.root), modules["importlib"])
    # Before Python's own finder of files, and after the finders that precede it.
    path_finder = importlib.machinery.PathFinder
    index = sys.meta_path.index(path_finder) if path_finder in sys.meta_path else len(sys.meta_path)
    sys.meta_path.insert(index, finder)
    run.when_tensorflow_is_there(lambda: _patch_autograph(finder))
    return finder


def uninstall(finder: ScriptFinder) -> None:
    """Undoes `install`."""
    sys.meta_path.remove(finder)
    finder.run.lasting.close()


def _patch_autograph(finder: ScriptFinder) -> None:
    from legacy_towers.compat.patches import autograph_source

    finder.run.lasting.enter_context(autograph_source.function_source(finder.function))
