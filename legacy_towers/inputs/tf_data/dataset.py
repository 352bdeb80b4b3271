"""`dataset`: creates the input pipeline with tf.data, with one of four routes from the dataset to the towers.

    split            examples -> global batches -> one iterator -> one get_next -> split -> towers
    next_per_tower   examples -> per-tower batches -> one iterator -> one get_next per tower
    sharded          examples -> shard k for tower k -> per-tower batches -> one iterator and get_next per tower
    per_device       examples -> per-tower batches -> in turn to a buffer on each tower's device -> one get_next each
"""
from typing import Optional

from legacy_towers.data import Examples
from legacy_towers.data.readable_examples import Shuffle
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.reading import Reading
from legacy_towers.inputs.tf_data import routes
from legacy_towers.inputs.tf_data.dataset_input import DatasetInput
from legacy_towers.inputs.tf_data.dataset_options import Options
from legacy_towers.specs.batch_sizes import check_positive
from legacy_towers.specs.pipelines import DEFAULT_ROUTE, SHARDS


def dataset(
    examples: Examples,
    per_tower_batch_size: Optional[int] = None,
    global_batch_size: Optional[int] = None,
    route: str = DEFAULT_ROUTE,
    epochs: Optional[int] = None,
    shuffle: Optional[Shuffle] = None,
    order: str = "any",
    remainder: str = "drop",
    prefetch: int = 2,
    parallel_calls: Optional[int] = None,
    deterministic: Optional[bool] = None,
    private_threads: Optional[int] = None,
    read_buffer_bytes: Optional[int] = None,
    shard: str = "records",
) -> DatasetInput:
    """Creates an input pipeline that reads the examples with tf.data.

        route                      step 0                      step 1            (2 towers of 2, unshuffled a b c d ...)
        split, per_device          tower 0 [a b]  1 [c d]      0 [e f]  1 [g h]
        next_per_tower             as above with order="fixed"; else each tower takes the next batch, in any order
        sharded                    tower 0 [a c]  1 [b d]      0 [e g]  1 [f h]
        sharded, order="fixed"     tower 0 [a b]  1 [c d]      0 [e f]  1 [g h]
        sharded, shard="files"     tower 0 the first of its files' examples, 1 the first of its own

        inputs = lt.inputs.dataset(examples, per_tower_batch_size=32, route="split", epochs=10)

    Args:
      examples: an `lt.Examples`.
      per_tower_batch_size, global_batch_size: examples per step, of one tower or of all towers; give one of them.
      route: "split", "next_per_tower", "sharded" or "per_device".
      epochs: how often the data is read; None repeats it indefinitely.
      shuffle: overrides the examples' own `shuffle` unless None; a number is the size of the shuffle buffer.
      order: "any" or "fixed"; "fixed" gives tower k of N at step g the examples [g*N*b + k*b, g*N*b + (k+1)*b).
      remainder: what happens to the last examples that don't fill a global batch: "drop", "pad" with copies, or
        "short" batches. With the latter two all examples are used, and towers without further examples compute copies
        that are not counted.
      prefetch: steps prefetched; 0 for none. With "per_device" it is at least 1: the batches prefetched on each tower's
        device, and as many for each tower on the host.
      parallel_calls: number of examples parsed in parallel; None lets TensorFlow choose.
      deterministic: False allows tf.data to return examples in the order in which they are parsed; None is
        TensorFlow's default, which keeps the order. order="fixed" implies True.
      private_threads: size of the private thread pool of each iterator's dataset; None: on TensorFlow 2
        as many threads as there are cores, on 1.15 the session's threads.
      read_buffer_bytes: size of the read buffer of each file; None lets TensorFlow choose.
      shard: how the route "sharded" divides the examples. With "records", tower k of N reads all files, and takes every
        N-th example from number k on. With "files", it reads its own files, as `Examples.file_shards` divides them; a
        file at a border has two readers, and files are shuffled too. All towers have equally many examples. If those
        of an epoch can't be divided equally, other towers have one more in the next epoch, so that all end each epoch
        in the same step. For this the examples are counted when the input is built, unless their number is given.

    Raises:
      ArgumentError: the options contradict each other, or an option does not apply to these examples.
    """
    _check_options(route, order, prefetch, parallel_calls, deterministic, private_threads)
    reading = Reading(examples, per_tower_batch_size, global_batch_size, epochs, shuffle, order, remainder).checked()
    if route == "sharded" and not examples.source.can_be_sharded:
        raise ArgumentError(
            'route="sharded" reads the data once per tower, but two iterators of {} may return different examples: '
            'use route="split", "next_per_tower" or "per_device"'.format(examples.describe())
        )
    _check_shard(examples, route, order, shard)
    if read_buffer_bytes is not None:
        check_positive("read_buffer_bytes", read_buffer_bytes)
        reading = reading._replace(examples=examples.with_read_buffer(read_buffer_bytes))
    options = Options(
        prefetch, parallel_calls, True if order == "fixed" else deterministic, private_threads, read_buffer_bytes,
        shards_files=shard == "files",
    )
    return DatasetInput(reading, route, options)


def _check_options(
    route: str,
    order: str,
    prefetch: int,
    parallel_calls: Optional[int],
    deterministic: Optional[bool],
    private_threads: Optional[int],
) -> None:
    """Raises ArgumentError if options of `dataset` are invalid or contradict each other."""
    routes.check_route(route)
    if route == "per_device" and prefetch == 0:
        raise ArgumentError('prefetch=0 contradicts route="per_device", which prefetches to each device')
    if prefetch != 0:
        check_positive("prefetch, where it isn't 0,", prefetch)
    for name, number in (("parallel_calls", parallel_calls), ("private_threads", private_threads)):
        if number is not None:
            check_positive(name, number)
    if deterministic not in (None, True, False):
        raise ArgumentError("deterministic must be True, False or None, got {!r}".format(deterministic))
    if order == "fixed" and deterministic is False:
        raise ArgumentError('deterministic=False contradicts order="fixed": leave one of them out')


def _check_shard(examples: Examples, route: str, order: str, shard: str) -> None:
    """Raises ArgumentError if `shard` is invalid, contradicts another option, or does not apply to these examples."""
    if shard not in SHARDS:
        raise ArgumentError('shard must be "records" or "files", got {!r}'.format(shard))
    if shard == "records":
        return
    if route != "sharded":
        raise ArgumentError('shard="files" needs route="sharded": with route={!r} one reader reads all files'.format(
            route
        ))
    if order == "fixed":
        raise ArgumentError('shard="files" contradicts order="fixed", which gives the towers examples of one order')
    try:
        examples.source.check_file_shards()
    except ArgumentError as error:
        raise ArgumentError('{}; use shard="records" (dataset:sharded)'.format(error)) from None
