"""Records the public names of TensorFlow 1.15, or of an older one, into the files that `known_names` reads.

    python tests/tf1_cases/record_names.py compat/tf1/recorded     with TensorFlow 1.15 installed
    python tests/tf1_cases/record_names.py compat/tf1/recorded     with TensorFlow 0.12.1, on Python 3.6
    python tests/tf1_cases/record_names.py recordings              with 1.4 to 1.14, for `record_earlier_names.py`

It writes two files for each: `names_1_15.txt`, a line for each module (`tensorflow.nn: relu softmax ...`), and
`signatures_1_15.txt`, a line for each public function or class below tf (`tensorflow.nn.relu features name=None`).
tf.contrib is in the first only: its modules are large, and supported ones are compared with the real ones.

A line has the names in `dir` of the module, without names that the module only imports for its own use. A module that
is only imported (`tf.contrib.slim.array_ops`) has a line, since scripts can use it, but the line of its parent does not
name it. The line of an alias of a module has a star: `tensorflow.contrib.slim.losses: *tensorflow.contrib.losses`. So
has that of a module that tf.nn of 0.12 imports: `tensorflow.nn.math_ops: *tensorflow.python.ops.math_ops`.
"""
import ast
import importlib
import inspect
import os
import sys
import types
from typing import Any, Dict, Iterator, List, Set, Tuple

_CONTRIB = "tensorflow.contrib"
NAMES_FILE = "names_{}.txt"
SIGNATURES_FILE = "signatures_{}.txt"
# Names that imports from __future__ define.
_NOT_NAMES = {"absolute_import", "division", "print_function", "unicode_literals"}
_TOOLS = ("tensorflow.python.util", "tensorflow_core.python.util")
# The module with remove_undocumented, which removes private names from modules and which some modules keep.
_ALL_UTIL = "tensorflow.python.util.all_util"
_REMOVES_NAMES = "remove_undocumented("
_DUNDER = {"__version__", "__git_version__", "__compiler_version__"}
# Packages whose modules are read from their files, since TensorFlow does not import all of them.
_FROM_FILES = ("python", "contrib", "core", "compiler", "examples", "tools")
_NOT_API = {"python", "core", "compiler", "tools", "include", "compat", "contrib"}
# Modules with thousands of generated names: only the module itself is recorded.
_UNLISTED = ("test_ops", "gen_tpu_ops")
_GENERATED = ("_eager_fallback", "_swigregister")
# Modules of 0.12 outside tf.contrib with names that they import. Scripts use those of the first.
_WITH_IMPORTED_NAMES = ("tensorflow.nn", "tensorflow.resources", "tensorflow.sdca", "tensorflow.user_ops")
# Modules whose signatures are not recorded.
_WITHOUT_SIGNATURES = ("raw_ops", "pywrap_tensorflow")


def public_modules() -> Dict[str, Set[str]]:
    """Returns module -> public names of the running TensorFlow, for tf and all modules below it."""
    tensorflow = importlib.import_module("tensorflow")
    found: Dict[str, Set[str]] = {}
    _walk("tensorflow", tensorflow, (), found)
    contrib = importlib.import_module("tensorflow.contrib")
    _walk("tensorflow.contrib", contrib, (), found)
    found["tensorflow"] |= {"contrib", "python", "core", "compat", "tools"}
    if not _is_1_15():
        return found
    found["tensorflow.compat"] = {"v1", "v2", "as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types"}
    found["tensorflow.compat"] |= {"complex_types", "integral_types", "path_to_str", "real_types"}
    found["tensorflow.compat"] |= {"forward_compatible", "forward_compatibility_horizon"}
    return found


def _version() -> str:
    return str(importlib.import_module("tensorflow").__version__)


def _is_1_15() -> bool:
    return _version().startswith("1.15.")


