"""read_batch_examples and its variants: batches of records from files, through queues."""
from typing import Any, Callable, Dict, Optional

from legacy_towers.compat.versions import tf

__all__ = [
    "read_batch_examples",
    "read_batch_features",
    "read_batch_record_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_features",
]

# The name of the keys among parsed features.
_KEY = "__key__"


def read_keyed_batch_examples(
    file_pattern: Any,
    batch_size: int,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Optional[Callable[[Any], Any]] = None,
    name: Optional[str] = None,
    seed: Optional[int] = None,
) -> Any:
    """Returns (keys, examples), each [batch_size], the next batch of records from the files.

    Args:
      file_pattern: a glob pattern, or a list of them.
      reader: a function that returns a reader, such as tf.TFRecordReader.
      num_epochs: None repeats the files; otherwise the last batch may be smaller.
      num_threads: readers, each with a thread.
      read_batch_size: records that a reader reads at once.
      parse_fn: applied to the records before they are batched.

    Raises:
      ValueError: no file matches `file_pattern`, or `queue_capacity` is not greater than `batch_size`.
    """
    if queue_capacity <= batch_size:
        raise ValueError("queue_capacity {} must be greater than batch_size {}".format(queue_capacity, batch_size))
    with tf.name_scope(name, "read_batch_examples", [file_pattern]) as scope:
        names = tf.train.string_input_producer(
            _files(file_pattern), num_epochs, randomize_input, seed=seed, name="file_names", capacity=100
        )
        examples = []
        for _ in range(num_threads):
            record_reader = reader()
            if read_batch_size > 1:
                keys, values = record_reader.read_up_to(names, read_batch_size)
            else:
                keys, values = record_reader.read(names)
            parsed = parse_fn(values) if parse_fn is not None else values
            # batch_join takes no tuple of a tensor and a dict.
            examples.append(dict(parsed, **{_KEY: keys}) if isinstance(parsed, dict) else [keys, parsed])
        common = dict(
            batch_size=batch_size,
            capacity=queue_capacity,
            enqueue_many=read_batch_size > 1,
            name=scope,
            allow_smaller_final_batch=num_epochs is not None,
        )
        if not randomize_input:
            return _with_keys(tf.train.batch_join(examples, **common))
        min_after_dequeue = max(queue_capacity - (3 + num_threads) * batch_size, batch_size)
        min_after_dequeue = min(min_after_dequeue, queue_capacity - 1)
        return _with_keys(
            tf.train.shuffle_batch_join(examples, min_after_dequeue=min_after_dequeue, seed=seed, **common))


def read_batch_examples(
    file_pattern: Any,
    batch_size: int,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Optional[Callable[[Any], Any]] = None,
    name: Optional[str] = None,
    seed: Optional[int] = None,
) -> Any:
    """Returns the next batch of records from the files, [batch_size]; see `read_keyed_batch_examples`."""
    return read_keyed_batch_examples(
        file_pattern,
        batch_size,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        num_threads,
        read_batch_size,
        parse_fn,
        name,
        seed,
    )[1]


def read_keyed_batch_features(
    file_pattern: Any,
    batch_size: int,
    features: Dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    parse_fn: Optional[Callable[[Any], Any]] = None,
    name: Optional[str] = None,
    read_batch_size: Optional[int] = None,
) -> Any:
    """Returns (keys, dict of parsed features) of the next batch; see `read_keyed_batch_examples`.

    Args:
      features: the specification for tf.parse_example.
    """
    with tf.name_scope(name, "read_batch_features", [file_pattern]) as scope:
        keys, examples = read_keyed_batch_examples(
            file_pattern,
            batch_size,
            reader,
            randomize_input,
            num_epochs,
            queue_capacity,
            reader_num_threads,
            read_batch_size or 1,
            parse_fn,
            scope,
        )
        parsed = tf.parse_example(examples, features)
        return _queued((keys, parsed), feature_queue_capacity, num_enqueue_threads)


def read_batch_features(
    file_pattern: Any,
    batch_size: int,
    features: Dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int = 2,
    parse_fn: Optional[Callable[[Any], Any]] = None,
    name: Optional[str] = None,
    read_batch_size: Optional[int] = None,
) -> Any:
    """Returns the dict of parsed features of the next batch; see `read_keyed_batch_features`."""
    return read_keyed_batch_features(
        file_pattern,
        batch_size,
        features,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        reader_num_threads,
        feature_queue_capacity,
        num_enqueue_threads,
        parse_fn,
        name,
        read_batch_size,
    )[1]


def read_batch_record_features(
    file_pattern: Any,
    batch_size: int,
    features: Dict[str, Any],
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    name: str = "dequeue_record_examples",
) -> Any:
    """Returns the dict of parsed features of the next batch from TFRecord files."""
    return read_batch_features(
        file_pattern,
        batch_size,
        features,
        tf.TFRecordReader,
        randomize_input,
        num_epochs,
        queue_capacity,
        reader_num_threads=reader_num_threads,
        name=name,
    )


def _with_keys(batch: Any) -> Any:
    """Returns (keys, examples) of what was batched together."""
    if not isinstance(batch, dict):
        return tuple(batch)
    return batch.pop(_KEY), batch


def _queued(batch: Any, capacity: int, threads: int) -> Any:
    """Returns the next of the batches that threads put into a queue; sparse tensors are there by their parts."""
    parts = tf.nest.flatten(batch, expand_composites=True)
    queue = tf.FIFOQueue(capacity, [each.dtype for each in parts])
    tf.train.add_queue_runner(tf.train.QueueRunner(
        queue, [queue.enqueue(parts)] * threads,
        queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError)))
    taken = queue.dequeue()
    for part, one in zip(parts, taken):
        one.set_shape(part.shape)
    return tf.nest.pack_sequence_as(batch, taken, expand_composites=True)


def _files(pattern: Any) -> Any:
    if isinstance(pattern, (list, tuple)):
        if not pattern:
            raise ValueError("No files given to dequeue_examples.")
        return sorted(path for one in pattern for path in _files(one))
    paths = sorted(tf.gfile.Glob(pattern))
    if not paths:
        raise ValueError("No files match {}.".format(pattern))
    return paths
