"""Sums, gathers and broadcasts of workers on the parameter servers of a cluster, where the variables live too.

    worker 0: g0 \\                                            / step, losses: worker 0 continues
                   -> sum on the variable's server -> update                                       (the chief's run
    worker 1: g1 /                                            \\ step, losses: worker 1 continues    takes and applies)
"""
import re
from typing import Any, Dict, List, Optional

from legacy_towers.cluster.value import PARAMETER_SERVER, Cluster, Task
from legacy_towers.cluster.workers import Workers, cpu_of
from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import run_after
from legacy_towers.errors import ArgumentError, ClusterError
from legacy_towers.tensor_types import Gradient, Operation, Tensor

# A local step that is never too late, and one that always is.
IN_TIME, TOO_LATE = 2 ** 62, -1
_WIDE = (tf.float32, tf.float64)


def server_devices(cluster: Cluster) -> List[str]:
    """Returns the devices on which variables live: the CPU of each parameter server."""
    return [cpu_of(Task(PARAMETER_SERVER, index).device) for index in range(cluster.parameter_servers)]


def is_on_server(device: str) -> bool:
    """Returns whether a device string is one of a parameter server."""
    return bool(tf.DeviceSpec.from_string(device or "").job == PARAMETER_SERVER)


class ParameterServerWorkers(Workers):
    """The workers of a cluster with parameter servers, and what this one sends to and gets from these in one graph.

    Sums are computed on the servers, by `tf.ConditionalAccumulator`s: each worker adds its part, and the chief, whose
    run applies the update, takes the sum. The other workers' graphs have a placeholder in its place.

    Attributes:
      host: the device of the first parameter server, where the workers wait for each other.
      servers: the devices of all parameter servers.
      required: how many workers' parts an update takes: those that come first.
      backups: how many workers can be late.
      pushes: the operations by which this worker adds its parts.
      pushed: the tensors that it adds.
      before_pushes: operations that run before any part is added.
      last: the number of the push that comes last.
      local_step: int64 scalar: at least 0 if this worker's parts are added, less if they come too late.
      leftovers: the accumulators.
      admission: decides whose parts are in time; None: all are.
    """

    def __init__(self, cluster: Cluster, backups: int = 0) -> None:
        """
        Args:
          backups: see `check_backup_workers`.

        Raises:
          ClusterError: this process does not train, or there is no parameter server.
        """
        super().__init__(cluster)
        self.servers = server_devices(cluster)
        self.host = self.servers[0]
        self.backups = backups
        self.required = self.size - backups
        self.pushes: List[Operation] = []
        self.pushed: List[Tensor] = []
        self.before_pushes: List[Operation] = []
        self.local_step: Any = tf.constant(IN_TIME, tf.int64)
        self.leftovers: List[Any] = []
        self.admission: Any = None
        self.last = 0
        self._takes: Dict[int, Operation] = {}
        self._tensor_names: List[str] = []

    def sum(self, tensor: Tensor, name: str) -> Tensor:
        """Returns the sum of the workers' scalars, in all workers.

        Raises:
          ClusterError: there are backup workers, for whom nobody waits.
        """
        if self.backups:
            raise ClusterError(
                "workers with backups can't weight towers by their true examples, which all would have to wait for: "
                'use remainder="drop"'
            )
        return tf.reduce_sum(self.all_gather(tensor, name))

    def mean(self, tensor: Tensor, name: str) -> Tensor:
        """Returns the mean of the workers' tensors, at the chief."""
        return self.combined(tensor, False, name)

    def combined(self, tensor: Tensor, is_weighted: bool, name: str, device: Optional[str] = None) -> Tensor:
        """Returns the mean over all workers' towers, at the chief, from each worker's mean of its own.

        Args:
          is_weighted: whether the workers' parts are summed: their weights are part of them.
          device: of the server that sums; None: the first one.

        Raises:
          ClusterError: they are not floating-point numbers.
        """
        dtype, shape = tensor.dtype.base_dtype, tensor.shape
        with tf.name_scope("workers"):
            with tf.device(self.device):
                part = self._part(tensor, is_weighted, name)
            with tf.device(device or self.host):
                accumulator = tf.ConditionalAccumulator(
                    part.dtype, shape if shape.is_fully_defined() else None, self._shared(name, part.dtype, shape),
                    reduction_type="SUM",
                )
                self._push(lambda: accumulator.apply_grad(part, self.local_step), part)
                self.leftovers.append(accumulator)
                if not self.is_chief:
                    return _absent(dtype, shape)
                with tf.control_dependencies(self.pushes[-1:]):
                    total = accumulator.take_grad(self.required)
                self._takes[len(self.pushes) - 1] = total.op
                total.set_shape(shape)
                return tf.cast(total, dtype)

    def combined_gradient(self, gradient: Gradient, is_weighted: bool, name: str, device: str) -> Gradient:
        """Returns the same for a gradient, which stays sparse if it is: with each row once, in ascending order."""
        if not isinstance(gradient, tf.IndexedSlices):
            return self.combined(gradient, is_weighted, name, device)
        dtype, row = gradient.values.dtype, gradient.values.shape[1:]
        with tf.name_scope("workers"):
            with tf.device(self.device):
                indices, values = _sorted_rows(gradient.indices, self._part(gradient.values, is_weighted, name))
            with tf.device(device):
                text = self._shared(name, values.dtype, row)
                accumulator = tf.SparseConditionalAccumulator(values.dtype, None, text, reduction_type="SUM")
                self._push(lambda: accumulator.apply_grad(indices, values, local_step=self.local_step), values)
                self.leftovers.append(accumulator)
                if not self.is_chief:
                    rows = tf.TensorShape([None]).concatenate(row)
                    return tf.IndexedSlices(
                        _absent(dtype, rows), _absent(gradient.indices.dtype, tf.TensorShape([None])),
                        gradient.dense_shape,
                    )
                with tf.control_dependencies(self.pushes[-1:]):
                    taken = accumulator.take_indexed_slices_grad(self.required)
                self._takes[len(self.pushes) - 1] = taken.values.op
                total = tf.cast(taken.values, dtype)
                total.set_shape(tf.TensorShape([None]).concatenate(row))
                return tf.IndexedSlices(total, tf.cast(taken.indices, gradient.indices.dtype), gradient.dense_shape)

    def broadcast_from_chief(self, tensor: Tensor, name: str) -> Tensor:
        """Returns the chief's tensor, of a known shape, in all workers; the others' are not computed."""
        dtype, shape = tensor.dtype.base_dtype, tensor.shape
        text = self._shared(name, dtype, shape)
        with tf.name_scope("workers"), tf.device(self.host):
            queues = [
                tf.FIFOQueue(1, [dtype], [shape], shared_name="{} for {}".format(text, each)) for each in self.names
            ]
            if not self.is_chief:
                return queues[self.index].dequeue()
            with tf.control_dependencies([each.enqueue(tensor) for each in queues[1:]]):
                return tf.identity(tensor)

    def chief_value_to_assign(self, tensor: Tensor, name: str) -> Tensor:
        """Returns the chief's tensor at the chief, which alone writes variables."""
        return tensor if self.is_chief else _absent(tensor.dtype.base_dtype, tensor.shape)

    def all_gather(self, value: Tensor, name: str) -> Tensor:
        """Returns the vector of all workers' scalars, by the workers' numbers, in all workers.

        The chief gathers it and passes it on: so none begins the next gather of the same name before all have ended
        this one.
        """
        text = self._shared(name, value.dtype, value.shape)
        with tf.name_scope("workers"), tf.device(self.host):
            gathered = tf.FIFOQueue(self.size, [tf.int64, value.dtype], [[], []], shared_name=text)
            results = [
                tf.FIFOQueue(1, [value.dtype], [[self.size]], shared_name="{} for {}".format(text, name_of))
                for name_of in self.names
            ]
            sent = gathered.enqueue([tf.constant(self.index, tf.int64), value])
            if not self.is_chief:
                with tf.control_dependencies([sent]):
                    return results[self.index].dequeue()
            with tf.control_dependencies([sent]):
                numbers, values = gathered.dequeue_many(self.size)
            vector = tf.scatter_nd(numbers[:, tf.newaxis], values, tf.constant([self.size], tf.int64))
            with tf.control_dependencies([each.enqueue(vector) for each in results[1:]]):
                return tf.identity(vector)

    def all_true(self, flag: Tensor, name: str) -> Tensor:
        """Returns whether a bool scalar tensor is true in all workers.

        Raises:
          ClusterError: there are backup workers, for whom nobody waits.
        """
        if self.backups:
            raise ClusterError(
                "workers with backups can't all skip a step because of one of them: put loss_scale after the mean, as "
                "in mean+loss_scale:1024"
            )
        return super().all_true(flag, name)

    def order(self) -> None:
        """Lets no update begin before all workers have computed their parts: until then they read the variables.

        The last push of each comes after its others, and the chief takes the sum of these last ones before the others.
        """
        for number, push in enumerate(self.pushes):
            if number != self.last:
                run_after(self.pushes[self.last], push)
                if number in self._takes:
                    run_after(self._takes[number], self._takes[self.last])

    def queue_of(self, worker: int, name: str, length: int) -> Any:
        """Returns the queue of float64 vectors of `length` from which a worker takes what the chief decides."""
        text = self._shared("{} of {}".format(name, self.names[worker]), tf.float64, tf.TensorShape([length]))
        with tf.device(self.host):
            return tf.FIFOQueue(2 ** 31 - 1, [tf.float64], [[length]], shared_name=text)

    def variable(self, value: Any, name: str) -> Any:
        """Returns a variable on the first server, in no collection: a hook of the chief initializes it."""
        with tf.device(self.host):
            return tf.Variable(value, trainable=False, collections=[], name=name, use_resource=True)

    @property
    def tensor_names(self) -> List[str]:
        """The names of the tensors that the workers sum, gather or broadcast, dtypes and shapes included."""
        return sorted(self._tensor_names)

    def _part(self, tensor: Tensor, is_weighted: bool, name: str) -> Tensor:
        wide = tf.cast(tensor, tf.float32) if tensor.dtype in (tf.float16, tf.bfloat16) else tf.identity(tensor)
        if wide.dtype not in _WIDE:
            raise ClusterError("parameter servers can't sum {!r}, which is {}".format(name, tensor.dtype.name))
        return wide if is_weighted else wide / tf.constant(self.required, wide.dtype)

    def _push(self, push: Any, part: Tensor) -> None:
        with tf.control_dependencies(self.before_pushes):
            self.pushes.append(push())
        self.pushed.append(part)

    def _shared(self, name: str, dtype: Any, shape: Any) -> str:
        """Returns the name of a resource on a server, the same in all workers; of another graph if that differs."""
        text = "{} {} {}".format(name, dtype.name, shape)
        text = "legacy_towers " + re.sub(r"[^A-Za-z0-9_.:/ -]+", "_", text)
        while text in self._tensor_names:
            text += "+"
        self._tensor_names.append(text)
        return text


