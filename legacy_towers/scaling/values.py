"""What a prediction is computed from, and the prediction itself: plain values in seconds and bytes."""
from typing import Dict, List, NamedTuple, Optional, Tuple

from legacy_towers.text.documented_fields import documented_fields


@documented_fields
class VariableCosts(NamedTuple):
    """What one trained variable costs in each step.

    Attributes:
      name: the name of the variable.
      bytes: its size; of a part of a variable, its share.
      read_bytes: what a tower reads of it from a parameter server: all of it, or a row for each lookup.
      sent_bytes: the gradient of a worker: as large as the variable, or each row that its batches use, once, with its
        index.
      tower_sent_bytes: the gradient of a tower that trains asynchronously: a row with its index for each lookup.
      ready: when its gradient is computed: 0 is the start of the towers' computation, 1 the end of its last gradient.
      rows: the different rows that the batches of a worker use, for a sparse gradient; None for a dense one.
      index_bytes: the indices that a tower sends to read rows; 0 where it reads the whole variable.
    """

    name: str
    bytes: float
    read_bytes: float
    sent_bytes: float
    tower_sent_bytes: float
    ready: float
    rows: Optional[int] = None
    index_bytes: float = 0


@documented_fields
class Message(NamedTuple):
    """What `replicated` exchanges at once: a large gradient, several small ones together, or a sparse one.

    Attributes:
      bytes: of the tensor that is all-reduced; for a sparse gradient with more rows than its variable, the dense one.
      ready: when the last of its gradients is computed, from 0 to 1 as in `VariableCosts`.
      sparse_bytes: the rows of one worker with their indices; 0 for dense gradients.
      most_workers: the rows of so many workers are gathered; those of more are all-reduced. 0 for dense gradients.
    """

    bytes: int
    ready: float
    sparse_bytes: int = 0
    most_workers: int = 0


@documented_fields
class JobCosts(NamedTuple):
    """What one worker computes and exchanges in each step.

    Attributes:
      towers: of a worker.
      examples: the examples of a step of one worker, over its towers.
      step_seconds: a step in one process, without input: towers, reduction within the process, update.
      update_seconds: the part of it after the last gradient.
      cpu_seconds: the CPU time of all threads in a step.
      variables: the trained variables.
      messages: what `replicated` exchanges between the workers, in the order in which it is sent.
    """

    towers: int
    examples: int
    step_seconds: float
    update_seconds: float
    cpu_seconds: float
    variables: List[VariableCosts]
    messages: List[Message]

    @property
    def examples_per_second(self) -> float:
        """Those of one process without a network."""
        return self.examples / self.step_seconds


@documented_fields
class Network(NamedTuple):
    """The network between the machines: each worker and each parameter server has one, with one link.

    Attributes:
      bandwidth: bytes per second of a link, in each direction.
      latency: seconds of a small packet from one machine to another: half of what `ping` reports.
      cores: CPU cores of a worker and of a parameter server.
    """

    bandwidth: float
    latency: float
    cores: float


@documented_fields
class RuntimeCosts(NamedTuple):
    """What TensorFlow's runtime costs besides the network, from the tasks of a cluster on one machine.

    Attributes:
      hop_seconds: an all-reduce that is tiny, per message that goes from one worker to the next.
      hop_cpu_seconds: CPU time of a worker for each such message that it sends and receives.
      ring_byte_seconds: CPU time of a worker per byte that it sends and receives in an all-reduce.
      step_seconds: a step over parameter servers of a tiny model, beyond the same step in one process.
      asynchronous_step_seconds: an asynchronous step of a tiny model over parameter servers, beyond the same.
      worker_variable_seconds: CPU time of a worker for each variable that it reads and whose gradient it sends.
      server_variable_seconds: CPU time of a parameter server for each variable of each worker.
      worker_byte_seconds: CPU time of a worker per byte that it reads or sends.
      server_byte_seconds: CPU time of a parameter server per byte of a worker, summing and updating included.
      tensorflow: the version that was measured.
    """

    hop_seconds: float
    hop_cpu_seconds: float
    ring_byte_seconds: float
    step_seconds: float
    asynchronous_step_seconds: float
    worker_variable_seconds: float
    server_variable_seconds: float
    worker_byte_seconds: float
    server_byte_seconds: float
    tensorflow: str

    @property
    def is_tensorflow_1(self) -> bool:
        """Whether TensorFlow 1.15 was measured, some of whose exchanges are others than those of 2.x."""
        return self.tensorflow.startswith("1.")

    def worker_seconds(self, size: float, variables: int) -> float:
        """Returns the CPU seconds of a worker that reads or sends `size` bytes of so many variables."""
        return size * self.worker_byte_seconds + variables * self.worker_variable_seconds

    def server_seconds(self, size: float, variables: int) -> float:
        """Returns the CPU seconds of a parameter server for `size` bytes of so many variables of one worker."""
        return size * self.server_byte_seconds + variables * self.server_variable_seconds


@documented_fields
class Prediction(NamedTuple):
    """The step of one strategy over one number of workers.

    Attributes:
      strategy: as in `--variables`, such as "replicated".
      workers: how many there are.
      servers: how many parameter servers; 0 for all-reduces.
      step_seconds: seconds from one step to the next; of asynchronous training, of one tower.
      examples_per_second: of all workers.
      sent_bytes: what a worker sends over the network in a step of its towers.
      received_bytes: what it receives.
      parts: what limits the step -> how many seconds it takes in it; parts can run at the same time.
      examples_per_second_range: the least and the most, which depend on how the rounds of asynchronous towers overlap;
        `examples_per_second` is their mean in the long run. None for synchronous training.
    """

    strategy: str
    workers: int
    servers: int
    step_seconds: float
    examples_per_second: float
    sent_bytes: float
    received_bytes: float
    parts: Dict[str, float]
    examples_per_second_range: Optional[Tuple[float, float]] = None

    @property
    def limited_by(self) -> str:
        """The part that takes the longest."""
        return max(self.parts, key=lambda name: self.parts[name])


def compute_seconds(job: JobCosts, network: Network) -> float:
    """Returns how long a step computes on a machine of the cluster, which may have fewer cores than this one."""
    return max(job.step_seconds, job.cpu_seconds / network.cores)


COMPUTE = "compute"
LATENCY = "latency"
RUNTIME = "TensorFlow's runtime"
WORKER_LINK = "bandwidth of a worker"
SERVER_LINK = "bandwidth of a parameter server"
WORKER_CPU = "CPU of a worker"
SERVER_CPU = "CPU of a parameter server"
LOCK = "the lock of updates"
