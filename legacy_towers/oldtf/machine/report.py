"""`--report FILE`: what was mapped, device by device and name by name."""
import json
import platform
import sys
from typing import Any, Dict, List

from legacy_towers.oldtf.machine.machine import Machine
from legacy_towers.tables import format_table
from legacy_towers.version import VERSION
from legacy_towers.whole_file import write_whole


def write(path: str, machine: Machine) -> None:
    """Writes the report: text if `path` ends in .txt, else JSON.

    Raises:
      ArgumentError: the file can't be written.
    """
    found = collect(machine)
    write_whole(path, as_text(found) if path.endswith(".txt") else json.dumps(found, indent=2) + "\n", "the report")


def collect(machine: Machine) -> Dict[str, Any]:
    """Returns the report as plain values.

        script, arguments, ended     what ran, and how it ended: "done", an error in words, "after 5 session runs"
        python, tensorflow, legacy_towers   versions; tensorflow is null if the script never imported it
        gpus                         how many TensorFlow sees; null if the script asked for none
        devices                      [{"asked": "/gpu:0", "given": "/cpu:0", "operations": 120}]; "given" is null where
                                     --soft left a GPU that is not there to TensorFlow
        names                        [{"file": "train.py", "line": 12, "name": "tf.mul", "meaning": "tf.multiply"}]
        sessions                     [{"place": "train.py:40", "kind": "Session", "target": "", "made": 1,
                                       "config": {"allow_soft_placement": true}}]
        session_runs                 how many were counted; null without --timeout-steps
    """
    run = machine.script_run
    steps = machine.steps
    ended = run.ended_by or "done"
    if steps is not None and steps.is_over:
        ended = "after {} session run{}".format(steps.done, "" if steps.done == 1 else "s")
    return {
        "script": run.script,
        "arguments": sys.argv[1:],
        "ended": ended,
        "python": platform.python_version(),
        "tensorflow": _tensorflow_version(machine),
        "legacy_towers": VERSION,
        "gpus": machine.devices.known_gpus if machine.devices is not None else None,
        "devices": _devices(machine),
        "names": [
            {"file": each.place.path, "line": each.place.line, "name": each.name, "meaning": each.meaning}
            for each in run.notices
        ],
        "sessions": _sessions(machine),
        "session_runs": None if steps is None else steps.done,
    }


def as_text(found: Dict[str, Any]) -> str:
    """Returns what `collect` returned for people."""
    head = [
        "script      {} {}".format(found["script"], " ".join(found["arguments"])).rstrip(),
        "ended       {}".format(found["ended"]),
        "TensorFlow  {} on Python {}".format(found["tensorflow"] or "was not imported", found["python"]),
    ]
    if found["gpus"] is not None:
        head.append("GPUs        {}".format(found["gpus"] or "none"))
    if found["session_runs"] is not None:
        head.append("runs        {}".format(found["session_runs"]))
    parts = ["\n".join(head)]
    devices = [
        [each["asked"], each["given"] or "TensorFlow's choice", str(each["operations"])] for each in found["devices"]
    ]
    parts.append(_table("devices", ["asked for", "given", "operations"], devices, "llr"))
    names = [["{file}:{line}".format(**each), each["name"], each["meaning"]] for each in found["names"]]
    parts.append(_table("names", ["where", "name", "taken for"], names, "lll"))
    sessions = [
        [each["place"] or "?", each["kind"], each["target"] or "this process", str(each["made"]),
         json.dumps(each["config"], sort_keys=True)]
        for each in found["sessions"]
    ]
    parts.append(_table("sessions", ["made at", "kind", "target", "times", "config"], sessions, "lllrl"))
    return "\n\n".join(parts) + "\n"


def _table(title: str, header: List[str], rows: List[List[str]], align: str) -> str:
    return format_table(header, rows, align) if rows else "no {}".format(title)


def _devices(machine: Machine) -> List[Dict[str, Any]]:
    if not machine.script_run.devices:
        return []
    from legacy_towers.devices import short_name

    return [
        {
            "asked": short_name(asked),
            "given": None if _is_left_to_tensorflow(machine, given) else short_name(given),
            "operations": operations,
        }
        for (asked, given), operations in sorted(machine.script_run.devices.items())
    ]


def _is_left_to_tensorflow(machine: Machine, given: str) -> bool:
    from legacy_towers.compat import tf

    gpus = machine.devices.known_gpus if machine.devices is not None else None
    spec = tf.DeviceSpec.from_string(given)
    return (
        machine.options.soft
        and gpus is not None
        and spec.device_type == "GPU"
        and (spec.device_index or 0) >= gpus
    )


def _sessions(machine: Machine) -> List[Dict[str, Any]]:
    if not machine.made:
        return []
    from google.protobuf import json_format

    from legacy_towers.compat import tf

    return [
        {
            "place": None if each.place is None else str(each.place),
            "kind": each.kind,
            "target": each.target,
            "made": made,
            "config": _without_empty(
                json_format.MessageToDict(tf.ConfigProto.FromString(each.config), preserving_proto_field_name=True)
            ),
        }
        # In one go: where a signal ends the script, it runs on meanwhile.
        for each, made in list(machine.made.items())
    ]


def _without_empty(value: Any) -> Any:
    """Returns `value` without the messages that say nothing."""
    if not isinstance(value, dict):
        return value
    kept = {name: _without_empty(each) for name, each in value.items()}
    return {name: each for name, each in kept.items() if each != {}}


def _tensorflow_version(machine: Machine) -> Any:
    if machine.devices is None:
        return None
    from legacy_towers.compat import tf

    return tf.__version__
