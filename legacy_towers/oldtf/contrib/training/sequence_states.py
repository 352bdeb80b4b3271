"""tf.contrib.training.batch_sequences_with_states: long sequences in segments, with the state between them.

    sequence "a" of 5 steps, num_unroll 2:  a0 a1 | a2 a3 | a4 0     keys 00000_of_00003:a, 00001_of_00003:a ...

Each segment is a row of a barrier, and leaves it when its state is there: that of the first is the initial one, that of
the next is saved by who computed the one before. A batch is of segments of several sequences.
"""
import collections
from typing import Any, Dict, List, Optional

from legacy_towers.compat import barriers, tf
from legacy_towers.oldtf.contrib.training import sequence_inputs

__all__ = ["NextQueuedSequenceBatch", "SequenceQueueingStateSaver", "batch_sequences_with_states"]

_OWN = ("__length", "__total_length", "__next_key", "__sequence", "__sequence_count")
_TOKEN = 21051976


class NextQueuedSequenceBatch:
    """A batch of segments; `state` and `save_state` are what tf.nn.static_state_saving_rnn asks for.

    Attributes:
      key, next_key: [batch] strings, of the segments and of those that follow them; "STOP:..." after the last.
      sequence, sequence_count: [batch] int32, the number of the segment and of all in its sequence.
      length, total_length: [batch] int32, steps without padding in the segment, and in its sequence.
      insertion_index: [batch] int64, the order in which segments came.
      sequences, context: name -> [batch, num_unroll, ...], and [batch, ...].
      batch_size: int32.
    """

    def __init__(self, state_saver: "SequenceQueueingStateSaver") -> None:
        indices, self.key, values = state_saver.barrier.take_many(
            state_saver.batch_size, state_saver.allow_small_batch, name="BarrierTakeMany"
        )
        self._saver = state_saver
        self.insertion_index = indices
        self.length, self.total_length, self.next_key, self.sequence, self.sequence_count = values[: len(_OWN)]
        found = dict(zip(state_saver.columns, values))
        self.sequences = _of_kind(found, "sequence")
        self.context = _of_kind(found, "context")
        self.batch_size = tf.squeeze(tf.shape(self.length))
        self._is_last = self.sequence + 1 >= self.sequence_count
        # Each sequence that ends makes room for another.
        room = state_saver.capacity_queue.dequeue_many(tf.reduce_sum(tf.cast(self._is_last, tf.int32)))
        with tf.control_dependencies([room]):
            self._states = {name: tf.identity(state) for name, state in _of_kind(found, "state").items()}

    def state(self, state_name: str) -> Any:
        """Returns the state [batch, ...] that the segments begin with.

        Raises:
          KeyError: there is no state of this name.
        """
        return self._states[state_name]

    def save_state(self, state_name: str, value: Any, name: Optional[str] = None) -> Any:
        """Returns the operation that gives `value` [batch, ...] to the segments that follow.

        Raises:
          KeyError: there is no state of this name.
        """
        if state_name not in self._states:
            raise KeyError("state was not declared: {}".format(state_name))
        with tf.name_scope(name, "InputQueueingStateSaver_SaveState", [value]):
            with tf.colocate_with(self._saver.capacity_queue.queue_ref):
                value = tf.convert_to_tensor(value)
                value.set_shape(value.shape.merge_with(self._states[state_name].shape))
                kept = tf.reshape(tf.where(tf.logical_not(self._is_last)), [-1])
                return self._saver.barrier.insert_many(
                    self._saver.column("state", state_name),
                    tf.gather(self.next_key, kept),
                    tf.gather(value, kept),
                    name="BarrierInsertState_" + state_name,
                )


def _of_kind(columns: Dict[str, Any], kind: str) -> Dict[str, Any]:
    begin = "__{}__".format(kind)
    return collections.OrderedDict(
        (name[len(begin) :], value) for name, value in columns.items() if name.startswith(begin)
    )


