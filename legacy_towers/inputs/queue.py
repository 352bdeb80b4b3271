"""The way in by queues and their runner threads, as TF1 jobs were written.

    file names -> reader -> parse -> shuffling (or FIFO) queue -> per-tower batches -> prefetch queue -> towers

All of it stands on the host's CPU: TF 2.21 refuses a queue with its reader under a GPU's scope.
"""
from typing import Any, List, Optional, Sequence

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.examples import Examples, Shuffle
from legacy_towers.inputs.base import Input, TowerBatches, host_device, onto_tower
from legacy_towers.inputs.reading import Reading
from legacy_towers.inputs.routes import in_order
from legacy_towers.inputs.sizes import Sizes, check_positive


def queue(
    examples: Examples,
    per_tower_batch_size: Optional[int] = None,
    global_batch_size: Optional[int] = None,
    epochs: Optional[int] = None,
    shuffle: Optional[Shuffle] = None,
    order: str = "any",
    threads: Optional[int] = None,
    capacity: Optional[int] = None,
) -> "QueueInput":
    """Returns the way in that reads the examples by queues.

    Args:
      examples: an `lt.Examples` of files or arrays.
      per_tower_batch_size, global_batch_size: examples per step, of a tower or of all of them; give one.
      epochs: how often the data is read; None for ever. It is counted in a local variable.
      shuffle: as in `Examples`, instead of what the examples were made with. Even with a seed the order of a shuffling
        queue is another in each run: it depends on how full the queue is.
      order: "any" or "fixed"; "fixed" gives tower k of N at step g the examples [g*N*b + k*b, g*N*b + (k+1)*b).
      threads: threads that read and parse; None means 2, and 1 for order="fixed".
      capacity: per-tower batches in the prefetch queue; None means those of two steps.

    Raises:
      ArgumentError: the options contradict each other.
      InputError: the examples come from a generator.
    """
    reading = Reading(examples, per_tower_batch_size, global_batch_size, epochs, shuffle, order).checked()
    if not examples.source.has_queue:
        raise InputError(
            'a queue can\'t read {}: inputs.feed, and inputs.dataset by route="split" or "next_per_tower", serve '
            "generators".format(examples.describe())
        )
    for name, number in (("threads", threads), ("capacity", capacity)):
        if number is not None:
            check_positive(name, number)
    if order == "fixed" and threads not in (None, 1):
        raise ArgumentError('threads={} contradicts order="fixed": several readers overtake each other'.format(threads))
    return QueueInput(reading, threads or (1 if order == "fixed" else 2), capacity)


class RaiseRunnerErrors(tf.train.SessionRunHook):
    """Raises what stopped a queue runner at the next run, instead of the closed queue that it left behind."""

    _coordinator: Any = None

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._coordinator = coord

    def before_run(self, run_context: Any) -> None:
        if self._coordinator is not None:
            self._coordinator.raise_requested_exception()


class QueueInput(Input):
    """See `queue`."""

    def __init__(self, reading: Reading, threads: int, capacity: Optional[int]) -> None:
        self._reading = reading
        self._threads = threads
        self._capacity = capacity

    def build(self, devices: Sequence[str]) -> TowerBatches:
        sizes = self._reading.sizes(len(devices))
        capacity = 2 * sizes.towers if self._capacity is None else self._capacity
        with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
            example = self._example()
            components = self._batch([leaf for _, leaf in structure.leaves(example)], sizes)
            batches = tf.FIFOQueue(
                capacity, [part.dtype for part in components], [part.shape for part in components], name="prefetch"
            )
            tf.train.add_queue_runner(tf.train.QueueRunner(batches, [batches.enqueue(components)]))
            pulled = in_order([lambda: _as_list(batches.dequeue())] * sizes.towers, self._reading.order == "fixed")
        per_tower = [
            onto_tower(structure.pack(example, iter(parts)), tower, device)
            for tower, (parts, device) in enumerate(zip(pulled, devices))
        ]
        details = {"threads": self._threads, "prefetch": "{} per-tower batches".format(capacity)}
        plan = self._reading.plan("queue", None, sizes, details)
        return TowerBatches(per_tower, [RaiseRunnerErrors()], plan)

    def _example(self) -> Any:
        """Returns the tensors of one example, checked: a queue holds dense tensors of shapes that the graph knows."""
        examples, buffer = self._reading.examples, self._reading.shuffle_now()
        record = examples.source.queue_record(bool(buffer), examples.seed, self._reading.epochs)
        example = examples.parser(in_variables=True)(record)
        for path, leaf in structure.leaves(example):
            if isinstance(leaf, (tf.SparseTensor, tf.RaggedTensor)):
                raise InputError(
                    "component {!r} is no dense tensor ({}): inputs.queue serves only dense ones, inputs.dataset "
                    "serves all".format(path, type(leaf).__name__)
                )
            if not leaf.shape.is_fully_defined():
                raise InputError(
                    "component {!r} has the shape {}: inputs.queue needs shapes without unknown dimensions; set it in "
                    "the parse function by set_shape or tf.reshape".format(path, leaf.shape)
                )
        return example

    def _batch(self, components: List[Any], sizes: Sizes) -> List[Any]:
        """Returns the components of one per-tower batch, from a queue of examples."""
        buffer = int(self._reading.shuffle_now())
        room = (self._threads + 2) * sizes.per_tower
        if not buffer:
            return _as_list(tf.train.batch(components, sizes.per_tower, self._threads, capacity=room))
        return _as_list(
            tf.train.shuffle_batch(
                components, sizes.per_tower, capacity=buffer + room, min_after_dequeue=buffer,
                num_threads=self._threads, seed=self._reading.examples.seed,
            )
        )


def _as_list(tensors: Any) -> List[Any]:
    # Queues give one tensor alone where there is only one component.
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
