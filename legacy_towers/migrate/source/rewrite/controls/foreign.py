"""Modules that a project imports and that were not read with it: they may have queues or local variables."""
import os
from typing import Dict, List, NamedTuple, Set

from legacy_towers.migrate.source.files import imported_names
from legacy_towers.migrate.source.names import canonical_name
from legacy_towers.migrate.source.project import Project
from legacy_towers.run.source_files import module_file, read_source

# Packages without queues or local variables of TensorFlow 1, and the modules of Python itself.
_KNOWN = frozenset(
    "PIL absl cv2 h5py imageio imgaug joblib keras librosa lmdb matplotlib mock nltk numba numpy pandas past future "
    "prettytable progressbar psutil pycocotools pydub pytest requests scipy seaborn simplejson six skimage sklearn "
    "soundfile tabulate termcolor toml tqdm ujson xmltodict yaml".split()
)
_PYTHON = frozenset(
    "Queue StringIO __builtin__ __future__ _thread abc argparse array ast asyncio atexit base64 bisect builtins bz2 "
    "cPickle cProfile cStringIO calendar cmath codecs collections colorsys concurrent configparser ConfigParser "
    "contextlib copy copy_reg copyreg csv ctypes dataclasses datetime decimal difflib dis distutils email enum errno "
    "faulthandler fcntl fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob gzip hashlib heapq "
    "hmac html http imghdr importlib inspect io itertools json keyword linecache locale logging lzma marshal math "
    "mimetypes mmap multiprocessing numbers operator optparse os pathlib pdb pickle pickletools pkgutil platform "
    "pprint pstats queue random re readline reprlib resource sched select shelve shlex shutil signal site smtplib "
    "socket sqlite3 ssl stat statistics string struct subprocess sys sysconfig syslog tarfile telnetlib tempfile "
    "textwrap thread threading time timeit tkinter token tokenize trace traceback types typing unicodedata unittest "
    "urllib urllib2 urlparse uuid warnings wave weakref webbrowser xml zipfile zlib".split()
)


class Imported(NamedTuple):
    """What the files of a project import, directly or not.

    Attributes:
      sources: path -> the content of the files, those of the project included.
      unknown: the names of modules that are not found beside the project, and of which nothing is known.
    """

    sources: Dict[str, bytes]
    unknown: Set[str]


def imported_modules(project: Project) -> Imported:
    """Returns what the files of a project import, as it is on disk."""
    found = Imported({path: file.source for path, file in project.files.items()}, set())
    if not found.sources:
        return found
    root = os.path.commonpath([os.path.dirname(path) or "." for path in found.sources])
    waiting = sorted(found.sources)
    while waiting:
        path = waiting.pop()
        for name, level in imported_names(found.sources[path]):
            module = module_file(path, name, level, _folders(path, root))
            if module is None:
                if not _is_known(path, name, level, root):
                    found.unknown.add("." * level + name)
            elif module not in found.sources:
                found.sources[module] = read_source(module) if os.path.isfile(module) else b""
                waiting.append(module)
    return found


def _folders(path: str, root: str) -> List[str]:
    """Returns the folder of a file and those above it, up to `root`."""
    folder = os.path.dirname(path)
    folders = [folder]
    while folder and os.path.normpath(folder) != os.path.normpath(root) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        folders.append(folder)
    return folders


def _is_known(path: str, name: str, level: int, root: str) -> bool:
    top, _, below = name.partition(".")
    if not level and (canonical_name(name) is not None or top in _KNOWN or top in _PYTHON):
        return True
    # `from module import name`: what is in a module that is found.
    above = name.rpartition(".")[0]
    return bool(above or level) and module_file(path, above, level, _folders(path, root)) is not None
