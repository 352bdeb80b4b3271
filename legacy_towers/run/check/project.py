"""Checks all files of a script or of a folder for missing APIs."""
import importlib.machinery
import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from legacy_towers.compat.tf1 import user_script
from legacy_towers.errors import UserError
from legacy_towers.run.check import status, uses
from legacy_towers.run.check.findings import Found, Lookups, Meanings, NotUnderstood
from legacy_towers.run.deep_trees import deep_recursion
from legacy_towers.run.python2 import syntax
from legacy_towers.run.python2.indentation import AmbiguousLines
from legacy_towers.run.script_files import check_is_script
from legacy_towers.run.source_files import module_file, parse_source, python_files, read_source
from legacy_towers.text.files import working_directory_of


class Finding(NamedTuple):
    """One use of a name that the installed TensorFlow lacks.

    Attributes:
      path: path of the file.
      line, column: position in the file, from 1.
      status: whether the name is supported or missing.
      guarded: whether the script handles a missing name here, by a `try` around it.
      only_if: the flag that must be given, or changed, for this line to run: "--use_gan"; "" if there is none.
    """

    path: str
    line: int
    column: int
    status: status.Status
    guarded: bool
    only_if: str = ""


class Checked(NamedTuple):
    """The findings in all files.

    Attributes:
      files: the paths that were read, in order.
      findings: the names that the installed TensorFlow lacks, supported or missing, in the order of the files.
      not_understood: (path, place) of code whose names are known only at run time.
      unread: those of `files` that are not valid Python or can't be read.
      ambiguous_lines: (path, lines) of Python 2 files whose nesting depends on the width of a tab.
    """

    files: List[str]
    findings: List[Finding]
    not_understood: List[Tuple[str, NotUnderstood]]
    unread: List[str]
    ambiguous_lines: List[Tuple[str, AmbiguousLines]]

    @property
    def missing(self) -> List[Finding]:
        """The missing names that the script uses with its default flags, and does not handle by a `try`."""
        found = [each for each in self.findings if each.status.missing is not None]
        return [each for each in found if not each.guarded and not each.only_if]


def check(path: str) -> Checked:
    """Checks the script at `path` and the modules of its own that it imports, or all .py files of a folder.

    Raises:
      UserError: `path` does not exist, is not a Python script, or is a folder without .py files.
    """
    if path == "-":
        raise UserError("--check can't find the modules of a script on standard input: write the script to a file")
    if not os.path.exists(path):
        raise UserError("there is no file or folder {!r}{}".format(path, working_directory_of(path)))
    if not os.path.isdir(path):
        check_is_script(path, allows_null_bytes=True)
        return _checked([path], os.path.dirname(path))
    return _checked(python_files(path), path)


