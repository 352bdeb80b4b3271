"""RunConfig: the settings of an Estimator's runs."""
import copy
import os
import tempfile
from typing import Any, Optional

from legacy_towers.compat.tf1.estimator import cluster, over_workers
from legacy_towers.compat.tf1.estimator.cluster import TaskType
from legacy_towers.compat.versions import tf

__all__ = ["RunConfig", "TaskType"]

_NOT_GIVEN = object()
_REPLACEABLE = (
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "train_distribute",
    "device_fn",
    "protocol",
    "eval_distribute",
    "experimental_distribute",
    "experimental_max_worker_delay_secs",
    "session_creation_timeout_secs",
)
# property -> (test of its value, text of the requirement)
_BOUNDS = {
    "model_dir": (bool, "non-empty"),
    "save_summary_steps": (lambda steps: steps >= 0, ">= 0"),
    "save_checkpoints_steps": (lambda steps: steps >= 0, ">= 0"),
    "save_checkpoints_secs": (lambda seconds: seconds >= 0, ">= 0"),
    "keep_checkpoint_max": (lambda number: number >= 0, ">= 0"),
    "keep_checkpoint_every_n_hours": (lambda hours: hours > 0, "> 0"),
    "log_step_count_steps": (lambda steps: steps > 0, "> 0"),
    "tf_random_seed": (lambda seed: isinstance(seed, int), "integer"),
    "device_fn": (callable, "callable with exactly one argument"),
    "session_creation_timeout_secs": (lambda seconds: seconds > 0, "> 0"),
}
# The beginnings of the names of strategies.
_STRATEGIES = (
    "MirroredStrategy",
    "OneDeviceStrategy",
    "ParameterServerStrategy",
    "CollectiveAllReduceStrategy",
    "CentralStorageStrategy",
)
_BOTH = "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."


