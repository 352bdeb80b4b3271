"""Reads Python files without running them: their syntax trees, and the files of the modules that they import."""
import ast
import os
import stat
from typing import List, NamedTuple, Optional, Sequence

from legacy_towers.run import python2
from legacy_towers.run.python2 import syntax


def read_source(path: str) -> bytes:
    """Returns the bytes of the file at `path`.

    Raises:
      OSError: the file can't be read, or is a device or a pipe.
    """
    mode = os.stat(path).st_mode
    # Reading /dev/zero never ends, and reading a pipe that nobody writes to never begins.
    if stat.S_ISCHR(mode) and not os.path.samefile(path, os.devnull) or stat.S_ISFIFO(mode) and path.endswith(".py"):
        raise OSError("it is not a regular file")
    with open(path, "rb") as file:
        return file.read()


class Parsed(NamedTuple):
    """A parsed file.

    Attributes:
      tree: the syntax tree, with the lines of the file.
      is_python_2: whether only Python 2 can parse it.
    """

    tree: ast.Module
    is_python_2: bool


def parse_source(source: bytes, path: str) -> Parsed:
    """Parses a file as Python 3, or as Python 2 if that fails.

    Args:
      source: the bytes of the file.
      path: the path of the file, for the error.

    Raises:
      SyntaxError: both fail.
    """
    try:
        return Parsed(ast.parse(source, path), False)
    except (SyntaxError, ValueError) as error:
        translated = syntax.translate(source, path)
        if translated is not None:
            return Parsed(translated.tree, True)
        if python2.looks_like_python_2(error):
            line, why = syntax.problem(source, path)
            raise SyntaxError(why, (path, line or getattr(error, "lineno", 1), 0, "")) from error
        if isinstance(error, SyntaxError):
            raise
        raise SyntaxError(str(error)) from error


def python_files(folder: str) -> List[str]:
    """Returns the .py files below `folder`, sorted within each folder, without those in hidden folders."""
    found = []
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and each != "__pycache__")
        found += [os.path.join(directory, name) for name in sorted(names) if name.endswith(".py")]
    return found


def module_file(importer: str, name: str, level: int, folders: Sequence[str]) -> Optional[str]:
    """Returns the path of the module that an import statement names, None if it is not below the folders.

    Args:
      importer: the path of the file with the import statement.
      name: the dotted name; also a path that this function returned, with names of modules below it appended.
      level: the number of dots before the name.
      folders: the folders to search an absolute name in, in order.

    Returns:
      The path of its .py file, or of its folder if that has no __init__.py.
    """
    if not name and not level:
        return None
    if level:
        folder = os.path.dirname(importer)
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        folders = [folder]
    if name.endswith(".py") or os.sep in name:  # a module that this function returned, or one below it
        base, _, below = name.rpartition(".")
        folders, name = [_package(base)], below
    for folder in folders:
        base = os.path.normpath(os.path.join(folder, *name.split("."))) if name else folder
        for candidate in (base + ".py", os.path.join(base, "__init__.py")):
            if os.path.isfile(candidate):
                return os.path.normpath(candidate)
        if os.path.isdir(base) and name:
            return base
    return None


def _package(path: str) -> str:
    """Returns the folder of the submodules of the module at `path`."""
    return os.path.dirname(path) if os.path.basename(path) == "__init__.py" else os.path.splitext(path)[0]
