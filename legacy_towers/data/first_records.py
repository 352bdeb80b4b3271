"""The first records of any source, read once and held in memory: the same examples again and again."""
import functools
from typing import Any, Callable, Iterator, List, Optional, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.data.arrays import Arrays
from legacy_towers.data.sources import IndexSource, Source, record_parts
from legacy_towers.data.with_ids import WithIds
from legacy_towers.tensor_types import Dataset


def first_records(source: Source, most: int) -> Source:
    """Returns a source of the first `most` records of a source, with the same ids, examples and order."""
    if isinstance(source, Arrays):
        return FirstRows(source, most)
    if isinstance(source, WithIds):
        return WithIds(first_records(source.source, most))
    return FirstRecords(source, most)


class FirstRows(Arrays):
    """The first rows of arrays: views of them, which every input pipeline reads as it reads arrays."""

    def __init__(self, source: Arrays, most: int) -> None:
        super().__init__(structure.map_leaves(lambda rows: rows[:most], source.arrays))
        self._source = source

    def describe(self) -> str:
        return "the first {:,} of {}".format(self.count(), self._source.describe())


class FirstRecords(IndexSource):
    """The first `most` records of a source, which is read when they are first needed. A record is an index.

        the source's records      r0   r1   r2   r3   r4 ...
        these records (most=3)     0    1    2               each is parsed as the source's
        their ids                 those of the source's first three
    """

    def __init__(self, source: Source, most: int) -> None:
        self._source = source
        self._most = most
        self.can_be_sharded = source.can_be_sharded
        self.has_queue = source.has_queue
        self.skipped = source.skipped
        self._content: Optional[Tuple[List[int], List[Any], List[Any]]] = None

    def describe(self) -> str:
        return "the first {:,} of {}".format(self.count(), self._source.describe())

    def count(self) -> int:
        return len(self._read()[0])

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        parse = self._source.parser(in_variables)
        _, records, specs = self._read()

        def example(index: Any) -> Any:
            parts = tf.numpy_function(lambda at: records[int(at)], [index], [spec.dtype for spec in specs])
            for part, spec in zip(parts, specs):
                part.set_shape(spec.shape)
            return parse(*parts)

        return example

    def records_with_ids(self, shuffle_files: bool, seed: Any) -> Dataset:
        ids = tf.constant(self._read()[0], tf.int64)
        pair = tf.autograph.experimental.do_not_convert(lambda index: (tf.gather(ids, index), index))
        return self.records(shuffle_files, seed).map(pair)

    def queue_readers_with_ids(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        ids = tf.constant(self._read()[0], tf.int64)

        def with_id(read: Callable[[], Any]) -> Any:
            index = read()
            return tf.gather(ids, index), index

        return [functools.partial(with_id, read) for read in self.queue_readers(readers, shuffle, seed, epochs)]

    def ids(self) -> Iterator[int]:
        return iter(self._read()[0])

    def name_of(self, example_id: int) -> str:
        return self._source.name_of(example_id)

    def _read(self) -> Tuple[List[int], List[Any], List[Any]]:
        """Returns ids, records (a list of numpy values each), and the specs of a record's parts."""
        if self._content is None:
            with tf.Graph().as_default(), tf.device("/cpu:0"):
                dataset = self._source.records_with_ids(False, None).take(self._most)
                specs = list(record_parts(dataset.element_spec[1]))
                iterator = tf.data.make_initializable_iterator(dataset)
                following = iterator.get_next()
                ids, records = [], []
                with tf.Session() as session:
                    session.run(iterator.initializer)
                    while True:
                        try:
                            example_id, record = session.run(following)
                        except tf.errors.OutOfRangeError:
                            break
                        ids.append(int(example_id))
                        records.append([_array(part) for part in record_parts(record)])
            self._content = ids, records, specs
        return self._content


def _array(part: Any) -> Any:
    """Returns a value as `tf.numpy_function` takes it: strings as an array of objects."""
    return np.asarray(part, dtype=object) if isinstance(part, bytes) else np.asarray(part)
