"""Names the file and the record in errors of reading and parsing, which TensorFlow's messages lack."""
import contextlib
import functools
import os
import re
import time
from typing import Any, Iterator, List, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.messages import plain_message
from legacy_towers.data.record_check import RecordCheck
from legacy_towers.data.sources import Raw, Source
from legacy_towers.errors import RecordError

# Seconds that the search for a bad record may take after an error.
SEARCH_SECONDS = 60.0
_CHUNK = 256
# Errors that end data or a session, or come from too little memory.
_NOT_OF_DATA = (
    tf.errors.OutOfRangeError, tf.errors.CancelledError, tf.errors.AbortedError, tf.errors.UnavailableError,
    tf.errors.ResourceExhaustedError,
)
_ITERATOR = re.compile(r"^(IteratorGetNext(Sync|AsOptional)?|MultiDeviceIteratorGetNextFromShard)$")
_OF_SHAPES = re.compile(r"shape", re.IGNORECASE)


@contextlib.contextmanager
def naming_records(examples: Any, only_of_input: bool = True) -> Iterator[None]:
    """Raises errors of reading or parsing these examples, in the block inside, as errors that name file and record.

        with lt.inputs.naming_records(examples):
            session.run(step.train_op)

    After the error, the data is read once more, in order, in a session of its own, up to the first record that can't be
    read or parsed; that takes at most a minute.

    Args:
      examples: an `lt.Examples`.
      only_of_input: whether to search only if the operation that failed reads data: not after errors of the model.

    Raises:
      RecordError: a record or a file can't be read or parsed; also an instance of the class of TensorFlow's error.
    """
    try:
        yield
    except tf.errors.OpError as error:
        named = named_error(examples, error, only_of_input)
        if named is None:
            raise
        raise named from None


def named_error(examples: Any, error: BaseException, only_of_input: bool = True) -> Optional[RecordError]:
    """Returns an error that names the file and the record that `error` comes from; None if it comes from no record.

    Args:
      examples, only_of_input: see `naming_records`.
    """
    source: Source = examples.source
    if not isinstance(error, tf.errors.OpError) or isinstance(error, _NOT_OF_DATA + (RecordError,)):
        return None
    if source.skipped is not None and source.skipped.error is not None:
        return _like(error, str(source.skipped.error))
    if source.log is not None and source.log.error is not None:
        return _like(error, str(source.log.error))
    is_damage = isinstance(error, tf.errors.DataLossError)
    if only_of_input and not is_damage and not _is_of_input(error):
        return None
    message = plain_message(error)
    for path in source.paths:
        if "://" not in path and not os.path.isfile(path):
            return _like(error, "{} can't be read: it was there when the run began, and is not any more".format(path))
        if "://" not in path and not os.access(path, os.R_OK):
            return _like(error, "{} can't be read: this user has no permission any more".format(path))
    if source.record_dtype is None:
        return None
    found = _search(examples, source, message, is_damage)
    if found is not None:
        return _like(error, "{}: {}; to leave such records out, use --skip-bad-records or "
                            "examples.skip_bad_records".format(*found))
    if is_damage:
        return _like(error, "{}, while reading {}".format(message, examples.describe()))
    return None


def _is_of_input(error: Any) -> bool:
    if error.op is None:
        return True
    # Our input pipelines are in this scope; where they are in another one, it is part of the name.
    return bool(_ITERATOR.match(error.op.type)) or "inputs" in re.sub(r"_\d+(?=/)", "", error.op.name).split("/")[:-1]


def _search(examples: Any, source: Source, message: str, is_damage: bool) -> Optional[Tuple[str, str]]:
    """Returns place and problem of the first bad record; None if there is none, or none in time."""
    check = RecordCheck(source.record_dtype, lambda: source.parser_of_values(examples.parser()))
    search = _Search(source, check, bool(_OF_SHAPES.search(message)))
    try:
        if is_damage:  # without parsing, first
            found = search(parse=False)
            if found is not None:
                return found
        return search(parse=True)
    except (OSError, tf.errors.OpError) as error:
        text = plain_message(error) if isinstance(error, tf.errors.OpError) else str(error)
        return search.path or source.describe(), text
    finally:
        check.close()


class _Search:
    """Reads all records of a source up to the first bad one."""

    def __init__(self, source: Source, check: RecordCheck, by_shape: bool) -> None:
        self.path = ""
        self._source = source
        self._check = check
        self._by_shape = by_shape
        self._end = time.monotonic() + SEARCH_SECONDS
        self._first_shapes: Optional[List[str]] = None

    def __call__(self, parse: bool) -> Optional[Tuple[str, str]]:
        other_shape: Optional[Tuple[str, str]] = None
        for index in range(self._source.number_of_files()):
            self.path = self._source.paths[index] if index < len(self._source.paths) else ""
            for chunk in _chunks(self._source.read_file(index)):
                if time.monotonic() > self._end:
                    return other_shape
                found = self._first_bad(chunk) if parse else _first_damaged(chunk)
                if found is not None:
                    return self._source.place_of(found[0]), found[1]
                if parse and self._by_shape and other_shape is None:
                    other_shape = self._other_shape(chunk)
        return other_shape

    def _first_bad(self, chunk: List[Raw]) -> Optional[Tuple[Raw, str]]:
        damaged = _first_damaged(chunk)
        readable = chunk if damaged is None else chunk[:chunk.index(damaged[0])]
        problems = self._check.problems([record.value for record in readable]) if readable else []
        return next(((record, problem) for record, problem in zip(readable, problems) if problem), damaged)

    def _other_shape(self, chunk: List[Raw]) -> Optional[Tuple[str, str]]:
        for record, shapes in zip(chunk, self._check.shapes([record.value for record in chunk])):
            if shapes is None:
                continue
            self._first_shapes = self._first_shapes or shapes
            for path, shape, first in zip(self._check.paths(), shapes, self._first_shapes):
                if shape != first:
                    component = "component {!r}".format(path) if path else "the example"
                    shape, first = shape.replace(",", ", "), first.replace(",", ", ")
                    problem = "{} has the shape [{}], that of the first example is [{}]".format(component, shape, first)
                    return self._source.place_of(record), problem
        return None


def _first_damaged(chunk: List[Raw]) -> Optional[Tuple[Raw, str]]:
    return next(((record, record.problem) for record in chunk if record.problem), None)


def _chunks(records: Iterator[Raw]) -> Iterator[List[Raw]]:
    chunk: List[Raw] = []
    for record in records:
        chunk.append(record)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _like(error: tf.errors.OpError, text: str) -> RecordError:
    """Returns a RecordError that is also an instance of the class of `error`, for code that handles that one."""
    kind: Any = type(error)
    named: RecordError = _class_of(kind)(error, text)
    return named


@functools.lru_cache(maxsize=None)
def _class_of(kind: Any) -> Any:
    def initialize(self: Any, error: Any, text: str) -> None:
        tf.errors.OpError.__init__(self, error.node_def, None, text, error.error_code)

    return type("RecordError", (RecordError, kind), {
        "__init__": initialize, "__str__": lambda self: self.message, "__module__": RecordError.__module__,
    })
