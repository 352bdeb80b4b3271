"""The collective operations of the workers of a cluster: all-reduces in which each worker takes part once.

    worker 0: x0 \\                 / x0 + x1        each worker has a graph of its own, with its own towers;
                  -> all-reduce ->                  all run the same steps, so that no all-reduce waits for ever
    worker 1: x1 /                 \\ x0 + x1
"""
from typing import Any, Dict, List, Sequence

from legacy_towers.cluster.value import Cluster
from legacy_towers.compat import tf
from legacy_towers.compat.versions import collectives
from legacy_towers.errors import ClusterError
from legacy_towers.tensor_types import DType, Tensor

# Bits that are sent as int32: their sum with zeros is exact.
_AS_BITS = (tf.float32, tf.float64, tf.int64, tf.complex64)
_AS_INT32 = (tf.bool, tf.int8, tf.uint8, tf.int16, tf.uint16)
_AS_FLOAT32 = (tf.float16, tf.bfloat16)
# Up to so many workers send their 16-bit numbers to each other: an all-reduce of 32 bits sends as many bytes.
_MOST_TO_GATHER = 4


class Workers:
    """The workers of a cluster, and the collective operations of this one in one graph.

    All graphs must have the same calls, in the same order, and a run that computes the result of one must happen in all
    workers.

    Attributes:
      cluster: the cluster.
      size: how many workers there are.
      index: the number of this one; that of the chief is 0.
      is_chief: whether this is the chief.
      names: the names of all, such as "worker:1".
      device: the device of this worker that takes part: its first CPU.
    """

    def __init__(self, cluster: Cluster) -> None:
        """
        Raises:
          ClusterError: this process does not train.
        """
        if cluster.task not in cluster.training_tasks:
            raise ClusterError("{} builds no step: only the chief and the workers train".format(cluster.task))
        self.cluster = cluster
        self.size = cluster.workers
        self.index = cluster.training_tasks.index(cluster.task)
        self.is_chief = cluster.is_chief
        self.names = [str(task) for task in cluster.training_tasks]
        self.device = cpu_of(cluster.task.device)
        self._group = collectives.group_key([cpu_of(task.device) for task in cluster.training_tasks])
        self._keys: Dict[int, str] = {}

    def sum(self, tensor: Tensor, name: str) -> Tensor:
        """Returns the sum of the workers' tensors, of one shape and dtype; float16 and bfloat16 in float32.

        Args:
          name: the same in all workers; says what is summed.

        Raises:
          ClusterError: no sum of this dtype is possible.
        """
        dtype, shape = tensor.dtype, tensor.shape
        if shape.num_elements() == 0 or self.size == 1:
            return tensor
        sent_dtype = tf.float32 if dtype in _AS_FLOAT32 else dtype
        if not collectives.supports_sum(sent_dtype):
            raise _not_exchangeable(name, dtype)
        with tf.name_scope("workers"), tf.device(self.device):
            sent = tf.cast(tensor, sent_dtype)
            if shape.is_fully_defined():
                return tf.cast(self._all_reduce(sent, name), dtype)
            # It can be empty in a step, and an all-reduce takes no empty tensor: one element is appended.
            flat = tf.concat([tf.reshape(sent, [-1]), tf.zeros([1], sent_dtype)], axis=0)
            summed = tf.cast(tf.reshape(self._all_reduce(flat, name)[:-1], tf.shape(sent)), dtype)
            summed.set_shape(shape)
            return summed

    def mean(self, tensor: Tensor, name: str) -> Tensor:
        """Returns the mean of the workers' tensors, floating-point ones of one shape and dtype."""
        if self.size == 1:
            return tensor
        with tf.name_scope("workers"), tf.device(self.device):
            wide = tf.cast(tensor, tf.float32) if tensor.dtype in _AS_FLOAT32 else tensor
            return tf.cast(self.sum(wide / tf.constant(self.size, wide.dtype), name), tensor.dtype)

    def combined(self, tensor: Tensor, is_weighted: bool, name: str) -> Tensor:
        """Returns the mean over all workers' towers, from each worker's mean of its own.

        Args:
          is_weighted: whether the towers' weights, over all workers, sum to 1: then each worker's mean is a part of it.
        """
        return self.sum(tensor, name) if is_weighted else self.mean(tensor, name)

    def combined_in_16_bits(self, transfer_dtype: DType, tensor: Tensor, is_weighted: bool, name: str) -> Tensor:
        """Returns the same as `combined`, sent with 16 bits per number.

        Up to 4 workers send their numbers to each other, and each sums them in float32: this needs no more bytes than
        an all-reduce of 32 bits. More workers all-reduce in 16 bits, each partial sum of which is rounded.

        Args:
          transfer_dtype: tf.float16 or tf.bfloat16.
          tensor: floating-point numbers of a known shape.

        Raises:
          ClusterError: there are more than 4 workers, and this TensorFlow can't sum 16 bits.
        """
        count, dtype = tensor.shape.num_elements(), tensor.dtype
        if self.size == 1 or count == 0:
            return tensor
        with tf.name_scope("workers"), tf.device(self.device):
            flat = tf.reshape(tensor, [-1])
            if not self.gathers_16_bits:
                if not collectives.supports_sum(transfer_dtype):
                    raise ClusterError(
                        "TensorFlow {} can't sum {} between more than {} workers: leave compressed() out".format(
                            tf.__version__, transfer_dtype.name, _MOST_TO_GATHER
                        )
                    )
                part = flat if is_weighted else flat / tf.constant(self.size, dtype)
                total = tf.cast(self._all_reduce(tf.cast(part, transfer_dtype), name), dtype)
            else:
                # In pairs: TensorFlow 1.15 gathers no numbers of 16 bits.
                pairs = tf.reshape(tf.pad(tf.cast(flat, transfer_dtype), [[0, count % 2]]), [-1, 2])
                bits = tf.bitcast(pairs, tf.int32)
                key = self._key(bits, "{} of {}".format(transfer_dtype.name, name))
                whole = collectives.all_gather_between(bits, self.size, self._group, key)
                parts = tf.reshape(tf.bitcast(whole, transfer_dtype), [self.size, count + count % 2])[:, :count]
                total = tf.cast(tf.reduce_sum(tf.cast(parts, tf.float32), axis=0), dtype)
                if not is_weighted:
                    total = total / tf.constant(self.size, dtype)
            return tf.reshape(total, tensor.shape)

    @property
    def gathers_16_bits(self) -> bool:
        """Whether `combined_in_16_bits` gathers the numbers of all workers; else it all-reduces them."""
        return self.size <= _MOST_TO_GATHER

    def all_true(self, flag: Tensor, name: str) -> Tensor:
        """Returns whether a bool scalar tensor is true in all workers."""
        return tf.equal(self.sum(tf.cast(tf.logical_not(flag), tf.int32), name), 0)

    def broadcast_from_chief(self, tensor: Tensor, name: str) -> Tensor:
        """Returns the chief's tensor, bit for bit, in all workers; the others' are not computed if shapes are static.

        Raises:
          ClusterError: the dtype is not one of numbers or booleans.
        """
        if tensor.shape.num_elements() == 0 or self.size == 1:
            return tensor
        dtype = tensor.dtype.base_dtype
        with tf.name_scope("workers"), tf.device(self.device):
            bits = bits_of(tensor, dtype, name)
            if not self.is_chief:
                bits = tf.zeros(bits.shape, tf.int32) if bits.shape.is_fully_defined() else tf.zeros_like(bits)
            return from_bits(self.sum(bits, name), dtype)

    def chief_value_to_assign(self, tensor: Tensor, name: str) -> Tensor:
        """Returns the chief's tensor where it is written into a variable: in all workers."""
        return self.broadcast_from_chief(tensor, name)

    def all_gather(self, value: Tensor, name: str) -> Tensor:
        """Returns the vector of all workers' scalars, by the workers' numbers."""
        with tf.name_scope("workers"), tf.device(self.device):
            own = tf.one_hot(self.index, self.size, dtype=value.dtype)
            # Not by a product: 0 times NaN is NaN.
            return self.sum(tf.where(own > 0, tf.fill([self.size], value), tf.zeros([self.size], value.dtype)), name)

    def all_gather_row_counts(self, tensors: Sequence[Tensor], name: str) -> Tensor:
        """Returns how many rows each worker's tensors have: int32 of shape [workers, tensors]."""
        with tf.name_scope("workers"), tf.device(self.device):
            own = tf.stack([tf.shape(tensor)[0] for tensor in tensors])
            slot = tf.one_hot(self.index, self.size, dtype=tf.int32)
            return self.sum(slot[:, tf.newaxis] * own[tf.newaxis, :], name)

    def all_gather_rows(self, tensor: Tensor, rows: Tensor, name: str) -> Tensor:
        """Returns the rows of all workers' tensors, in the order of the workers.

            worker 0: a b     -> a b | c 0 0     -> a b c        each is as long as the longest on the way
            worker 1: c       -> a b | c 0 0     -> a b c

        Args:
          tensor: of one dtype in all workers, and of one shape but for the first axis; float16 and bfloat16 are sent as
            float32.
          rows: int32 of shape [workers], how many rows each has.
          name: the same in all workers; says what is gathered.
        """
        if self.size == 1:
            return tensor
        dtype = tensor.dtype
        with tf.name_scope("workers"), tf.device(self.device):
            sent = tf.cast(tensor, tf.float32) if dtype in _AS_FLOAT32 else tensor
            # No collective takes an empty tensor.
            longest, own = tf.maximum(tf.reduce_max(rows), 1), tf.shape(sent)[0]
            others = [[0, 0]] * (sent.shape.ndims - 1)
            if collectives.gathers_any_size():
                padded = tf.pad(sent, [[0, longest - own]] + others)
                whole = collectives.all_gather_between(padded, self.size, self._group, self._key(padded, name))
            else:
                before = self.index * longest
                placed = tf.pad(sent, [[before, self.size * longest - before - own]] + others)
                whole = self._all_reduce(placed, name)
            parts = [whole[worker * longest:worker * longest + rows[worker]] for worker in range(self.size)]
            return tf.cast(tf.concat(parts, axis=0), dtype)

    @property
    def tensor_names(self) -> List[str]:
        """The names of the tensors that the workers sum, gather or broadcast, dtypes and shapes included."""
        return sorted(self._keys.values())

    def _all_reduce(self, tensor: Tensor, name: str) -> Tensor:
        key = self._key(tensor, name)
        return collectives.all_reduce_between(tf.identity(tensor), self.size, self._group, key)

    def _key(self, tensor: Tensor, name: str) -> int:
        shape = "?" if not tensor.shape.is_fully_defined() else "x".join(map(str, tensor.shape.as_list()))
        text = "{} {} {}".format(name, tensor.dtype.name, shape)
        key = collectives.instance_key(text)
        while key in self._keys:
            text += "+"
            key = collectives.instance_key(text)
        self._keys[key] = text
        return key

    def __str__(self) -> str:
        return "{} of {} workers".format(self.cluster.task, self.size)