class SequenceQueueingStateSaver:
    """The segments of sequences that wait for their states.

    Args:
      batch_size: segments that `next_batch` takes; a tensor may be.
      num_unroll: steps of a segment.
      input_length: int32, the steps of the sequence that count.
      input_key: string, another one for each sequence.
      input_sequences: name -> [steps, ...], the steps a multiple of `num_unroll`.
      input_context: name -> a tensor for all segments.
      initial_states: name -> the state that each sequence begins with.
      capacity: how many sequences wait at most.
      allow_small_batch: whether the last batches may be smaller.

    Raises:
      TypeError: not dicts by strings, or a key or length of another type.
      ValueError: no states or sequences, a name with a colon, a shape that isn't known, or too small a capacity.
    """

    def __init__(
        self,
        batch_size: Any,
        num_unroll: int,
        input_length: Any,
        input_key: Any,
        input_sequences: Dict[str, Any],
        input_context: Dict[str, Any],
        initial_states: Dict[str, Any],
        capacity: Optional[int] = None,
        allow_small_batch: bool = False,
        name: Optional[str] = None,
    ) -> None:
        if capacity is not None and not isinstance(batch_size, tf.Tensor) and capacity < batch_size:
            raise ValueError("capacity {} needs to be >= batch_size {}".format(capacity, batch_size))
        self.batch_size, self.num_unroll, self.allow_small_batch = batch_size, num_unroll, allow_small_batch
        self.capacity_queue = tf.FIFOQueue(-1 if capacity is None else capacity, [tf.int32], [[]])
        self._prefetch_op: Any = None
        self._next_batch: Optional[NextQueuedSequenceBatch] = None
        with tf.colocate_with(self.capacity_queue.queue_ref):
            with tf.name_scope(name, "InputQueueingStateSaver") as self._name:
                self._sequences = sequence_inputs.tensors("sequence", input_sequences)
                self._context = sequence_inputs.tensors("context", input_context)
                self._states = sequence_inputs.tensors("state", initial_states)
                if not self._states or not self._sequences:
                    raise ValueError("there must be at least one sequence and one state")
                self._length, self._key = sequence_inputs.length_and_key(input_length, input_key)
                self._padded_length = self._checked_length()
                self.columns = list(_OWN) + [
                    "__{}__{}".format(kind, each)
                    for kind, values in self._given().items()
                    for each in values
                ]  # fmt: skip
                self.barrier = self._barrier()

    @property
    def name(self) -> str:
        return str(self._name)

    @property
    def prefetch_op(self) -> Any:
        """The operation that puts the segments of one sequence into the barrier."""
        if self._prefetch_op is None:
            with tf.name_scope(None), tf.name_scope(self._name):
                self._prefetch_op = self._prefetch()
        return self._prefetch_op

    @property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """The batch; always the same."""
        _ = self.prefetch_op
        if self._next_batch is None:
            with tf.name_scope(None), tf.name_scope(self._name):
                self._next_batch = NextQueuedSequenceBatch(self)
        return self._next_batch

    def column(self, kind: str, name: str) -> int:
        """Returns the place of a value in the barrier."""
        return self.columns.index("__{}__{}".format(kind, name))

    def close(self, cancel_pending_enqueues: bool = False, name: Optional[str] = None) -> Any:
        """Returns the operation after which no more sequences come; those that began go on."""
        with tf.name_scope(name, "SQSSClose") as scope:
            barrier = self.barrier.close(cancel_pending_enqueues, "BarrierClose")
            queue = self.capacity_queue.close(cancel_pending_enqueues, "FIFOClose")
            return tf.group(barrier, queue, name=scope)

    def _given(self) -> Dict[str, Dict[str, Any]]:
        return collections.OrderedDict(sequence=self._sequences, context=self._context, state=self._states)

    def _checked_length(self) -> Any:
        length = tf.shape(next(iter(self._sequences.values())))[0]
        checks = [
            tf.Assert(
                tf.logical_and(tf.equal(length % self.num_unroll, 0), tf.not_equal(length, 0)),
                ["steps should be a multiple of num_unroll; consider setting pad=True:", length],
            ),
            tf.Assert(tf.less_equal(self._length, length), ["Input length should be <= steps:", self._length, length]),
        ]
        for name, sequence in self._sequences.items():
            checks.append(tf.Assert(tf.equal(tf.shape(sequence)[0], length), ["steps of sequence " + name, length]))
        with tf.control_dependencies(checks):
            return tf.identity(length, name="padded_length")

    def _barrier(self) -> Any:
        types: List[Any] = [tf.int32, tf.int32, tf.string, tf.int32, tf.int32]
        shapes: List[Any] = [()] * len(types)
        for kind, values in self._given().items():
            for value in values.values():
                shape = value.shape.as_list()
                types.append(value.dtype)
                shapes.append([self.num_unroll] + shape[1:] if kind == "sequence" else shape)
        return barriers.Barrier(types=types, shapes=shapes)

    def _prefetch(self) -> Any:
        count = tf.floordiv(self._padded_length, self.num_unroll)
        places, ones = tf.range(count), tf.ones([count], tf.int32)
        numbers = [tf.as_string(each, width=5, fill="0") for each in (places, count)]
        keys = tf.string_join([numbers[0], "_of_", numbers[1], ":", self._key], name="StringJoinCurrentKeys")
        stop = tf.string_join(["STOP:", self._key], name="StringJoinStop")
        own = {
            "__length": tf.minimum(self.num_unroll, tf.maximum(0, self._length - self.num_unroll * places)),
            "__total_length": self._length * ones,
            "__next_key": tf.concat([keys[1:], [stop]], 0),
            "__sequence": places,
            "__sequence_count": count * ones,
        }
        for name, value in self._sequences.items():
            shape = tf.stack([count, self.num_unroll] + value.shape.as_list()[1:])
            own["__sequence__" + name] = tf.reshape(value, shape)
        for name, value in self._context.items():
            own["__context__" + name] = tf.tile(tf.expand_dims(value, 0), [count] + [1] * value.shape.ndims)
        inserts = [
            self.barrier.insert_many(self.columns.index(name), keys, value, name="BarrierInsert" + name.strip("_"))
            for name, value in own.items()
        ]
        room = self.capacity_queue.enqueue((_TOKEN,))
        # With its state the first segment is complete: not before there is room.
        with tf.control_dependencies([room] + inserts):
            begin = [
                self.barrier.insert_many(
                    self.column("state", name), keys[:1], tf.expand_dims(value, 0), name="BarrierInitialInsert_" + name
                )
                for name, value in self._states.items()
            ]
        return tf.group(room, *(inserts + begin), name="StateSaverPrefetchGroup")