class RunConfig:
    """The settings of an Estimator's runs: seed, checkpoints, summaries, session, and cluster (from TF_CONFIG).

    The arguments and their defaults are those of TensorFlow 1.15; each is also a property. If neither
    `save_checkpoints_steps` nor `save_checkpoints_secs` is given, a checkpoint is written every 600 s.
    `train_distribute` and `eval_distribute`, or those of `experimental_distribute`, are strategies of one process, or
    of the workers of TF_CONFIG: then the config has the task of this process only during `train_and_evaluate`.

    Raises:
      ValueError: a value is out of range, both `save_checkpoints_steps` and `save_checkpoints_secs` are set, or
        TF_CONFIG is inconsistent.
    """

    def __init__(
        self,
        model_dir: Optional[str] = None,
        tf_random_seed: Optional[int] = None,
        save_summary_steps: Optional[int] = 100,
        save_checkpoints_steps: Any = _NOT_GIVEN,
        save_checkpoints_secs: Any = _NOT_GIVEN,
        session_config: Any = None,
        keep_checkpoint_max: Optional[int] = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: Optional[int] = 100,
        train_distribute: Any = None,
        device_fn: Any = None,
        protocol: Optional[str] = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: Optional[int] = None,
        session_creation_timeout_secs: int = 7200,
    ) -> None:
        if save_checkpoints_steps is _NOT_GIVEN and save_checkpoints_secs is _NOT_GIVEN:
            save_checkpoints_secs = 600
        steps = None if save_checkpoints_steps is _NOT_GIVEN else save_checkpoints_steps
        seconds = None if save_checkpoints_secs is _NOT_GIVEN else save_checkpoints_secs
        if steps is not None and seconds is not None:
            raise ValueError(_BOTH)
        tf_config = cluster.read()
        self._model_dir = _model_dir(tf_config, model_dir)
        self._tf_random_seed = tf_random_seed
        self._save_summary_steps = save_summary_steps
        self._save_checkpoints_steps = steps
        self._save_checkpoints_secs = seconds
        self._session_config = session_config
        self._keep_checkpoint_max = keep_checkpoint_max
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._log_step_count_steps = log_step_count_steps
        self._train_distribute = train_distribute
        self._device_fn = device_fn
        self._protocol = protocol
        self._eval_distribute = eval_distribute
        self._experimental_distribute = experimental_distribute
        self._experimental_max_worker_delay_secs = experimental_max_worker_delay_secs
        self._session_creation_timeout_secs = session_creation_timeout_secs
        self._distribute_coordinator_mode: Any = None
        self._take_strategies()
        self._distribute_coordinator_mode = over_workers.mode_of(tf_config, self._train_distribute)
        self._check()
        if self._distribute_coordinator_mode is not None:
            # The coordinator gives the task to `train_and_evaluate`; until then this is worker 0 of 1, as in 1.15.
            self._set_task(cluster.this_task({})._replace(cluster_spec=cluster.spec_of(tf_config)))
            return
        self._set_task(cluster.this_task(tf_config))
        if self._session_config is None and self._cluster_spec:
            self._session_config = _filtered_config(self._task_type, self._task_id)

    def _set_task(self, task: cluster.Task) -> None:
        self._cluster_spec = task.cluster_spec
        self._task_type = task.task_type
        self._task_id = task.task_id
        self._master = task.master
        self._evaluation_master = task.evaluation_master
        self._is_chief = task.is_chief
        self._num_ps_replicas = task.num_ps_replicas
        self._num_worker_replicas = task.num_worker_replicas
        self._global_id_in_cluster = task.global_id
        self._service = task.service

    def _check(self) -> None:
        for name, (is_valid, requirement) in _BOUNDS.items():
            value = getattr(self, "_" + name)
            if value is not None and not is_valid(value):
                raise ValueError("{} should be {}, given: {!r}".format(name, requirement, value))
        if self._session_config is not None and not isinstance(self._session_config, tf.ConfigProto):
            raise ValueError("session_config must be instance of ConfigProto, given: {!r}".format(self._session_config))
        self._take_strategies()
        for name in ("train_distribute", "eval_distribute"):
            _check_strategy(name, getattr(self, "_" + name), self._distribute_coordinator_mode is not None)

    def _take_strategies(self) -> None:
        """Sets the strategies of `experimental_distribute`, a DistributeConfig, which are those of this process."""
        config = self._experimental_distribute
        for name in ("train_distribute", "eval_distribute") if config is not None else ():
            strategy, own = getattr(config, name), getattr(self, "_" + name)
            if strategy is not None and own is not None and own is not strategy:
                raise ValueError("Either `{0}` or `experimental_distribute.{0}` can be set.".format(name))
            setattr(self, "_" + name, own if strategy is None else strategy)
        if getattr(config, "remote_cluster", None):
            raise ValueError(
                "experimental_distribute with a remote_cluster is not supported: start a process per task with its "
                "TF_CONFIG"
            )

    def replace(self, **changes: Any) -> "RunConfig":
        """Returns a copy with the given values.

        A new `save_checkpoints_steps` unsets `save_checkpoints_secs`, and vice versa.

        Raises:
          ValueError: a property can't be replaced, or a value is out of range.
        """
        changed = copy.deepcopy(self)
        for name, value in changes.items():
            if name not in _REPLACEABLE:
                raise ValueError(
                    "Replacing {} is not supported. Allowed properties are {}.".format(name, list(_REPLACEABLE))
                )
            setattr(changed, "_" + name, value)
        steps, seconds = changes.get("save_checkpoints_steps"), changes.get("save_checkpoints_secs")
        if steps is not None and seconds is not None:
            raise ValueError(_BOTH)
        if steps is not None:
            changed._save_checkpoints_secs = None
        elif seconds is not None:
            changed._save_checkpoints_steps = None
        changed._check()
        return changed

    def __deepcopy__(self, memo: Any) -> "RunConfig":
        # A shallow copy, since strategies contain threads and can't be copied; the other values are never changed.
        copied = copy.copy(self)
        memo[id(self)] = copied
        return copied

    cluster_spec = property(lambda self: self._cluster_spec)
    device_fn = property(lambda self: self._device_fn)
    eval_distribute = property(lambda self: self._eval_distribute)
    evaluation_master = property(lambda self: self._evaluation_master)
    experimental_max_worker_delay_secs = property(lambda self: self._experimental_max_worker_delay_secs)
    global_id_in_cluster = property(lambda self: self._global_id_in_cluster)
    is_chief = property(lambda self: self._is_chief)
    keep_checkpoint_every_n_hours = property(lambda self: self._keep_checkpoint_every_n_hours)
    keep_checkpoint_max = property(lambda self: self._keep_checkpoint_max)
    log_step_count_steps = property(lambda self: self._log_step_count_steps)
    master = property(lambda self: self._master)
    model_dir = property(lambda self: self._model_dir)
    num_ps_replicas = property(lambda self: self._num_ps_replicas)
    num_worker_replicas = property(lambda self: self._num_worker_replicas)
    protocol = property(lambda self: self._protocol)
    save_checkpoints_secs = property(lambda self: self._save_checkpoints_secs)
    save_checkpoints_steps = property(lambda self: self._save_checkpoints_steps)
    save_summary_steps = property(lambda self: self._save_summary_steps)
    service = property(lambda self: self._service)
    session_config = property(lambda self: self._session_config)
    session_creation_timeout_secs = property(lambda self: self._session_creation_timeout_secs)
    task_id = property(lambda self: self._task_id)
    task_type = property(lambda self: self._task_type)
    tf_random_seed = property(lambda self: self._tf_random_seed)
    train_distribute = property(lambda self: self._train_distribute)