def on_task(cluster: Cluster, devices: Any) -> List[str]:
    """Returns device strings of this process with its task: "/cpu:1" is "/job:worker/task:0/device:CPU:1".

    Raises:
      ClusterError: one is a device of another task.
    """
    own = tf.DeviceSpec.from_string(cluster.task.device)
    found = []
    for device in devices:
        spec = tf.DeviceSpec.from_string(device)
        if (spec.job or own.job, own.task if spec.task is None else spec.task) != (own.job, own.task):
            raise ClusterError(
                "the tower on {!r} is not on {}: each worker builds its own towers alone".format(device, cluster.task)
            )
        merged = tf.DeviceSpec(
            job=own.job, task=own.task, replica=spec.replica, device_type=spec.device_type,
            device_index=spec.device_index,
        )
        found.append(str(merged.to_string()))
    return found


def cpu_of(task_device: str) -> str:
    """Returns the device string of the CPU of a task, whose own device is given."""
    return task_device + "/device:CPU:0"


def _not_exchangeable(name: str, dtype: Any) -> ClusterError:
    return ClusterError("workers can't exchange {!r}, which is {}".format(name, dtype.name))


def bits_of(tensor: Tensor, dtype: Any, name: str) -> Tensor:
    """Returns the values of a tensor as int32, with another axis for numbers of more than 32 bits.

    Raises:
      ClusterError: they are not numbers or booleans, or unsigned ones of 32 bits or more; names `name`.
    """
    if dtype == tf.int32:
        return tf.identity(tensor)
    if dtype in _AS_INT32:
        return tf.cast(tensor, tf.int32)
    if dtype in _AS_FLOAT32:
        return tf.bitcast(tf.cast(tensor, tf.float32), tf.int32)
    if dtype in _AS_BITS:
        return tf.bitcast(tensor, tf.int32)
    raise _not_exchangeable(name, dtype)


def from_bits(bits: Tensor, dtype: Any) -> Tensor:
    """Returns the tensor of `dtype` whose `bits_of` are given."""
    if dtype == tf.int32:
        return bits
    if dtype in _AS_INT32:
        return tf.cast(bits, dtype)
    if dtype in _AS_FLOAT32:
        return tf.cast(tf.bitcast(bits, tf.float32), dtype)
    return tf.bitcast(bits, dtype)