def batch_sequences_with_states(
    input_key: Any,
    input_sequences: Dict[str, Any],
    input_context: Dict[str, Any],
    input_length: Any,
    initial_states: Dict[str, Any],
    num_unroll: int,
    batch_size: Any,
    num_threads: int = 3,
    capacity: int = 1000,
    allow_small_batch: bool = True,
    pad: bool = True,
    make_keys_unique: bool = False,
    make_keys_unique_seed: Optional[int] = None,
    name: Optional[str] = None,
) -> NextQueuedSequenceBatch:
    """Returns batches of segments of `num_unroll` steps; a QueueRunner of `num_threads` reads the sequences.

    Args:
      pad: makes the steps a multiple of `num_unroll`.
      make_keys_unique: adds a random number to each key.

    As on TensorFlow 1.15, a batch that waits while the input ends waits for all of its segments, for ever where they do
    not come: `allow_small_batch` is about batches that are asked for later.

    See `SequenceQueueingStateSaver` for the others, and for what is raised.
    """
    with tf.name_scope(name, "batch_sequences_with_states"):
        sequences = sequence_inputs.tensors("sequence", input_sequences)
        if pad and sequences:
            length, sequences = sequence_inputs.padded(sequences, num_unroll)
            input_length = length if input_length is None else input_length
        if make_keys_unique:
            number = tf.random_uniform((), 0, 100000000, tf.int32, seed=make_keys_unique_seed)
            input_key = tf.string_join([input_key, tf.as_string(number)])
        saver = SequenceQueueingStateSaver(
            batch_size, num_unroll, input_length, input_key, sequences, input_context, initial_states, capacity,
            allow_small_batch,
        )  # fmt: skip
        ready = tf.cast(saver.barrier.ready_size(), tf.float32)
        tf.summary.scalar("queue/{}/ready_segment_batches_".format(saver.barrier.name), ready)
        ends = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        runner = tf.train.QueueRunner(saver, [saver.prefetch_op] * num_threads, queue_closed_exception_types=ends)
        tf.train.add_queue_runner(runner)
        return saver.next_batch
