"""The value that describes a cluster: its tasks and their addresses, and which of them this process is."""
import json
from typing import Any, Dict, List, NamedTuple, Tuple

from legacy_towers.text.names import counted

CHIEF, WORKER, PARAMETER_SERVER, EVALUATOR = "chief", "worker", "ps", "evaluator"
# How long a task waits for the others at the start.
START_SECONDS = 25.0
JOBS = (CHIEF, WORKER, PARAMETER_SERVER, EVALUATOR)


class Task(NamedTuple):
    """One process of a cluster, such as `worker:1`.

    Attributes:
      type: the name of its job: "chief", "worker", "ps" or "evaluator".
      task_index: its number within the job, from 0.
    """

    type: str
    task_index: int

    def __str__(self) -> str:
        return "{}:{}".format(self.type, self.task_index)

    @property
    def device(self) -> str:
        """The prefix of its devices, such as "/job:worker/task:1"."""
        return "/job:{}/task:{}".format(self.type, self.task_index)


class Cluster(NamedTuple):
    """The tasks of a cluster, and which of them this process is; `lt.cluster.from_environment` creates it.

    Attributes:
      jobs: for each job its name and the addresses "host:port" of its tasks, by index.
      task: the task that this process is.
      source: what described the cluster, such as "TF_CONFIG".
      variables: the names and values that were read, such as ("SLURM_PROCID", "1").
      unused: what else describes a cluster, and was not read, since `source` is more explicit.
    """

    jobs: Tuple[Tuple[str, Tuple[str, ...]], ...]
    task: Task
    source: str = "arguments"
    variables: Tuple[Tuple[str, str], ...] = ()
    unused: Tuple[str, ...] = ()

    @property
    def task_type(self) -> str:
        """The job of this process: "chief", "worker", "ps" or "evaluator"."""
        return self.task.type

    @property
    def task_index(self) -> int:
        """The number of this process within its job, from 0."""
        return self.task.task_index

    def addresses(self, job: str) -> Tuple[str, ...]:
        """Returns the addresses of the tasks of a job, by index; () if the cluster has no such job."""
        return dict(self.jobs).get(job, ())

    @property
    def address(self) -> str:
        """The address "host:port" of this process; "" for an evaluator that is not in the cluster."""
        addresses = self.addresses(self.task.type)
        return addresses[self.task.task_index] if self.task.task_index < len(addresses) else ""

    @property
    def training_tasks(self) -> List[Task]:
        """The tasks that train, the chief first: the chief, if there is a job of this name, and the workers."""
        return [Task(job, index) for job in (CHIEF, WORKER) for index in range(len(self.addresses(job)))]

    @property
    def connected_tasks(self) -> List[Task]:
        """All tasks that have a server: the chief, the workers and the parameter servers."""
        servers = range(len(self.addresses(PARAMETER_SERVER)))
        return self.training_tasks + [Task(PARAMETER_SERVER, index) for index in servers]

    @property
    def chief(self) -> Task:
        """The task that saves checkpoints and summaries: that of the job "chief", else worker 0."""
        return self.training_tasks[0]

    @property
    def is_chief(self) -> bool:
        """Whether this process is the chief."""
        return self.task == self.chief

    @property
    def workers(self) -> int:
        """The number of tasks that train, the chief included."""
        return len(self.training_tasks)

    @property
    def parameter_servers(self) -> int:
        """The number of parameter servers."""
        return len(self.addresses(PARAMETER_SERVER))

    def address_of(self, task: Task) -> str:
        """Returns the address "host:port" of a task of the cluster."""
        return self.addresses(task.type)[task.task_index]

    def to_dict(self) -> Dict[str, List[str]]:
        """Returns job -> addresses, without the evaluator, which has no part in TensorFlow's cluster."""
        return {job: list(addresses) for job, addresses in self.jobs if job != EVALUATOR}

    def to_tf_config(self) -> str:
        """Returns the JSON text of TF_CONFIG for this process, as tf.estimator and tf.distribute read it."""
        task = {"type": self.task_type, "index": self.task_index}
        return json.dumps({"cluster": self.to_dict(), "task": task})

    def to_cluster_spec(self) -> Any:
        """Returns the tf.train.ClusterSpec, for `tf.train.Server`."""
        from legacy_towers.compat import tf

        return tf.train.ClusterSpec(self.to_dict())

    def __str__(self) -> str:
        """Describes the cluster in lines: this task, the tasks with their addresses, and what was read."""
        lines = ["cluster: {} and {}; this is {}{}, from {}".format(
            counted(self.workers, "worker"), counted(self.parameter_servers, "parameter server"), self.task,
            " (the chief)" if self.is_chief and self.task.type != CHIEF else "", self.source,
        )]
        for job, addresses in self.jobs:
            lines.append("  {}: {}".format(job, ", ".join(addresses)))
        for name, value in self.variables:
            lines.append("  read {}={}".format(name, value))
        lines += ["  not used: {}".format(each) for each in self.unused]
        return "\n".join(lines)
