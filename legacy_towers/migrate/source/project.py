"""Reads a project: which files have queues or use those that do, and the calls of queues in them."""
import os
import re
from typing import Dict, List, NamedTuple, Optional, Pattern, Sequence, Set, Tuple

from legacy_towers.migrate.source.files import SourceFile, find_files, imported_names, parsed, without_comments
from legacy_towers.migrate.source.knowledge import Knowledge
from legacy_towers.migrate.source.python_modules import PYTHON_MODULES
from legacy_towers.migrate.source.queue_api import NEEDLES
from legacy_towers.migrate.source.scopes import Lookups
from legacy_towers.migrate.source.statements import StatementReader
from legacy_towers.migrate.source.values import Site
from legacy_towers.run.deep_trees import deep_recursion
from legacy_towers.run.source_files import module_file

# A reading follows values through at least one more call; functions for which nothing has changed are not read again.
# Where some expression may be too many things, the result is incomplete anyway.
_MOST_READINGS, _MOST_LIMITED_READINGS = 24, 8


class Project(NamedTuple):
    """A project that was read.

    Attributes:
      files: path -> the file, for those that have queues or that use or are used by such files.
      sites: the calls of queues, in the order of files and lines.
      knowledge: what names are bound to, and what functions take and return.
      unread: the files that could not be read.
      notebooks: paths of notebooks, which are not read.
      found: the number of files that were found.
      imports: which file imports which, of all that were found.
    """

    files: Dict[str, SourceFile]
    sites: List[Site]
    knowledge: Knowledge
    unread: List[SourceFile]
    notebooks: List[str]
    found: int
    imports: "Imports"

    def sources(self, site: Site) -> List[Site]:
        """Returns the calls whose results `site` takes, through variables, functions, attributes and modules."""
        found = []
        for values in site.arguments.values():
            for each in self.knowledge.resolved(values):
                if each.kind in ("made", "method") and each.what is not site and each.what not in found:
                    found.append(each.what)
        return sorted(found, key=position)


def position(site: Site) -> Tuple[str, int, int, str]:
    """Returns the key that sorts calls by file and line."""
    return (site.path, site.line, site.column, site.name)


def read_project(paths: Sequence[str]) -> Project:
    """Reads the Python files of files and folders.

    A file that has none of the names of queues in its text, and neither imports nor is imported by one that has, is not
    parsed: there is nothing to find in it.

    Raises:
      UserError: a path does not exist, is not a Python file, or no path has a .py file.
    """
    found = find_files(paths)
    roots = [path if os.path.isdir(path) else os.path.dirname(path) for path in paths]
    imports = Imports(found.python, [os.path.normpath(root) if root else "" for root in roots])
    return _read(imports, found.unread, found.notebooks)


def with_sources(project: Project, sources: Dict[str, bytes]) -> Project:
    """Returns a project as `read_project` does, with other bytes for some of its files.

    Args:
      project: the project.
      sources: path -> the bytes.
    """
    unread = [each for each in project.unread if each.path not in project.files]
    return _read(project.imports.with_sources(sources), unread, project.notebooks)


def _read(imports: "Imports", unread: List[SourceFile], notebooks: List[str]) -> Project:
    knowledge = Knowledge(imports.with_queues)
    files = {path: parsed(path, imports.sources[path]) for path in imports.related()}
    unread = unread + [file for file in files.values() if file.problem is not None]
    lookups = Lookups(module=imports.module, scope=lambda path: knowledge.scopes.setdefault(path, {}))
    trees = knowledge.trees = {path: file.tree for path, file in files.items() if file.tree is not None}
    with deep_recursion():
        for number in range(_MOST_READINGS):
            knowledge.grew = False
            knowledge.forget_resolved()
            for path, tree in trees.items():
                StatementReader(path, knowledge, lookups).read(tree)
            if not knowledge.grew or knowledge.limited and number + 1 >= _MOST_LIMITED_READINGS:
                break
    knowledge.forget_resolved()
    sites = sorted(knowledge.sites.values(), key=position)
    found = len(imports.sources) + len([each for each in unread if each.path not in files])
    return Project(files, sites, knowledge, unread, notebooks, found, imports)


