"""Examples that are a file each, such as images."""
from typing import Any, Callable, Iterator, List, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.examples import files as files_
from legacy_towers.examples.sources import Source


class WholeFiles(Source):
    """One example per file; a record is a file's number, and so is its id.

    So the order is mixed before anything is read, and files are read where they are parsed, several at a time. (A
    WholeFileReader would read one after the other, and a shuffling queue or buffer would hold thousands of files.)
    """

    def __init__(self, files: files_.Files, parse: Callable[[Any, Any], Any]) -> None:
        self._paths = files_.find_files(files)
        self._folder = files_.shared_folder(self._paths)
        empty = files_.empty_files(self._paths)
        if empty:
            raise InputError("empty: {}: each file is an example here, leave such files out".format(
                files_.name_some(empty)
            ))
        self._parse = parse

    def describe(self) -> str:
        plural = "s" if len(self._paths) > 1 else ""
        return "{} whole file{} ({})".format(len(self._paths), plural, files_.name_some(self._paths))

    def known_count(self) -> Optional[int]:
        return len(self._paths)

    def count(self) -> int:
        return len(self._paths)

    def shuffle_buffer(self, asked: int) -> int:
        return len(self._paths)  # numbers are so cheap that every shuffle is a full one

    def records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        return tf.data.Dataset.range(len(self._paths))

    def queue_record(self, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> Any:
        return self.queue_records(1, shuffle, seed, epochs)[0]

    def queue_records(self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> List[Any]:
        queue = tf.train.range_input_producer(len(self._paths), num_epochs=epochs, shuffle=shuffle, seed=seed)
        return [queue.dequeue() for _ in range(readers)]

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        paths = tf.constant(self._paths, name="paths")

        def example(number: Any) -> Any:
            path = tf.gather(paths, number)
            return self._parse(path, tf.io.read_file(path))

        return example

    def numbered_records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        twice = tf.autograph.experimental.do_not_convert(lambda number: (number, number))
        return self.records(shuffle_files, seed).map(twice)

    def numbered_queue_records(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Any]:
        numbers = [tf.cast(record, tf.int64) for record in self.queue_records(readers, shuffle, seed, epochs)]
        return [(number, number) for number in numbers]

    def numbered_queue_record(self, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> Any:
        return self.numbered_queue_records(1, shuffle, seed, epochs)[0]

    def ids(self) -> Iterator[int]:
        return iter(range(len(self._paths)))

    def name_of(self, number: int) -> str:
        return files_.without_folder(self._paths[number], self._folder)