def default_session_config() -> Any:
    """Returns the default tf.ConfigProto of an Estimator: soft placement and one iteration of the meta optimizer."""
    config = tf.ConfigProto(allow_soft_placement=True)
    rewriting = config.graph_options.rewrite_options
    rewriting.meta_optimizer_iterations = rewriting.ONE
    return config


def with_directory(config: Optional[RunConfig], model_dir: Optional[str]) -> RunConfig:
    """Returns `config` with a session_config and a model_dir, by default a temporary folder.

    Raises:
      ValueError: `config` is not a RunConfig, or has another model_dir than `model_dir`.
    """
    if config is None:
        config = RunConfig()
        tf.logging.info("Using default config.")
    if not isinstance(config, RunConfig):
        raise ValueError("config must be an instance of `RunConfig`, but provided {}.".format(config))
    if config.session_config is None:
        config = config.replace(session_config=default_session_config())
    model_dir = os.fspath(model_dir) if model_dir is not None else None
    if model_dir and config.model_dir and config.model_dir != model_dir:
        raise ValueError(
            "`model_dir` are set both in constructor and `RunConfig`, but with different values. In constructor: "
            "'{}', in `RunConfig`: '{}' ".format(model_dir, config.model_dir)
        )
    if not model_dir and not config.model_dir:
        model_dir = tempfile.mkdtemp()
        tf.logging.warning("Using temporary folder as model directory: %s", model_dir)
    return config.replace(model_dir=model_dir) if model_dir else config


def replica_device_setter(config: RunConfig) -> Any:
    """Returns the device function for a cluster with parameter servers, None without them."""
    if not config.num_ps_replicas:
        return None
    worker = "/job:{}/task:{}".format(config.task_type, config.task_id) if config.task_type else "/job:worker"
    return tf.train.replica_device_setter(
        ps_tasks=config.num_ps_replicas, worker_device=worker, merge_devices=True, cluster=config.cluster_spec
    )


def _filtered_config(task_type: Optional[str], task_id: int) -> Any:
    """Returns a config whose device filters exclude other workers, so that a worker that ends does not stop the rest.

    None for other tasks.
    """
    filters = {
        TaskType.MASTER: ["/job:ps", "/job:master"],
        TaskType.CHIEF: ["/job:ps", "/job:chief"],
        TaskType.WORKER: ["/job:ps", "/job:worker/task:{}".format(task_id)],
        TaskType.PS: ["/job:ps", "/job:worker", "/job:chief", "/job:master"],
    }.get(str(task_type))
    if filters is None:
        return None
    config = default_session_config()
    config.device_filters.extend(filters)
    return config


def _model_dir(tf_config: Any, model_dir: Any) -> Optional[str]:
    of_tf_config = tf_config.get("model_dir")
    if model_dir == "" or of_tf_config == "":
        raise ValueError("model_dir should be non-empty.")
    model_dir = os.fspath(model_dir) if model_dir is not None else None
    if of_tf_config and model_dir and of_tf_config != model_dir:
        raise ValueError(
            "`model_dir` provided in RunConfig construct, if set, must have the same value as the model_dir in "
            'TF_CONFIG. model_dir: {}\nTF_CONFIG["model_dir"]: {}.\n'.format(model_dir, of_tf_config)
        )
    return model_dir or of_tf_config


def _check_strategy(name: str, strategy: Any, has_coordinator: bool) -> None:
    kind = type(strategy).__name__
    if strategy is None:
        return
    names = {each.__name__ for each in type(strategy).__mro__}
    if not any(each.startswith(_STRATEGIES) for each in names):
        raise ValueError(
            "{}={} is not supported: use a tf.distribute.MirroredStrategy in one process, "
            "tf.contrib.estimator.replicate_model_fn for towers, or a cluster of ps and workers in TF_CONFIG".format(
                name, kind
            )
        )
    if has_coordinator and name == "train_distribute" and not over_workers.trains_over_workers(strategy):
        raise ValueError(
            "{}={} in a cluster is not supported: it trains in one process. Use "
            "tf.distribute.experimental.MultiWorkerMirroredStrategy or ParameterServerStrategy over the workers of "
            "TF_CONFIG".format(name, kind)
        )
    if not has_coordinator and strategy.extended._in_multi_worker_mode():
        raise ValueError(
            "{}={} in this cluster is not supported: pass it to RunConfig as train_distribute, with the job 'chief' in "
            "place of 'master' in TF_CONFIG; or leave the strategy out, and the workers train asynchronously with the "
            "parameter servers".format(name, kind)
        )
