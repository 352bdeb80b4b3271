"""The options and session records of a script's runtime, and how its graphs and sessions find that runtime."""
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional

from legacy_towers.compat.tf1 import user_script

if TYPE_CHECKING:
    from legacy_towers.run.runtime.script_runtime import ScriptRuntime


class RuntimeOptions(NamedTuple):
    """The options of `run` for a script's devices and sessions.

    Attributes:
      soft: keep the devices that the script names and use TensorFlow's soft placement.
      towers_device: the device that every GPU is mapped to: "/cpu:0", "/gpu:1"; None: each GPU has its own device.
      num_devices: the number of devices that the script's GPUs are mapped to; None: as many as it names.
      session: keyword -> value for `legacy_towers.config.session_config`.
      timeout_steps: the number of session runs after which the script ends; None: no limit.
      report: the path of the report; None: no report.
      queues_to_dataset: convert the script's queues to tf.data.
      prove: run queues and tf.data for an epoch before that, and end the script if they differ.
      allow_different: go on if they differ.
      towers: the number of towers that the script's training steps are made on; None: as the script makes them.
    """

    soft: bool = False
    towers_device: Optional[str] = None
    num_devices: Optional[int] = None
    session: Dict[str, Any] = {}
    timeout_steps: Optional[int] = None
    report: Optional[str] = None
    queues_to_dataset: bool = False
    prove: bool = False
    allow_different: bool = False
    towers: Optional[int] = None


class SessionRecord(NamedTuple):
    """A session or server that the script created, or that TensorFlow created for it.

    Attributes:
      place: the file and line of the script, None if unknown.
      kind: "Session", "InteractiveSession" or "Server".
      target: of a server; empty for this process.
      config: its serialized ConfigProto.
    """

    place: Optional[user_script.SourceLine]
    kind: str
    target: str
    config: bytes


def script_runtime() -> "Optional[ScriptRuntime]":
    """Returns the runtime of the script that this process executes, None if there is no script."""
    run = user_script.running()
    runtime: Any = run.runtime if run is not None else None
    if runtime is not None:
        runtime.start()
    return runtime