def _walk(name: str, module: Any, above: Tuple[int, ...], found: Dict[str, Set[str]]) -> None:
    in_contrib = name.startswith(_CONTRIB + ".") or _version().startswith("0.") and name in _WITH_IMPORTED_NAMES
    names = {each for each in dir(module) if each in _DUNDER or not each.startswith("_")} - _NOT_NAMES
    if in_contrib:
        names = {each for each in names if not _is_foreign(module, each)}
    for each in sorted(names):
        value = getattr(module, each, None)
        if not isinstance(value, types.ModuleType):
            continue
        whole = "{}.{}".format(name, each)
        own = getattr(value, "__name__", "").replace("tensorflow_core", "tensorflow")
        if not own.startswith("tensorflow"):
            names.discard(each)
        elif in_contrib and own != whole:
            if name not in _WITH_IMPORTED_NAMES[1:]:
                found[whole] = {"*" + own}
            if not _is_public_child(name, module, each, own):
                names.discard(each)
        elif in_contrib and each == "python":
            names.discard(each)
        elif not (name == "tensorflow" and each in _NOT_API or id(value) in above or _is_private(module.__name__)):
            _walk(whole, value, above + (id(value),), found)
    found[name] = names


def _is_foreign(module: Any, name: str) -> bool:
    """Returns whether a module of tf.contrib imports `name` from Python, six, numpy or TensorFlow's utilities."""
    imported_from = _imported(module).get(name)
    if _removes_names(module):
        return imported_from == _ALL_UTIL
    value = getattr(module, name, None)
    origins = [imported_from, value.__module__ if isinstance(value, (type, types.FunctionType)) else None]
    return any(each and (not each.startswith("tensorflow") or each.startswith(_TOOLS)) for each in origins)


def _is_public_child(name: str, module: Any, child: str, own: str) -> bool:
    """Returns whether the module `own` is a public `child` of `module`, and not only imported there."""
    part = ".".join(name.split(".")[:3])
    is_public_in_part = own.startswith(part + ".") and ".python" not in own
    is_imported_by_name = child in _imported(module) and hasattr(module, "__path__") and own.startswith(_CONTRIB)
    return is_public_in_part or _removes_names(module) or is_imported_by_name


def _removes_names(module: Any) -> bool:
    """Returns whether the module removes its undocumented names."""
    return _REMOVES_NAMES in _source(module)


def _imported(module: Any) -> Dict[str, str]:
    """Returns name -> the module from which the source of `module` imports it by name."""
    found = {}
    for node in ast.parse(_source(module)).body:
        if isinstance(node, ast.ImportFrom):
            found.update({each.asname or each.name: node.module or "" for each in node.names})
        elif isinstance(node, ast.Import):
            found.update({each.asname or each.name.split(".")[0]: each.name for each in node.names})
    return found


def _source(module: Any) -> str:
    file = getattr(module, "__file__", None) or ""
    if not file.endswith(".py"):
        return ""
    with open(file, encoding="utf-8") as source:
        return source.read()


def _is_private(own_name: str) -> bool:
    """Returns whether a module is private, so that modules in it are only imported there."""
    return ".python." in own_name and ".api." not in own_name


def modules_in_files() -> Dict[str, Set[str]]:
    """Returns module -> names for the .py files below tensorflow.python, tensorflow.contrib and so on."""
    root = os.path.dirname(str(importlib.import_module("tensorflow_core" if _is_1_15() else "tensorflow").__file__))
    sources = {}
    for part in _FROM_FILES:
        for folder, _, files in os.walk(os.path.join(root, part)):
            for each in files:
                inside = os.path.relpath(os.path.join(folder, each), root)
                if each.endswith(".py") and not each.endswith("_test.py"):
                    parts = inside[: -len(".py")].split(os.sep)
                    parts = parts[:-1] if parts[-1] == "__init__" else parts
                    sources[".".join(["tensorflow"] + parts)] = os.path.join(folder, each)
    reader = _Reader(sources)
    return {name: reader.names(name) for name in sources}


