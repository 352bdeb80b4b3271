"""The cluster and the task of this process, from the environment variable TF_CONFIG."""
import json
import os
from typing import Any, Dict, NamedTuple, Optional, Tuple

from legacy_towers.compat.versions import tf


class TaskType:
    """The types of tasks in a cluster."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"


class Task(NamedTuple):
    """The task of this process in its cluster.

    Attributes:
      cluster_spec: the tf.train.ClusterSpec of the training processes; empty in an evaluator and without a cluster.
      task_type: one of `TaskType`.
      task_id: the index of the task among those of its type.
      master: the target of training sessions.
      evaluation_master: the target of evaluation sessions.
      is_chief: whether this process writes checkpoints.
      num_ps_replicas: the number of parameter servers.
      num_worker_replicas: the number of workers, the chief included.
      global_id: 0 for the chief, then the other workers; None in an evaluator.
      service: the value of "service" in TF_CONFIG.
    """

    cluster_spec: Any
    task_type: Optional[str]
    task_id: int
    master: str
    evaluation_master: str
    is_chief: bool
    num_ps_replicas: int
    num_worker_replicas: int
    global_id: Optional[int]
    service: Optional[Dict[str, Any]]


def read() -> Dict[str, Any]:
    """Returns the contents of TF_CONFIG, {} if it is not set."""
    return json.loads(os.environ.get("TF_CONFIG", "{}"))


def spec_of(tf_config: Dict[str, Any]) -> Any:
    """Returns the tf.train.ClusterSpec of TF_CONFIG, which is empty without a cluster."""
    return tf.train.ClusterSpec(tf_config.get("cluster", {}))


def this_task(tf_config: Dict[str, Any]) -> Task:
    """Returns the task of this process.

    Raises:
      ValueError: `tf_config` is inconsistent.
      TypeError: "service" is not a dict.
    """
    cluster = spec_of(tf_config)
    task = tf_config.get("task", {})
    service = tf_config.get("service")
    if service is not None and not isinstance(service, dict):
        raise TypeError('If "service" is set in TF_CONFIG, it must be a dict. Given {}'.format(type(service)))
    if not cluster:
        return _local_task(tf_config, task, cluster, service)
    chief = TaskType.MASTER if TaskType.MASTER in cluster.jobs else TaskType.CHIEF
    if chief == TaskType.MASTER and TaskType.CHIEF in cluster.jobs:
        raise ValueError("If `master` node exists in `cluster`, job `chief` is not supported.")
    kind, number = _task(cluster, task, chief)
    if kind == TaskType.EVALUATOR:
        if chief == TaskType.MASTER:
            raise ValueError("If `master` node exists in `cluster`, task_type `evaluator` is not supported.")
        evaluation_master = tf_config.get("eval_session_master", "")
        return Task(tf.train.ClusterSpec({}), kind, number, "", evaluation_master, False, 0, 0, None, service)
    tasks = cluster.as_dict()
    return Task(
        cluster,
        kind,
        number,
        _master(cluster, kind, number, tf_config),
        "",
        kind == chief,
        len(tasks.get(TaskType.PS, [])),
        len(tasks.get(TaskType.WORKER, [])) + len(tasks.get(chief, [])),
        _global_id(cluster, kind, number, chief),
        service,
    )


def task_of(cluster: Any, kind: str, number: int, master: str, is_chief: bool) -> Task:
    """Returns the task of a process in a cluster that need not have a chief: worker 0 is it then."""
    tasks = cluster.as_dict()
    workers = len(tasks.get(TaskType.WORKER, [])) + len(tasks.get(TaskType.CHIEF, []))
    servers, place = len(tasks.get(TaskType.PS, [])), _global_id(cluster, kind, number, TaskType.CHIEF)
    return Task(cluster, kind, number, master, master, is_chief, servers, workers, place, None)


def _local_task(tf_config: Dict[str, Any], task: Dict[str, Any], cluster: Any, service: Any) -> Task:
    kind = task.get("type", TaskType.WORKER)
    if kind != TaskType.WORKER:
        raise ValueError('If "cluster" is not set in TF_CONFIG, task type must be WORKER.')
    if int(task.get("index", 0)) != 0:
        raise ValueError('If "cluster" is not set in TF_CONFIG, task index must be 0.')
    masters = tf_config.get("session_master", ""), tf_config.get("eval_session_master", "")
    return Task(cluster, kind, 0, masters[0], masters[1], True, 0, 1, 0, service)


def _task(cluster: Any, task: Dict[str, Any], chief: str) -> Tuple[str, int]:
    if chief not in cluster.jobs:
        raise ValueError('If "cluster" is set in TF_CONFIG, it must have one "{}" node.'.format(chief))
    if len(cluster.job_tasks(chief)) > 1:
        raise ValueError('The "cluster" in TF_CONFIG must have only one "{}" node.'.format(chief))
    kind, number = task.get("type"), task.get("index")
    if not kind:
        raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
    if number is None:
        raise ValueError('If "cluster" is set in TF_CONFIG, task index must be set.')
    if int(number) < 0:
        raise ValueError("Task index must be non-negative number.")
    if kind == TaskType.EVALUATOR:
        return kind, int(number)
    if kind not in cluster.jobs or int(number) >= len(cluster.job_tasks(kind)):
        raise ValueError("{} {} is not a task of the cluster in TF_CONFIG: {}".format(kind, number, cluster.as_dict()))
    return kind, int(number)


def _master(cluster: Any, kind: str, number: int, tf_config: Dict[str, Any]) -> str:
    if "session_master" in tf_config:
        return tf_config["session_master"]
    if len(cluster.jobs) == 1 and len(cluster.job_tasks(cluster.jobs[0])) == 1:
        return ""  # a single process needs no server
    return "grpc://" + cluster.job_tasks(kind)[number]


def _global_id(cluster: Any, kind: str, number: int, chief: str) -> int:
    others = [job for job in sorted(cluster.jobs) if job not in (chief, TaskType.PS)]
    order = [chief] + others + [TaskType.PS]
    tasks = cluster.as_dict()
    return number + sum(len(tasks.get(job, ())) for job in order[: order.index(kind)])
