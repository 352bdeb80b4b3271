"""Examples that are one file each, such as images."""
import functools
from typing import Any, Callable, List, Optional

from legacy_towers.compat import tf
from legacy_towers.data import files as files_
from legacy_towers.data.sources import IndexSource, Raw
from legacy_towers.errors import InputError


class WholeFiles(IndexSource):
    """One example per file. A record is the index of a file.

    Indices are shuffled instead of contents, and files are read where they are parsed, several in parallel. (A
    WholeFileReader would read them one by one, and a shuffle buffer would hold thousands of files.)
    """

    def __init__(self, files: files_.Files, parse: Callable[[Any, Any], Any]) -> None:
        self._paths = files_.find_files(files)
        self.paths = self._paths
        self._folder = files_.shared_folder(self._paths)
        empty = files_.empty_files(self._paths)
        if empty:
            raise InputError("empty files: {}; each file is an example, so leave these out".format(
                files_.name_some(empty)
            ))
        self._parse = parse

    def describe(self) -> str:
        plural = "s" if len(self._paths) > 1 else ""
        return "{} whole file{} ({})".format(len(self._paths), plural, files_.name_some(self._paths))

    def count(self) -> int:
        return len(self._paths)

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        paths = tf.constant(self._paths, name="paths")

        def example(index: Any) -> Any:
            path = tf.gather(paths, index)
            return self._parse(path, tf.io.read_file(path))

        return example

    def queue_readers_with_ids(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        def with_id(read: Callable[[], Any]) -> Any:
            index = tf.cast(read(), tf.int64)
            return index, index

        return [functools.partial(with_id, read) for read in self.queue_readers(readers, shuffle, seed, epochs)]

    def name_of(self, example_id: int) -> str:
        return files_.without_folder(self._paths[example_id], self._folder)

    def place_of(self, record: Raw) -> str:
        return self._paths[record.id]
