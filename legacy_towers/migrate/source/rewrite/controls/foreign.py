"""Modules that a project imports and that were not read with it: they may have queues or local variables."""
import os
from typing import Dict, Iterable, List, NamedTuple, Optional, Set

from legacy_towers.migrate.source.files import imported_names
from legacy_towers.migrate.source.names import canonical_name
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.python_modules import PYTHON_MODULES
from legacy_towers.run.source_files import module_file, read_source

# Packages without queues or local variables of TensorFlow 1.
_KNOWN = frozenset(
    "absl attr blessings bs4 caffe chainer click cloudpickle colorlog cv2 dateutil dill dlib docopt easydict exifread "
    "ffmpeg fire future gensim google gym h5py horovod imageio imgaug inflect jieba joblib jsonlines keras librosa "
    "lmdb matplotlib mock moviepy mpi4py mpl_toolkits msgpack munch mxnet nibabel nltk numba numpy pandas past PIL "
    "prettytable progress progressbar psutil pycocotools pydicom pydub pylab pytest pytz pyworld pywt rasterio "
    "redis requests scikits scipy seaborn shapely SimpleITK simplejson six skimage sklearn skvideo soundfile spacy "
    "tabulate tensorboard tensorboardX termcolor theano tifffile toml torch torchvision tqdm ujson unidecode wget "
    "xmltodict yaml zmq".split()
)


class Imported(NamedTuple):
    """What programs import, directly or not.

    Attributes:
      sources: path -> the content of the files of these programs.
      unknown: the names of modules that are not found beside the project, and of which nothing is known.
    """

    sources: Dict[str, bytes]
    unknown: Set[str]


class ModuleGraph:
    """Which file imports which, files that were not read with the project included.

    Args:
      project: the project.
    """

    def __init__(self, project: Project) -> None:
        self.sources = {path: file.source for path, file in project.files.items()}
        self.imports: Dict[str, Set[str]] = {}
        self.unknown: Dict[str, Set[str]] = {}
        self._project = project
        self._root = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in self.sources] or ["/"])
        waiting = sorted(self.sources)
        while waiting:
            waiting += self._read(waiting.pop())

    def _read(self, path: str) -> List[str]:
        """Adds the imports of a file; returns the files that are new."""
        new: List[str] = []
        self.imports[path], self.unknown[path] = set(), set()
        for name, level in imported_names(self.sources[path]):
            module = self._module(path, name, level)
            if module is None:
                if not self._is_known(path, name, level):
                    self.unknown[path].add("." * level + name)
                continue
            self.imports[path].add(module)
            if module not in self.sources:
                self.sources[module] = read_source(module) if os.path.isfile(module) else b""
                new.append(module)
        return new

    def _module(self, path: str, name: str, level: int) -> Optional[str]:
        """Returns the path of a module beside the project or of it."""
        return module_file(path, name, level, _folders(path, self._root)) or self._project.imports.module(
            path, name, level
        )

    def _is_known(self, path: str, name: str, level: int) -> bool:
        """Returns whether an import that is not found has no queues, or is of a name in a module that is found."""
        top = name.partition(".")[0]
        if not level and (canonical_name(name) is not None or top in _KNOWN or top in PYTHON_MODULES):
            return True
        above = name.rpartition(".")[0]
        return bool(above or level) and self._module(path, above, level) is not None

    def imported(self, paths: Iterable[str]) -> Imported:
        """Returns what the programs that use some files import, as it is on disk.

        Args:
          paths: the files: what they import counts, and what the files of the project import that import them.
        """
        programs = self._reached(paths, self._importers())
        reached = self._reached(programs, self.imports)
        return Imported(
            {path: self.sources[path] for path in reached},
            set().union(*(self.unknown[path] for path in reached)),
        )

    def _importers(self) -> Dict[str, Set[str]]:
        found: Dict[str, Set[str]] = {}
        for path, modules in self.imports.items():
            for module in modules:
                found.setdefault(module, set()).add(path)
        return found

    @staticmethod
    def _reached(paths: Iterable[str], edges: Dict[str, Set[str]]) -> Set[str]:
        found = set(paths)
        waiting = list(found)
        while waiting:
            for each in edges.get(waiting.pop(), ()):
                if each not in found:
                    found.add(each)
                    waiting.append(each)
        return found


def _folders(path: str, root: str) -> List[str]:
    """Returns the folder of a file and those above it, up to `root`."""
    folder = os.path.dirname(path)
    folders = [folder]
    while os.path.abspath(folder) != root and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        folders.append(folder)
    return folders
