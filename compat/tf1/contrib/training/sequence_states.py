"""tf.contrib.training.batch_sequences_with_states: batches of segments of long sequences, with the RNN's states.

    sequence "a" of 5 steps, num_unroll 2:  a0 a1 | a2 a3 | a4 0     keys 00000_of_00003:a, 00001_of_00003:a ...

Each segment is an element of a barrier. It can be taken from the barrier once its state is inserted: the initial state
for the first segment, and for the next ones the state that `save_state` saves. A batch has segments of different
sequences.
"""
import collections
from typing import Any, Dict, List, Optional

from legacy_towers.compat.tf1.contrib.private import barriers
from legacy_towers.compat.tf1.contrib.training import sequence_inputs
from legacy_towers.compat.versions import tf

__all__ = ["NextQueuedSequenceBatch", "SequenceQueueingStateSaver", "batch_sequences_with_states"]

_SEGMENT_COLUMNS = ("__length", "__total_length", "__next_key", "__sequence", "__sequence_count")
_TOKEN = 21051976


class NextQueuedSequenceBatch:
    """A batch of segments. It can be the `state_saver` of tf.nn.static_state_saving_rnn.

    Attributes:
      key: string [batch], the keys of the segments.
      next_key: string [batch], the keys of the following segments; "STOP:..." after the last.
      sequence: int32 [batch], the index of the segment in its sequence.
      sequence_count: int32 [batch], the number of segments in the sequence.
      length: int32 [batch], the steps of the segment, without padding.
      total_length: int32 [batch], the steps of the sequence, without padding.
      insertion_index: int64 [batch], the order in which segments were inserted.
      sequences: name -> [batch, num_unroll, ...].
      context: name -> [batch, ...].
      batch_size: int32 scalar.
    """

    def __init__(self, state_saver: "SequenceQueueingStateSaver") -> None:
        indices, self.key, values = state_saver.barrier.take_many(
            state_saver.batch_size, state_saver.allow_small_batch, name="BarrierTakeMany"
        )
        self._saver = state_saver
        self.insertion_index = indices
        columns = dict(zip(state_saver.columns, values))
        self.length, self.total_length, self.next_key, self.sequence, self.sequence_count = [
            columns[name] for name in _SEGMENT_COLUMNS
        ]
        self.sequences = _columns_of_kind(columns, "sequence")
        self.context = _columns_of_kind(columns, "context")
        self.batch_size = tf.squeeze(tf.shape(self.length))
        self._is_last = self.sequence + 1 >= self.sequence_count
        # The end of a sequence frees the capacity for another one.
        free_capacity = state_saver.capacity_queue.dequeue_many(tf.reduce_sum(tf.cast(self._is_last, tf.int32)))
        with tf.control_dependencies([free_capacity]):
            self._states = {name: tf.identity(state) for name, state in _columns_of_kind(columns, "state").items()}

    def state(self, state_name: str) -> Any:
        """Returns the state [batch, ...] before the segments.

        Raises:
          KeyError: the state is unknown.
        """
        return self._states[state_name]

    def save_state(self, state_name: str, value: Any, name: Optional[str] = None) -> Any:
        """Returns the op that saves `value` [batch, ...] as the state before the following segments.

        Raises:
          KeyError: the state is unknown.
        """
        if state_name not in self._states:
            raise KeyError("state was not declared: {}".format(state_name))
        with tf.name_scope(name, "InputQueueingStateSaver_SaveState", [value]):
            with tf.colocate_with(self._saver.capacity_queue.queue_ref):
                value = tf.convert_to_tensor(value)
                value.set_shape(value.shape.merge_with(self._states[state_name].shape))
                not_last = tf.reshape(tf.where(tf.logical_not(self._is_last)), [-1])
                return self._saver.barrier.insert_many(
                    self._saver.column("state", state_name),
                    tf.gather(self.next_key, not_last),
                    tf.gather(value, not_last),
                    name="BarrierInsertState_" + state_name,
                )


def _columns_of_kind(columns: Dict[str, Any], kind: str) -> Dict[str, Any]:
    prefix = "__{}__".format(kind)
    return collections.OrderedDict(
        (name[len(prefix) :], value) for name, value in columns.items() if name.startswith(prefix)
    )


