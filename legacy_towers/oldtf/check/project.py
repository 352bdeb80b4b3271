"""The files of a script or of a folder, and what all of them would miss."""
import ast
import importlib.machinery
import os
import stat
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from legacy_towers.errors import UserError
from legacy_towers.oldtf.check import status, uses
from legacy_towers.oldtf.check.found import Asked, Found, Meanings, NotUnderstood
from legacy_towers.oldtf.launch import python2
from legacy_towers.oldtf.launch.deep_trees import room_for_deep_trees
from legacy_towers.oldtf.launch.python2 import syntax
from legacy_towers.oldtf.launch.script_files import check_is_script


class Finding(NamedTuple):
    """One name at one place.

    Attributes:
      path: of the file.
      line, column: from 1.
      status: what became of the name.
      guarded: whether the script goes on where the name is missing (it stands in a `try`).
    """

    path: str
    line: int
    column: int
    status: status.Status
    guarded: bool


class Checked(NamedTuple):
    """What was found in all files.

    Attributes:
      files: the paths that were read, in order.
      findings: the names that the TensorFlow that runs has no more, served or missing, in the order of the files.
      not_understood: (path, place) where names may be used that could not be told.
      unread: those of the files that are no Python, or can't be read.
    """

    files: List[str]
    findings: List[Finding]
    not_understood: List[Tuple[str, NotUnderstood]]
    unread: List[str]

    @property
    def missing(self) -> List[Finding]:
        """The names that would end the script."""
        return [each for each in self.findings if each.status.missing is not None and not each.guarded]


def check(path: str) -> Checked:
    """Reads the script at `path` and the modules of its own that it imports, or all .py files of a folder.

    Raises:
      UserError: there is nothing at `path`, or no Python in it.
    """
    if path == "-":
        raise UserError("standard input has no folder to find modules in: write the script to a file")
    if not os.path.exists(path):
        raise UserError("there is no file or folder {!r}".format(path))
    if not os.path.isdir(path):
        check_is_script(path, may_be_no_text=True)
        return _checked([path], os.path.dirname(path))
    return _checked(_python_files(path), path)


def check_module(name: str) -> Checked:
    """Reads what `python -m name` would run, and the modules of its own that this imports; nothing is imported.

    That is the module, or the __main__ of a package, with the packages around it; all files of a package without one.

    Raises:
      UserError: there is no such module.
    """
    return _checked(_files_of_module(name), "")


def _checked(files: List[str], root: str) -> Checked:
    if not files:
        raise UserError("the folder {!r} has no .py file".format(root))
    project = _Project(root)
    for file in files:
        project.read(file)
    findings = [each for file in project.files for each in _findings(file, project.found[file])]
    not_understood = [(file, each) for file in project.files for each in project.found[file].not_understood]
    return Checked(project.files, findings, not_understood, project.unread)


def _files_of_module(name: str) -> List[str]:
    around: List[str] = []
    # As -m has it: the folder where it is typed, then the path.
    folders = [os.getcwd()] + sys.path
    spec: Any = None
    for part in name.split("."):
        # By its last name alone: Python asks for the parents of the whole one, and they are not imported.
        spec = importlib.machinery.PathFinder.find_spec(part, folders) if part else None
        if spec is None:
            meant = "; did you mean the script, without -m?" if os.path.isfile(name) else ""
            raise UserError("there is no module {!r} in {} or on the path{}".format(name, os.getcwd(), meant))
        folders = list(spec.submodule_search_locations or ())
        if spec.submodule_search_locations is not None:
            around += [each for each in (os.path.join(folder, "__init__.py") for folder in folders)
                       if os.path.isfile(each)]
    if spec.submodule_search_locations is None:
        if spec.origin is None or not spec.origin.endswith(".py"):
            raise UserError("the module {!r} is no Python file: it is {}".format(name, spec.origin or "built in"))
        return [_shown(each) for each in around + [spec.origin]]
    mains = [each for each in (os.path.join(folder, "__main__.py") for folder in folders) if os.path.isfile(each)]
    files = around + mains if mains else [file for folder in folders for file in _python_files(folder)]
    if not files:
        raise UserError("the package {!r} has no .py file".format(name))
    return [_shown(each) for each in files]


def _shown(path: str) -> str:
    """Returns `path` as a person would type it here."""
    below = os.getcwd() + os.sep
    return path[len(below) :] if path.startswith(below) else path


