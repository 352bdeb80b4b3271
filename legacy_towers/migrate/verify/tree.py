"""A copy of a project's folder in which a command can run: Python files are copied, large files are linked."""
import os
import shutil
from typing import Dict, List, Sequence, Tuple

_LEFT_OUT = frozenset([".git", ".hg", ".svn", "__pycache__", ".tox", ".mypy_cache", ".pytest_cache", "node_modules"])
_MOST_BYTES = 1 << 20
_MOST_ENTRIES = 20000
_MOST_ENTRIES_OF_FOLDER = 2000


class Tree:
    """A copy of folders.

    Python files, and other files of up to 1 MiB, are copied, larger ones are linked. A folder that has more than 2,000
    entries and no rewritten file is one link, and so are all folders after 20,000 entries: data is not copied. What a
    command writes stays in the copy, unless it changes a linked file or writes into a linked folder.

    Args:
      folder: an empty folder for the copy.
      roots: the folders to copy.
      texts: path of a file -> its text in the copy.
    """

    def __init__(self, folder: str, roots: Sequence[str], texts: Dict[str, str]) -> None:
        self._texts = {os.path.realpath(path): text for path, text in texts.items()}
        self._count = 0
        real = sorted({os.path.realpath(root) for root in roots}, key=len)
        self._roots = [
            (root, os.path.join(folder, str(number)))
            for number, root in enumerate(real)
            if not any(_is_below(root, other) for other in real if other != root)
        ]
        for root, copy in self._roots:
            self._copy_folder(root, copy)

    def path_of(self, path: str) -> str:
        """Returns the path in the copy of a path in the folders; other paths stay as they are."""
        absolute = os.path.abspath(path)
        # The file itself may be a link: only its folder is resolved.
        real = os.path.join(os.path.realpath(os.path.dirname(absolute)), os.path.basename(absolute))
        for candidate in (os.path.realpath(absolute) if os.path.isdir(absolute) else real, os.path.realpath(absolute)):
            for root, copy in self._roots:
                if candidate == root or _is_below(candidate, root):
                    return os.path.normpath(os.path.join(copy, os.path.relpath(candidate, root)))
        return path

    def original_of(self, path: str) -> str:
        """Returns the path that a path in the copy stands for; other paths stay as they are."""
        for root, copy in self._roots:
            real = os.path.realpath(copy)
            for each in (copy, real):
                if path == each or _is_below(path, each):
                    return os.path.normpath(os.path.join(root, os.path.relpath(path, each)))
        return path

    def _copy_folder(self, folder: str, copy: str) -> None:
        waiting: List[Tuple[str, str]] = [(folder, copy)]
        while waiting:
            source, target = waiting.pop(0)
            entries = sorted(os.listdir(source))
            is_needed = source == folder or any(_is_below(path, source) for path in self._texts)
            self._count += len(entries)
            if not is_needed and (len(entries) > _MOST_ENTRIES_OF_FOLDER or self._count > _MOST_ENTRIES):
                os.symlink(source, target)
                continue
            os.mkdir(target)
            for name in entries:
                path, copied = os.path.join(source, name), os.path.join(target, name)
                if name in _LEFT_OUT or _is_environment(path):
                    continue
                if os.path.isdir(path) and not os.path.islink(path):
                    waiting.append((path, copied))
                else:
                    self._copy_file(path, copied, folder)

    def _copy_file(self, path: str, copied: str, root: str) -> None:
        if os.path.realpath(path) in self._texts and os.path.isfile(path):
            # As it is: with the line ends of the text.
            with open(copied, "w", encoding="utf-8", newline="") as file:
                file.write(self._texts[os.path.realpath(path)])
            shutil.copymode(path, copied)
        elif os.path.islink(path) and _is_below(os.path.realpath(path), root) and not os.path.isabs(os.readlink(path)):
            os.symlink(os.readlink(path), copied)
        elif os.path.isfile(path) and (path.endswith(".py") or os.path.getsize(path) <= _MOST_BYTES):
            shutil.copy(path, copied)
        else:
            os.symlink(os.path.realpath(path), copied)


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.path.sep) + os.path.sep)


def _is_environment(path: str) -> bool:
    return os.path.isfile(os.path.join(path, "pyvenv.cfg"))
