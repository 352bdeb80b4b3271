"""Prints installed versions, the devices that TensorFlow can use, and what will not work and why.

Paste the output into bug reports. The exit code is 0 if TensorFlow is installed and
supported, else 1.
"""
import argparse
import json
import os
import platform
import shutil
import sys
from typing import Any, Dict, List, Optional, Sequence

from legacy_towers.cli.quiet import add_show_logs
from legacy_towers.errors import EnvironmentProblem
from legacy_towers.tensor_types import Session
from legacy_towers.text.terminal import FILE, RED, Layout, layout_of
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
_WILL_NOT_WORK = "will not work"


def add_arguments(parser: argparse.ArgumentParser, given: Sequence[str]) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_show_logs(parser)


def run(arguments: argparse.Namespace) -> int:
    found = collect()
    print(json.dumps(found, indent=2) if arguments.json else as_text(found, layout_of(sys.stdout)))
    return 0 if found["usable"] else 1


def collect() -> Dict[str, Any]:
    """Returns everything that the command prints, as values for JSON."""
    # Read first: importing legacy_towers.compat may set one of them.
    variables = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    from legacy_towers.compat.versions import packages

    owners = packages.tensorflow_distributions()
    found: Dict[str, Any] = {
        "legacy_towers": VERSION,
        "python": platform.python_version(),
        "executable": sys.executable,
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "tensorflow": [" ".join(owner) for owner in owners],
        "packages": {name: packages.version_of(name) for name in PACKAGES},
        "onednn": None,
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
    from legacy_towers.compat.versions.onednn import onednn_state

    found["onednn"] = onednn_state()
    found["devices"] = _devices(tf)
    return dict(found, will_not_work=_will_not_work(tf, found))


def _devices(tf: Any) -> List[Dict[str, Any]]:
    from legacy_towers.compat.versions.devices import list_local_devices
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
            # TF 1.15 lists the same devices again for XLA.
            if not device.type.startswith("XLA_")
        ]


def _problem_of(tf: Any, session: Session, device: str) -> Optional[str]:
    """Returns why a small matrix product on `device` fails; None if it succeeds."""
    from legacy_towers.compat.versions.messages import plain_message

    # A placeholder: constants would be folded on the CPU.
    with tf.device(device):
        values = tf.placeholder(tf.float32, [2, 2])
        product = tf.matmul(values, values)
    try:
        session.run(product, {values: [[1.0, 2.0], [3.0, 4.0]]})
    except tf.errors.OpError as error:
        return "{}: {}".format(type(error).__name__, plain_message(error))
    return None


def _will_not_work(tf: Any, found: Dict[str, Any]) -> List[str]:
    from legacy_towers.compat.versions import keras, supported

    version = supported.parse(tf.__version__)
    sentences = [supported.untested_warning(version), keras.problem(version), _gpus(tf, found)]
    if len(found["tensorflow"]) > 1:
        sentences.append(
            "{} are installed in the same folder: uninstall all of them, then install one".format(
                " and ".join(found["tensorflow"])
            )
        )
    for device in found["devices"]:
        if device["problem"] is not None:
            sentences.append("{}: a small matrix product fails with {}".format(device["name"], device["problem"]))
    return [sentence for sentence in sentences if sentence is not None]


def _gpus(tf: Any, found: Dict[str, Any]) -> Optional[str]:
    if any(device["type"] == "GPU" for device in found["devices"]):
        return None
    if not os.path.exists("/proc/driver/nvidia/version") and shutil.which("nvidia-smi") is None:
        return "GPU devices: this machine has no NVIDIA driver"
    if not tf.test.is_built_with_cuda():
        return "GPU devices: there is an NVIDIA driver, but {} is built without CUDA".format(found["tensorflow"][0])
    if "CUDA_VISIBLE_DEVICES" in found["variables"]:
        return "GPU devices: there is an NVIDIA driver, but CUDA_VISIBLE_DEVICES={!r} hides the GPUs".format(
            found["variables"]["CUDA_VISIBLE_DEVICES"]
        )
    return (
        "GPU devices: there is an NVIDIA driver, but TensorFlow finds no GPU: legacy-towers env --tensorflow-logs "
        "shows which library is missing"
    )


def as_text(found: Dict[str, Any], layout: Layout = FILE) -> str:
    """Returns the result of `collect` as text, wrapped to the width of a terminal."""
    rows = [
        ("legacy_towers", found["legacy_towers"]),
        ("Python", "{} ({})".format(found["python"], found["executable"])),
        ("system", "{}, {} {}".format(found["system"], found["cores"], "core" if found["cores"] == 1 else "cores")),
        ("TensorFlow", ", ".join(found["tensorflow"]) or "not installed"),
    ]
    if found["onednn"] is not None:
        rows.append(("oneDNN", found["onednn"]))
    rows += [(name, version or "not installed") for name, version in found["packages"].items()]
    lines = ["{:<15} {}".format(*row) for row in rows]
    sections = ["\n".join(_fitted(line, layout, " " * 16) for line in lines)]
    sections.append(_section("devices", [_device_line(device) for device in found["devices"]], layout))
    variables = ["{}={}".format(*each) for each in sorted(found["variables"].items())]
    sections.append(_section("environment", variables, layout))
    sections.append(_section(_WILL_NOT_WORK, found["will_not_work"], layout))
    return "\n\n".join(sections)


def _section(title: str, lines: List[str], layout: Layout) -> str:
    colour = RED if title == _WILL_NOT_WORK else None
    fitted = [_fitted("  " + line, layout, "    ", colour) for line in lines]
    return "\n".join(["{}:".format(title)] + (fitted or ["  none"]))


def _fitted(line: str, layout: Layout, indent: str, colour: Optional[str] = None) -> str:
    if layout.width is None:  # lines of a file are not wrapped, so that searches find them
        return line
    return layout.sentence(line, indent, colour)


def _device_line(device: Dict[str, Any]) -> str:
    # For a CPU, TensorFlow reports 256 MiB, which is not a limit.
    memory = "{:.1f} GiB, ".format(device["memory_bytes"] / GIB) if device["type"] != "CPU" else ""
    state = "usable" if device["problem"] is None else "NOT usable"
    description = " ({})".format(device["description"]) if device["description"] else ""
    return "{}: {}{}{}".format(device["name"], memory, state, description)