class _Project:
    """Reads each file once, and those of its own modules that a file imports.

    Args:
      root: the folder that modules are looked for in, beside the folder of the file that imports them.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.found: Dict[str, Found] = {}
        self.files: List[str] = []
        self.unread: List[str] = []

    def read(self, path: str) -> Found:
        """Returns what the file uses; of a file that is being read already, what is known so far."""
        key = os.path.normpath(path)
        if key not in self.found:
            self.found[key] = Found([], [], {})
            self.files.append(key)
            self.found[key] = self._read(key)
        return self.found[key]

    def _read(self, path: str) -> Found:
        asked = Asked(
            exists=status.exists,
            is_module=status.is_module,
            names_of=status.names_of,
            module=lambda name, level: self._module(path, name, level),
            bound_in=self._bound_in,
            serves_keras=status.serves_keras(),
        )
        try:
            with room_for_deep_trees():
                return uses.of_source(_parsed(path), asked)
        except OSError as error:
            why = "it can't be read: {}".format(error.strerror or error)
        except (RecursionError, MemoryError):
            why = "it is nested too deeply to be read"
        except SyntaxError as error:
            self.unread.append(path)
            return _not_read(error.lineno or 1, "it is no Python, neither 3 nor 2: {}".format(error.msg))
        self.unread.append(path)
        return _not_read(1, why)

    def _bound_in(self, module: str) -> Dict[str, Meanings]:
        return self.read(module).bound if module.endswith(".py") else {}

    def _module(self, importer: str, name: str, level: int) -> Optional[str]:
        """Returns the path of the script's own module `name`: its file, or its folder where it has no __init__.py."""
        if not name and not level:
            return None
        folders = [os.path.dirname(importer), self.root]
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


def _not_read(line: int, why: str) -> Found:
    return Found([], [NotUnderstood(line, why)], {})


def _parsed(path: str) -> ast.Module:
    """Returns the syntax tree of the file, as Python 3 reads it, else as Python 2 did.

    Raises:
      SyntaxError: neither can.
    """
    mode = os.stat(path).st_mode
    # Of /dev/zero there is no end, and a pipe that lies in a folder may never have a begin.
    if stat.S_ISCHR(mode) and not os.path.samefile(path, os.devnull) or stat.S_ISFIFO(mode) and path.endswith(".py"):
        raise OSError("it is no file")
    with open(path, "rb") as file:
        source = file.read()
    try:
        return ast.parse(source, path)
    except (SyntaxError, ValueError) as error:
        translated = syntax.translate(source, path)
        if translated is not None:
            return translated.tree
        if python2.looks_like_python_2(error):
            line, why = syntax.problem(source, path)
            raise SyntaxError(why, (path, line or getattr(error, "lineno", 1), 0, "")) from error
        if isinstance(error, SyntaxError):
            raise
        raise SyntaxError(str(error)) from error


def _package(path: str) -> str:
    """Returns the folder in which the modules below the module at `path` lie."""
    return os.path.dirname(path) if os.path.basename(path) == "__init__.py" else os.path.splitext(path)[0]


def _python_files(folder: str) -> List[str]:
    found = []
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and each != "__pycache__")
        found += [os.path.join(directory, name) for name in sorted(names) if name.endswith(".py")]
    return found


def _findings(path: str, found: Found) -> List[Finding]:
    # The bodies of the `try`s in which something is missing: their handlers are run.
    failed = {
        number for use in found.uses if _worst(use.meanings).missing is not None for number in use.guarded_by
    }
    findings = []
    for use in found.uses:
        became = _worst(use.meanings)
        reached = all(number in failed for number in use.fallback_of)
        if reached and (became.gone or became.missing is not None):
            findings.append(Finding(path, use.line, use.column, became, bool(use.guarded_by)))
    return sorted(_shortest(findings), key=lambda each: (each.line, each.column))


def _worst(names: Tuple[str, ...]) -> status.Status:
    """Returns what became of a name that may be several: it is missing only where each of them is."""
    found = [status.of_name(name) for name in names]
    there = [each for each in found if each.missing is None]
    return there[0] if there else found[0]


def _shortest(findings: List[Finding]) -> List[Finding]:
    """Leaves one finding of each name in a line."""
    seen = set()
    kept = []
    for each in findings:
        if (each.line, each.status.name) not in seen:
            seen.add((each.line, each.status.name))
            kept.append(each)
    return kept
