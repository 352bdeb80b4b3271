"""Finds the Python files of a path, and reads those that matter."""
import ast
import os
import re
from typing import Dict, List, NamedTuple, Optional, Pattern, Sequence, Tuple

from legacy_towers.errors import UserError
from legacy_towers.run.deep_trees import deep_recursion
from legacy_towers.run.script_files import check_is_script
from legacy_towers.run.source_files import parse_source, python_files, read_source
from legacy_towers.text.files import working_directory_of

# A larger file is data that was written as Python.
LARGEST = 4 * 1024 * 1024  # bytes
# Folders of installed packages and of other programs' files.
_NOT_OWN = ("site-packages", "dist-packages", "node_modules")
_COMMENT_LINE = re.compile(rb"^[ \t]*#.*", re.MULTILINE)
_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b|import[ \t]+([\w., \t]+))", re.MULTILINE)


class SourceFile(NamedTuple):
    """A file of the project.

    Attributes:
      path: its path, as messages show it.
      source: its bytes.
      tree: its syntax tree, with the lines of the file; None if it could not be read.
      problem: (line, why) it could not be read, None if it was.
      is_python_2: whether only Python 2 can parse it.
    """

    path: str
    source: bytes
    tree: Optional[ast.Module]
    problem: Optional[Tuple[int, str]]
    is_python_2: bool = False


class FoundFiles(NamedTuple):
    """The files of the paths on a command line.

    Attributes:
      python: path -> its bytes, in order.
      unread: those that can't be read.
      notebooks: paths of notebooks, which are not read.
    """

    python: Dict[str, bytes]
    unread: List[SourceFile]
    notebooks: List[str]


def find_files(paths: Sequence[str]) -> FoundFiles:
    """Returns the Python files of files and folders; a file that is found twice, through a link, is read once.

    Raises:
      UserError: a path does not exist, is not a Python file, or no path has a .py file.
    """
    found = FoundFiles({}, [], [])
    seen = set()
    for path in paths:
        for file in _files_of(path, found.notebooks):
            real = os.path.realpath(file)
            if real in seen:
                continue
            seen.add(real)
            _read(os.path.normpath(file), found)
    if not found.python and not found.unread:
        raise UserError("there is no .py file in {}".format(" or ".join(repr(path) for path in paths)))
    return found


def parsed(path: str, source: bytes) -> SourceFile:
    """Returns the file with its syntax tree, or with the reason why it has none."""
    try:
        with deep_recursion():
            tree, is_python_2 = parse_source(source, path)
        return SourceFile(path, source, tree, None, is_python_2)
    except SyntaxError as error:
        why = "it is neither Python 3 nor Python 2: {}".format(error.msg)
        return SourceFile(path, source, None, (error.lineno or 1, why))
    except (RecursionError, MemoryError):
        return SourceFile(path, source, None, (1, "its syntax tree is nested too deeply"))


def imported_names(source: bytes) -> List[Tuple[str, int]]:
    """Returns (dotted name, level) of what the import statements in `source` may import, found without parsing."""
    found = []
    for match in _IMPORT.finditer(source):
        if match.group(1) is not None:
            written = match.group(1).decode("ascii", "replace")
            name = written.lstrip(".")
            level = len(written) - len(name)
            found.append((name, level))
            # `from package import module`; parentheses and continued lines included.
            rest = source[match.end() : match.end() + 2000]
            names = rest.partition(b")")[0] if rest.lstrip().startswith(b"(") else rest.partition(b"\n")[0]
            for each in re.findall(rb"(?:^|[,(\s])([A-Za-z_]\w*)", names):
                below = each.decode("ascii")
                found.append(("{}.{}".format(name, below) if name else below, level))
        else:
            for part in match.group(2).split(b","):
                words = part.split()
                if words:
                    found.append((words[0].decode("ascii", "replace"), 0))
    return found


def without_comments(source: bytes) -> bytes:
    """Returns `source` without the text of the lines that are comments."""
    return _COMMENT_LINE.sub(b"", source)


def notebooks_with(names: Pattern[bytes], notebooks: Sequence[str]) -> List[str]:
    """Returns the paths of the notebooks whose text matches `names`, or that can't be read."""
    found = []
    for path in notebooks:
        try:
            if names.search(read_source(path)) is not None:
                found.append(os.path.normpath(path))
        except OSError:
            found.append(os.path.normpath(path))
    return found


def _files_of(path: str, notebooks: List[str]) -> List[str]:
    if not os.path.lexists(path):
        raise UserError("there is no file or folder {!r}{}".format(path, working_directory_of(path)))
    if not os.path.isdir(path):
        check_is_script(path, allows_null_bytes=True)
        return [path]
    for directory, folders, names in os.walk(path):
        folders[:] = [each for each in folders if not each.startswith(".")]
        notebooks += [os.path.join(directory, name) for name in sorted(names) if name.endswith(".ipynb")]
    return [file for file in python_files(path) if not _is_installed(os.path.relpath(file, path))]


def _is_installed(path: str) -> bool:
    return any(part in _NOT_OWN for part in path.split(os.sep))


def _read(path: str, found: FoundFiles) -> None:
    try:
        size = os.path.getsize(path)
        if size > LARGEST:
            why = "it has {:.0f} MB; files of more than {} MB are not read".format(size / 2.0**20, LARGEST >> 20)
            found.unread.append(SourceFile(path, b"", None, (1, why)))
            return
        found.python[path] = read_source(path)
    except OSError as error:
        why = "it can't be read: {}".format(error.strerror or error)
        found.unread.append(SourceFile(path, b"", None, (1, why)))