def _is_below(folder: str, root: str) -> bool:
    """Returns whether a folder is below another one; "" and "." are the working directory."""
    if root in ("", "."):
        return folder not in ("", ".") and not os.path.isabs(folder) and not folder.startswith("..")
    return folder.startswith(os.path.join(root, "")) and folder != root


class Imports:
    """Which file imports which, by the text of the files.

    Args:
      sources: path -> the bytes of the file.
      roots: the folders that modules are searched in, after those of the file and above it.

    Attributes:
      sources: path -> the bytes of the file.
      with_queues: the paths of the files whose text has names of queues.
    """

    def __init__(self, sources: Dict[str, bytes], roots: List[str]) -> None:
        self.sources = sources
        self._roots = roots
        self._known: Dict[Tuple[str, str, int], Optional[str]] = {}
        # Package that is not found -> the folder that was it, and what the project imports from it.
        self._renamed: Dict[str, Optional[str]] = {}
        self._dotted: Dict[str, Set[str]] = {}
        self._by_name: Dict[str, List[str]] = {}
        for path in sorted(sources):
            self._by_name.setdefault(os.path.splitext(os.path.basename(path))[0], []).append(path)
        self.with_queues = {path for path, source in sources.items() if re.search(NEEDLES, source) is not None}

    def with_sources(self, sources: Dict[str, bytes]) -> "Imports":
        """Returns these imports with other bytes for some files."""
        return Imports(dict(self.sources, **sources), self._roots)

    def module(self, importer: str, name: str, level: int) -> Optional[str]:
        """Returns the path of the module of the project that an import statement names, None if it is another's."""
        key = (os.path.dirname(importer), name, level)
        if key not in self._known:
            folders = self._folders(importer)
            found = module_file(importer, name, level, folders)
            if found is None and not level:
                found = self._below_itself(importer, name, folders) or self._below_root(name) or self._only(name)
            self._known[key] = found
        return self._known[key]

    @staticmethod
    def _below_itself(importer: str, name: str, folders: List[str]) -> Optional[str]:
        """Returns the path of `package.module`, imported by a file below the folder `package`."""
        package, _, below = name.partition(".")
        if not below or name.endswith(".py") or os.sep in name:
            return None
        named = [each for each in folders if os.path.basename(os.path.abspath(each)) == package]
        return module_file(importer, below, 0, named)

    def _below_root(self, name: str) -> Optional[str]:
        """Returns the path of `package.module` in a folder that was the package, and has another name."""
        package, _, below = name.partition(".")
        if not below or name.endswith(".py") or os.sep in name:
            return None
        if package not in self._renamed:
            self._renamed[package] = self._root_of(package)
        root = self._renamed[package]
        return None if root is None else module_file("", below, 0, [root])

    def _only(self, name: str) -> Optional[str]:
        """Returns the only file of the project that can be the module `name`, which no folder of the importer has.

        The importer finds it by PYTHONPATH or sys.path, or stood beside it before it was moved.
        """
        files = self._by_name.get(name, ())
        return files[0] if len(files) == 1 and name not in PYTHON_MODULES else None

    def _root_of(self, package: str) -> Optional[str]:
        """Returns the folder that has all modules that the project imports from a package, at least three.

        One of them is in a folder, so that `keras.models` and `keras.utils` are not models.py and utils.py.
        """
        if not self._dotted:
            for source in self.sources.values():
                for name, level in imported_names(source):
                    if not level and "." in name:
                        self._dotted.setdefault(name.partition(".")[0], set()).add(name.partition(".")[2])
        for root in self._roots:
            found = set()
            for below in sorted(self._dotted.get(package, ())):
                path = module_file("", below, 0, [root])
                # Or what a module or folder has: `from package.module import name`.
                if path is None and module_file("", below.rpartition(".")[0], 0, [root]) is None:
                    break
                found.add(path)
            else:
                modules = [each for each in found if each is not None and each.endswith(".py")]
                if len(modules) >= 3 and any(os.path.dirname(each) not in (root, "") for each in modules):
                    return root
        return None

    def unresolved(self, path: str, name: str) -> Optional[str]:
        """Returns a file that may use `name` of the module at `path`, by an import whose module is not found.

        Such a file changes sys.path, or the project is installed as a package with another name.
        """
        stem = os.path.splitext(os.path.basename(path))[0]
        if stem == "__init__":
            stem = os.path.basename(os.path.dirname(os.path.abspath(path)))
        mentioned = re.compile(rb"\b" + re.escape(name.encode("utf-8")) + rb"\b")
        for other, source in sorted(self.sources.items()):
            if other == path or stem.encode("utf-8") not in source or mentioned.search(source) is None:
                continue
            if mentioned.search(without_comments(source)) is None:
                continue
            for dotted, level in imported_names(source):
                above, _, last = dotted.rpartition(".")
                if last == stem and not dotted.startswith("tensorflow.") and not any(
                    each and self.module(other, each, level) is not None for each in (dotted, above)
                ):
                    return other
        return None

    def has(self, path: str, pattern: Pattern[bytes]) -> bool:
        """Returns whether a file that `path` imports, directly or not, has a pattern in its text."""
        return any(pattern.search(self.sources[each]) is not None for each in self._reached(path))

    def reaches(self, path: str, other: str) -> bool:
        """Returns whether a file imports another one, directly or not."""
        return other in self._reached(path)

    def _reached(self, path: str) -> Set[str]:
        """Returns the files that a file imports, directly or not, without itself."""
        reached = {path}
        waiting = [path]
        while waiting:
            current = waiting.pop()
            new = self._imported(current, self.sources[current]) - reached
            reached |= new
            waiting += sorted(new)
        return reached - {path}

    def _folders(self, importer: str) -> List[str]:
        """Returns the folder of the file and those above it, up to the folder that was named."""
        folder = os.path.dirname(importer)
        folders = [folder]
        while any(_is_below(folder, root) for root in self._roots):
            folder = os.path.dirname(folder)
            folders.append(folder)
        return folders + [root for root in self._roots if root not in folders]

    def related(self) -> List[str]:
        """Returns the files with queues, those that import them, directly or not, and those that these import."""
        imported = {path: self._imported(path, source) for path, source in self.sources.items()}
        importers: Dict[str, Set[str]] = {}
        for path, others in imported.items():
            for other in others:
                importers.setdefault(other, set()).add(path)
        kept = set(self.with_queues)
        waiting = list(kept)
        while waiting:
            for importer in importers.get(waiting.pop(), ()):
                if importer not in kept:
                    kept.add(importer)
                    waiting.append(importer)
        below = set(kept)
        for path in kept:
            below |= imported[path]
        # Imported modules first: what they bind is then known.
        return self._in_order(sorted(below), imported)

    def _imported(self, path: str, source: bytes) -> Set[str]:
        found = {self.module(path, name, level) for name, level in imported_names(source)}
        return {each for each in found if each in self.sources and each != path}

    @staticmethod
    def _in_order(paths: List[str], imported: Dict[str, Set[str]]) -> List[str]:
        wanted = set(paths)
        done: Set[str] = set()
        order: List[str] = []
        for path in paths:
            stack = [(path, iter(sorted(imported[path])))] if path not in done else []
            done.add(path)
            while stack:
                current, others = stack[-1]
                other = next((each for each in others if each in wanted and each not in done), None)
                if other is None:
                    order.append(current)
                    stack.pop()
                else:
                    done.add(other)
                    stack.append((other, iter(sorted(imported[other]))))
        return order
