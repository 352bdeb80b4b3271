"""Prints what is installed, which devices TensorFlow sees and can use, and what will not work and why.

The text is made to be pasted into a bug report. Exit code: 0 when TensorFlow is there and supported, else 1.
"""
import argparse
import json
import os
import platform
import shutil
import sys
from typing import Any, Dict, List, Optional, Sequence

from legacy_towers.errors import EnvironmentProblem
from legacy_towers.version import VERSION

PACKAGES = ("tf_keras", "keras", "numpy", "protobuf", "six", "tqdm", "scikit-learn")
VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "LD_LIBRARY_PATH",
    "OMP_NUM_THREADS",
    "TF_CONFIG",
    "TF_DETERMINISTIC_OPS",
    "TF_ENABLE_ONEDNN_OPTS",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "TF_USE_LEGACY_KERAS",
    "TF_XLA_FLAGS",
)
GIB = 2.0**30


def add_arguments(parser: argparse.ArgumentParser, given: Sequence[str]) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    found = collect()
    print(json.dumps(found, indent=2) if arguments.json else as_text(found))
    return 0 if found["usable"] else 1


def collect() -> Dict[str, Any]:
    """Returns everything that the command prints, as plain values that JSON can hold."""
    # Before the door is opened, which may set one of them.
    variables = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    from legacy_towers.compat import packages

    owners = packages.tensorflow_distributions()
    found: Dict[str, Any] = {
        "legacy_towers": VERSION,
        "python": platform.python_version(),
        "executable": sys.executable,
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "tensorflow": [" ".join(owner) for owner in owners],
        "packages": {name: packages.version_of(name) for name in PACKAGES},
        "variables": variables,
        "devices": [],
        "usable": True,
    }
    try:
        from legacy_towers.compat import tf
    except EnvironmentProblem as problem:
        return dict(found, usable=False, will_not_work=[str(problem)])
    if not owners:
        found["tensorflow"] = ["{} (of unknown origin)".format(tf.__version__)]
    if "TF_USE_LEGACY_KERAS" in os.environ and "TF_USE_LEGACY_KERAS" not in variables:
        variables["TF_USE_LEGACY_KERAS"] = os.environ["TF_USE_LEGACY_KERAS"] + " (set by legacy_towers)"
    found["devices"] = _devices(tf)
    return dict(found, will_not_work=_will_not_work(tf, found))


def _devices(tf: Any) -> List[Dict[str, Any]]:
    from legacy_towers.compat.devices import list_local_devices
    from legacy_towers.config import session_config

    with tf.Graph().as_default(), tf.Session(config=session_config(allow_growth=True)) as session:
        return [
            {
                "name": device.name,
                "type": device.type,
                "memory_bytes": device.memory_limit,
                "description": device.description,
                "problem": _problem_of(tf, session, device.name),
            }
            for device in list_local_devices(session_config(allow_growth=True))
            # TensorFlow 1.15's stand-ins for the compiler are no devices that one would place a tower on.
            if not device.type.startswith("XLA_")
        ]


def _problem_of(tf: Any, session: Any, device: str) -> Optional[str]:
    """Returns why a small product on `device` fails, None if it does not."""
    from legacy_towers.compat.messages import plain_message

    # Fed, so that nothing is folded into a constant on the CPU.
    with tf.device(device):
        values = tf.placeholder(tf.float32, [2, 2])
        product = tf.matmul(values, values)
    try:
        session.run(product, {values: [[1.0, 2.0], [3.0, 4.0]]})
    except tf.errors.OpError as error:
        return "{}: {}".format(type(error).__name__, plain_message(error))
    return None


def _will_not_work(tf: Any, found: Dict[str, Any]) -> List[str]:
    from legacy_towers.compat import keras, versions

    version = versions.parse(tf.__version__)
    sentences = [versions.untried_warning(version), keras.problem(version), _gpus(tf, found)]
    if len(found["tensorflow"]) > 1:
        sentences.append(
            "{} are installed over each other: uninstall all of them, then install one".format(
                " and ".join(found["tensorflow"])
            )
        )
    for device in found["devices"]:
        if device["problem"] is not None:
            sentences.append("{}: a small product fails with {}".format(device["name"], device["problem"]))
    return [sentence for sentence in sentences if sentence is not None]


def _gpus(tf: Any, found: Dict[str, Any]) -> Optional[str]:
    if any(device["type"] == "GPU" for device in found["devices"]):
        return None
    if not os.path.exists("/proc/driver/nvidia/version") and shutil.which("nvidia-smi") is None:
        return "GPU devices: this machine shows no NVIDIA driver"
    if not tf.test.is_built_with_cuda():
        return "GPU devices: there is an NVIDIA driver, but {} is built without CUDA".format(found["tensorflow"][0])
    if "CUDA_VISIBLE_DEVICES" in found["variables"]:
        return "GPU devices: there is an NVIDIA driver, but CUDA_VISIBLE_DEVICES={!r} shows no GPU".format(
            found["variables"]["CUDA_VISIBLE_DEVICES"]
        )
    return (
        "GPU devices: there is an NVIDIA driver, but TensorFlow sees no GPU: TF_CPP_MIN_LOG_LEVEL=0 legacy-towers env "
        "shows which library it misses"
    )


def as_text(found: Dict[str, Any]) -> str:
    """Returns what `collect` found as lines of text."""
    rows = [
        ("legacy_towers", found["legacy_towers"]),
        ("Python", "{} ({})".format(found["python"], found["executable"])),
        ("system", "{}, {} cores".format(found["system"], found["cores"])),
        ("TensorFlow", ", ".join(found["tensorflow"]) or "not installed"),
    ]
    rows += [(name, version or "not installed") for name, version in found["packages"].items()]
    sections = ["\n".join("{:<15} {}".format(*row) for row in rows)]
    sections.append(_section("devices", [_device_line(device) for device in found["devices"]]))
    sections.append(_section("environment", ["{}={}".format(*each) for each in sorted(found["variables"].items())]))
    sections.append(_section("will not work", found["will_not_work"]))
    return "\n\n".join(sections)


def _section(title: str, lines: List[str]) -> str:
    return "\n".join(["{}:".format(title)] + ["  {}".format(line) for line in lines or ["none"]])


def _device_line(device: Dict[str, Any]) -> str:
    # The limit that TensorFlow states for a CPU is a fixed 256 MiB that binds nothing.
    memory = "{:.1f} GiB, ".format(device["memory_bytes"] / GIB) if device["type"] != "CPU" else ""
    state = "usable" if device["problem"] is None else "NOT usable"
    description = " ({})".format(device["description"]) if device["description"] else ""
    return "{}: {}{}{}".format(device["name"], memory, state, description)