class _Reader:
    """Reads the top-level names of modules from their sources; `from x import *` is recorded as `*x`."""

    def __init__(self, sources: Dict[str, str]) -> None:
        self._sources = sources
        self._known: Dict[str, Set[str]] = {}

    def names(self, module: str) -> Set[str]:
        if module not in self._known:
            self._known[module] = set()
            if module.endswith("_pb2") or module not in self._sources:
                return self._known[module]
            with open(self._sources[module], encoding="utf-8") as source:
                text = source.read()
            removes_names = module.startswith(_CONTRIB) and _REMOVES_NAMES in text
            with_imported = "__init__" in self._sources[module] or ".examples." in module or removes_names
            found = set(self._of(ast.parse(text).body, with_imported))
            if removes_names and module in sys.modules:
                found = {each for each in found if each.startswith("*") or hasattr(sys.modules[module], each)}
            self._known[module] = {each for each in found if not each.startswith("_")} - _NOT_NAMES
        return self._known[module]

    def _of(self, body: List[ast.stmt], with_imported: bool) -> Iterator[str]:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                yield node.name
            elif isinstance(node, ast.Assign):
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))
            elif isinstance(node, (ast.If, ast.Try)):
                yield from self._of(node.body, with_imported)
            elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tensorflow"):
                if node.names[0].name == "*":
                    if node.module in self._sources:
                        yield "*" + node.module
                elif with_imported and node.module != _ALL_UTIL:
                    yield from (alias.asname or alias.name for alias in node.names)


def signatures(modules: Dict[str, Set[str]]) -> Dict[str, str]:
    """Returns dotted name -> its arguments, `name` or `name=default`, in order, for all functions and classes of tf."""
    found = {}
    for module in sorted(modules):
        if module.startswith("tensorflow.contrib") or module.split(".")[-1] in _WITHOUT_SIGNATURES:
            continue
        holder = importlib.import_module("tensorflow")
        try:
            for part in module.split(".")[1:]:
                holder = getattr(holder, part)
        except AttributeError:
            continue
        for name in sorted(modules[module]):
            value = getattr(holder, name, None)
            if isinstance(value, types.ModuleType) or not callable(value):
                continue
            try:
                arguments = _argument_names(_called(value))
            except TypeError:
                continue
            found["{}.{}".format(module, name)] = _written(arguments)
    return found


def _argument_names(function: Any) -> Any:
    """Returns inspect.getfullargspec of a function of TensorFlow without its decorators."""
    if _is_1_15():
        return importlib.import_module("tensorflow.python.util.tf_inspect").getfullargspec(function)
    return inspect.getfullargspec(inspect.unwrap(function))


def _called(value: Any) -> Any:
    """Returns the function that a call of `value` runs."""
    is_class = isinstance(value, type)
    return value.__init__ if is_class else value


def _written(arguments: Any) -> str:
    names = [each for each in arguments.args if each != "self"]
    defaults = list(arguments.defaults or ())
    plain = len(names) - len(defaults)
    written = names[: max(plain, 0)]
    written += ["{}={}".format(*pair) for pair in zip(names[max(plain, 0) :], map(_default, defaults))]
    written += ["*" + arguments.varargs] if arguments.varargs else []
    only_by_keyword = arguments.kwonlydefaults or {}
    written += ["{}={}".format(each, _default(only_by_keyword.get(each))) for each in arguments.kwonlyargs]
    written += ["**" + arguments.varkw] if arguments.varkw else []
    return " ".join(written)


def _default(value: Any) -> str:
    text = repr(value)
    return text if isinstance(value, (bool, int, float, str, type(None))) and " " not in text else "..."


def main(folder: str) -> None:
    version = "_".join(_version().split(".")[:2])
    modules = public_modules()
    everything = modules_in_files()
    for name, names in modules.items():
        # The names of the imported module are used: an __init__ may delete names that it imports.
        if not name.endswith(".python"):
            everything[name] = names
    for name, names in everything.items():
        listed = name.split(".")[-1] not in _UNLISTED
        everything[name] = {each for each in names if listed and not each.endswith(_GENERATED)}
    with open(os.path.join(folder, NAMES_FILE.format(version)), "w", encoding="utf-8") as file:
        for name in sorted(everything):
            file.write("{}: {}\n".format(name, " ".join(sorted(everything[name]))).replace(": \n", ":\n"))
    with open(os.path.join(folder, SIGNATURES_FILE.format(version)), "w", encoding="utf-8") as file:
        for name, written in sorted(signatures(modules).items()):
            file.write("{} {}".format(name, written).rstrip() + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