class SequenceQueueingStateSaver:
    """Splits sequences into segments and saves the states between them.

    Args:
      batch_size: the number of segments in `next_batch`, an int or an int32 scalar.
      num_unroll: the number of steps of a segment.
      input_length: int32 scalar, the steps of the sequence without padding.
      input_key: string scalar, different for each sequence.
      input_sequences: name -> [steps, ...]; steps must be a multiple of `num_unroll`.
      input_context: name -> a tensor for all segments of the sequence.
      initial_states: name -> the state before the first segment.
      capacity: the maximum number of sequences in the barrier; None: unlimited.
      allow_small_batch: whether the last batches may be smaller.

    Raises:
      TypeError: an argument is not a dict with string keys, or a key or length has the wrong dtype.
      ValueError: there are no states or no sequences, a name has a colon, a shape is unknown, or `capacity` is less
        than `batch_size`.
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
                self._padded_length = self._check_length()
                self.columns = list(_SEGMENT_COLUMNS) + [
                    "__{}__{}".format(kind, each)
                    for kind, values in self._inputs().items()
                    for each in values
                ]  # fmt: skip
                self.barrier = self._create_barrier()

    @property
    def name(self) -> str:
        return str(self._name)

    @property
    def prefetch_op(self) -> Any:
        """The op that inserts the segments of one sequence into the barrier."""
        if self._prefetch_op is None:
            with tf.name_scope(None), tf.name_scope(self._name):
                self._prefetch_op = self._create_prefetch_op()
        return self._prefetch_op

    @property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """The next batch; the property always returns the same object."""
        _ = self.prefetch_op
        if self._next_batch is None:
            with tf.name_scope(None), tf.name_scope(self._name):
                self._next_batch = NextQueuedSequenceBatch(self)
        return self._next_batch

    def column(self, kind: str, name: str) -> int:
        """Returns the component index of a value in the barrier."""
        return self.columns.index("__{}__{}".format(kind, name))

    def close(self, cancel_pending_enqueues: bool = False, name: Optional[str] = None) -> Any:
        """Returns the op that closes the barrier: no more sequences are inserted, and the pending ones are finished."""
        with tf.name_scope(name, "SQSSClose") as scope:
            barrier = self.barrier.close(cancel_pending_enqueues, "BarrierClose")
            queue = self.capacity_queue.close(cancel_pending_enqueues, "FIFOClose")
            return tf.group(barrier, queue, name=scope)

    def _inputs(self) -> Dict[str, Dict[str, Any]]:
        return collections.OrderedDict(sequence=self._sequences, context=self._context, state=self._states)

    def _check_length(self) -> Any:
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

    def _create_barrier(self) -> Any:
        types: List[Any] = [tf.int32, tf.int32, tf.string, tf.int32, tf.int32]
        shapes: List[Any] = [()] * len(types)
        for kind, values in self._inputs().items():
            for value in values.values():
                shape = value.shape.as_list()
                types.append(value.dtype)
                shapes.append([self.num_unroll] + shape[1:] if kind == "sequence" else shape)
        return barriers.Barrier(types=types, shapes=shapes)

    def _create_prefetch_op(self) -> Any:
        count = tf.floordiv(self._padded_length, self.num_unroll)
        segment_numbers, ones = tf.range(count), tf.ones([count], tf.int32)
        numbers = [tf.as_string(each, width=5, fill="0") for each in (segment_numbers, count)]
        keys = tf.string_join([numbers[0], "_of_", numbers[1], ":", self._key], name="StringJoinCurrentKeys")
        stop = tf.string_join(["STOP:", self._key], name="StringJoinStop")
        components = {
            "__length": tf.minimum(self.num_unroll, tf.maximum(0, self._length - self.num_unroll * segment_numbers)),
            "__total_length": self._length * ones,
            "__next_key": tf.concat([keys[1:], [stop]], 0),
            "__sequence": segment_numbers,
            "__sequence_count": count * ones,
        }
        for name, value in self._sequences.items():
            shape = tf.stack([count, self.num_unroll] + value.shape.as_list()[1:])
            components["__sequence__" + name] = tf.reshape(value, shape)
        for name, value in self._context.items():
            components["__context__" + name] = tf.tile(tf.expand_dims(value, 0), [count] + [1] * value.shape.ndims)
        inserts = [
            self.barrier.insert_many(self.columns.index(name), keys, value, name="BarrierInsert" + name.strip("_"))
            for name, value in components.items()
        ]
        reserve_capacity = self.capacity_queue.enqueue((_TOKEN,))
        # The initial state makes the first segment ready, so that it is inserted after there is capacity.
        with tf.control_dependencies([reserve_capacity] + inserts):
            initial_inserts = [
                self.barrier.insert_many(
                    self.column("state", name), keys[:1], tf.expand_dims(value, 0), name="BarrierInitialInsert_" + name
                )
                for name, value in self._states.items()
            ]
        return tf.group(reserve_capacity, *(inserts + initial_inserts), name="StateSaverPrefetchGroup")


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
    """Returns batches of segments of `num_unroll` steps; a QueueRunner with `num_threads` threads reads the sequences.

    As on TensorFlow 1.15, `allow_small_batch` affects only batches that are requested after the input has ended. A
    batch that is pending at that time blocks until it is complete.

    Args:
      pad: whether sequences are padded to a multiple of `num_unroll` steps.
      make_keys_unique: whether a random number is appended to each key.
      make_keys_unique_seed: random seed of that number.

    The other arguments and the errors are those of `SequenceQueueingStateSaver`.
    """
    with tf.name_scope(name, "batch_sequences_with_states"):
        sequences = sequence_inputs.tensors("sequence", input_sequences)
        if pad and sequences:
            length, sequences = sequence_inputs.pad(sequences, num_unroll)
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
        closed = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        runner = tf.train.QueueRunner(saver, [saver.prefetch_op] * num_threads, queue_closed_exception_types=closed)
        tf.train.add_queue_runner(runner)
        return saver.next_batch
