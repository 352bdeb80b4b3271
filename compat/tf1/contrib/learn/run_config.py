"""RunConfig, Environment and TaskType of tf.contrib.learn."""
from typing import Any, Optional

from legacy_towers.compat.tf1.estimator import run_config
from legacy_towers.compat.tf1.estimator.cluster import TaskType
from legacy_towers.compat.versions import tf

__all__ = ["Environment", "RunConfig", "TaskType"]

_NOT_GIVEN = object()
# Settings that `uid` leaves out. Scripts that override `uid` read this list under its private name.
_DEFAULT_UID_WHITE_LIST = [
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
]


class Environment:
    """Values of "environment" in TF_CONFIG."""

    CLOUD = "cloud"
    GOOGLE = "google"
    LOCAL = "local"


class RunConfig(run_config.RunConfig):
    """A tf.estimator.RunConfig with arguments for the session options, and the `uid` of its settings."""

    def __init__(
        self,
        master: Optional[str] = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: Optional[int] = None,
        save_summary_steps: int = 100,
        save_checkpoints_secs: Any = _NOT_GIVEN,
        save_checkpoints_steps: Optional[int] = None,
        keep_checkpoint_max: int = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: Optional[int] = 100,
        protocol: Optional[str] = None,
        evaluation_master: str = "",
        model_dir: Optional[str] = None,
        session_config: Any = None,
        session_creation_timeout_secs: int = 7200,
    ) -> None:
        if save_checkpoints_secs is _NOT_GIVEN:
            save_checkpoints_secs = 600 if save_checkpoints_steps is None else None
        if session_config is None:
            session_config = tf.ConfigProto(
                log_device_placement=log_device_placement,
                inter_op_parallelism_threads=num_cores,
                intra_op_parallelism_threads=num_cores,
                allow_soft_placement=True,
            )
            session_config.gpu_options.per_process_gpu_memory_fraction = gpu_memory_fraction
        super().__init__(
            model_dir=model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            save_checkpoints_steps=save_checkpoints_steps,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            protocol=protocol,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        if master is not None:
            self._master = master
        if evaluation_master:
            self._evaluation_master = evaluation_master

    tf_config = property(lambda self: self._session_config)

    def uid(self, whitelist: Any = None) -> str:
        """Returns the settings as a string, without those in `whitelist`; by default seed, saving, session options."""
        excluded = _DEFAULT_UID_WHITE_LIST if whitelist is None else whitelist
        state = {name: value for name, value in vars(self).items() if name[1:] not in excluded}
        if self.cluster_spec is not None:
            state["_cluster_spec"] = sorted(self.cluster_spec.as_dict().items())
        return ", ".join("{}={!r}".format(name, state[name]) for name in sorted(state))