def check_module(name: str) -> Checked:
    """Checks what `python -m name` would run, and the modules of its own that this imports, without importing them.

    For a module that is the module with its parent packages; for a package its __main__ with its parent packages, or
    all files if it has no __main__.

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
    return Checked(project.files, findings, not_understood, project.unread, project.ambiguous_lines)


def _files_of_module(name: str) -> List[str]:
    packages: List[str] = []
    # `python -m` searches the working directory first, then the path.
    folders = [os.getcwd()] + sys.path
    spec: Any = None
    for part in name.split("."):
        # Part by part: find_spec of the whole name would import the parents.
        spec = importlib.machinery.PathFinder.find_spec(part, folders) if part else None
        if spec is None:
            meant = "; did you mean the script, without -m?" if os.path.isfile(name) else ""
            raise UserError("there is no module {!r} in {} or on the path{}".format(name, os.getcwd(), meant))
        folders = list(spec.submodule_search_locations or ())
        if spec.submodule_search_locations is not None:
            packages += [each for each in (os.path.join(folder, "__init__.py") for folder in folders)
                         if os.path.isfile(each)]
    if spec.submodule_search_locations is None:
        if spec.origin is None or not spec.origin.endswith(".py"):
            raise UserError("the module {!r} is not a Python file: it is {}".format(name, spec.origin or "built in"))
        return [_shown(each) for each in packages + [spec.origin]]
    mains = [each for each in (os.path.join(folder, "__main__.py") for folder in folders) if os.path.isfile(each)]
    files = packages + mains if mains else [file for folder in folders for file in python_files(folder)]
    if not files:
        raise UserError("the package {!r} has no .py file".format(name))
    return [_shown(each) for each in files]


def _shown(path: str) -> str:
    """Returns `path` relative to the working directory if it is below it."""
    below = os.getcwd() + os.sep
    return path[len(below) :] if path.startswith(below) else path


class _Project:
    """Reads each file once, and the script's own modules that it imports.

    Args:
      root: the folder to search modules in, after the folder of the file that imports them and before PYTHONPATH.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.run = user_script.ScriptRun("", os.path.abspath(root))
        self.found: Dict[str, Found] = {}
        self.files: List[str] = []
        self.unread: List[str] = []
        self.ambiguous_lines: List[Tuple[str, AmbiguousLines]] = []

    def read(self, path: str) -> Found:
        """Returns the names that the file uses; in an import cycle, those that are known so far."""
        key = os.path.normpath(path)
        if key not in self.found:
            self.found[key] = Found([], [], {})
            self.files.append(key)
            self.found[key] = self._read(key)
        return self.found[key]

    def _read(self, path: str) -> Found:
        lookups = Lookups(
            exists=status.exists,
            is_module=status.is_module,
            names_of=status.names_of,
            module=lambda name, level: self._module(path, name, level),
            bound_in=self._bound_in,
            replaces_keras=status.replaces_keras(),
        )
        try:
            with deep_recursion():
                source = read_source(path)
                tree, is_python_2 = parse_source(source, path)
                if is_python_2:
                    self.ambiguous_lines += [(path, each) for each in syntax.ambiguous_lines(source)]
                return uses.of_source(tree, lookups)
        except OSError as error:
            why = "it can't be read: {}".format(error.strerror or error)
        except (RecursionError, MemoryError):
            why = "its syntax tree is nested too deeply"
        except SyntaxError as error:
            self.unread.append(path)
            return _not_read(error.lineno or 1, "it is neither Python 3 nor Python 2: {}".format(error.msg))
        self.unread.append(path)
        return _not_read(1, why)

    def _bound_in(self, module: str) -> Dict[str, Meanings]:
        return self.read(module).bound if module.endswith(".py") else {}

    def _module(self, importer: str, name: str, level: int) -> Optional[str]:
        """Returns the path of the script's own module `name`: its file, or its folder if it has no __init__.py."""
        found = module_file(importer, name, level, [os.path.dirname(importer), self.root])
        if found is not None or level:
            return found
        # As `run` does: what PYTHONPATH has is the script's, unless it is installed there.
        found = module_file(importer, name, 0, _python_path())
        if found is None or not self.run.owns(os.path.abspath(found)) or _is_hidden(found, name.partition(".")[0]):
            return None
        return _shown(os.path.abspath(found))


def _python_path() -> List[str]:
    """Returns the folders of PYTHONPATH; an empty entry is the working directory."""
    entries = os.environ.get("PYTHONPATH", "")
    return [each or os.curdir for each in entries.split(os.pathsep)] if entries else []


def _is_hidden(path: str, package: str) -> bool:
    """Returns whether `import package` finds other files: those with __init__.py go before folders without one."""
    spec = importlib.machinery.PathFinder.find_spec(package)
    if spec is None or spec.origin in (None, "namespace"):
        return False
    folders = spec.submodule_search_locations or ()
    return not any(os.path.abspath(path).startswith(os.path.abspath(folder) + os.sep) for folder in folders) and (
        os.path.abspath(path) != os.path.abspath(str(spec.origin))
    )


def _not_read(line: int, why: str) -> Found:
    return Found([], [NotUnderstood(line, why)], {})


def _findings(path: str, found: Found) -> List[Finding]:
    # The `try` statements with a missing name in the body: their handlers run.
    failed = {
        number for use in found.uses if _best(use.meanings).missing is not None for number in use.guarded_by
    }
    findings = []
    for use in found.uses:
        found_status = _best(use.meanings)
        is_reached = all(number in failed for number in use.fallback_of)
        if is_reached and (found_status.is_removed or found_status.missing is not None):
            findings.append(Finding(path, use.line, use.column, found_status, bool(use.guarded_by), use.only_if))
    return sorted(_unique(findings), key=lambda each: (each.line, each.column))


def _best(names: Tuple[str, ...]) -> status.Status:
    """Returns the status of a name that may refer to several: it is missing only if each of them is."""
    found = [status.of_name(name) for name in names]
    there = [each for each in found if each.missing is None]
    return there[0] if there else found[0]


def _unique(findings: List[Finding]) -> List[Finding]:
    """Keeps one finding per name and line."""
    seen = set()
    kept = []
    for each in findings:
        if (each.line, each.status.name) not in seen:
            seen.add((each.line, each.status.name))
            kept.append(each)
    return kept