def workers_of(cluster: Optional[Cluster], backups: int = 0) -> Optional[Workers]:
    """Returns the `Workers` of a cluster for a new graph, or its `ParameterServerWorkers`; None without a cluster.

    Raises:
      ArgumentError: `backups` is not a number of workers that can be late.
      ClusterError: this process does not train, or backups are given without parameter servers.
    """
    check_backup_workers(cluster, backups)
    if cluster is not None and cluster.parameter_servers:
        return ParameterServerWorkers(cluster, backups)
    return None if cluster is None else Workers(cluster)


def check_backup_workers(cluster: Optional[Cluster], backups: Any, name: str = "backup_workers") -> None:
    """Checks how many workers a synchronous update does not wait for.

    Args:
      name: of the option, for the message.

    Raises:
      ArgumentError: it is not a number of workers that can be late.
      ClusterError: it is not 0, and there are no parameter servers.
    """
    if backups and (cluster is None or not cluster.parameter_servers):
        raise ClusterError(
            "{} is {}: only workers that train by parameter servers can leave out late ones".format(name, backups)
        )
    workers = 1 if cluster is None else max(cluster.workers, 1)
    is_number = isinstance(backups, int) and not isinstance(backups, bool)
    if not is_number or not 0 <= backups < workers:
        raise ArgumentError("{} is {!r}: allowed are 0 to {}, with {} workers".format(
            name, backups, workers - 1, workers
        ))


def _sorted_rows(indices: Tensor, values: Tensor) -> Any:
    """Returns the int64 indices in ascending order, each once, with the sums of their rows."""
    order = tf.argsort(indices, stable=True)
    unique, positions = tf.unique(tf.gather(tf.cast(indices, tf.int64), order))
    return unique, tf.math.segment_sum(tf.gather(values, order), positions)


def _absent(dtype: Any, shape: Any) -> Tensor:
    return tf.placeholder(dtype, shape, name="only_the_chief_has_it")
