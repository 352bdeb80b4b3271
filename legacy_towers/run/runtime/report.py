"""`--report FILE`: a report of the mapped devices, replaced names and sessions of a script."""
import json
import platform
import sys
from typing import Any, Dict, List

from legacy_towers.run.runtime.script_runtime import ScriptRuntime
from legacy_towers.text.files import write_whole
from legacy_towers.text.tables import format_table
from legacy_towers.version import VERSION


def write(path: str, runtime: ScriptRuntime) -> None:
    """Writes the report: text if `path` ends in .txt, else JSON.

    Raises:
      ArgumentError: the file can't be written.
    """
    found = collect(runtime)
    write_whole(path, as_text(found) if path.endswith(".txt") else json.dumps(found, indent=2) + "\n", "the report")


def collect(runtime: ScriptRuntime) -> Dict[str, Any]:
    """Returns the report as plain values.

        script, arguments, ended     the script, and how it ended: "done", an error message, "after 5 session runs"
        python, tensorflow, legacy_towers   versions; tensorflow is null if the script never imported it
        gpus                         the number of GPUs that TensorFlow sees; null if the script requested none
        devices                      [{"asked": "/gpu:0", "given": "/cpu:0", "operations": 120}]; "given" is null if
                                     TensorFlow places the operations of a missing GPU (--soft)
        names                        [{"file": "train.py", "line": 12, "name": "tf.mul", "meaning": "tf.multiply"}]
        sessions                     [{"place": "train.py:40", "kind": "Session", "target": "", "made": 1,
                                       "config": {"allow_soft_placement": true}}]
        queues                       plans of the conversion to tf.data; null without --queues-to-dataset; each has a
                                     "proof", null without --prove
        training_proofs              of the first training steps; empty without --prove
        session_runs                 the number of counted runs; null without --timeout-steps
    """
    run = runtime.script_run
    step_limit = runtime.step_limit
    ended = run.ended_by or "done"
    if step_limit is not None and step_limit.is_reached:
        ended = "after {} session run{}".format(step_limit.done, "" if step_limit.done == 1 else "s")
    return {
        "script": run.script,
        "arguments": sys.argv[1:],
        "ended": ended,
        "python": platform.python_version(),
        "tensorflow": _tensorflow_version(runtime),
        "legacy_towers": VERSION,
        "gpus": runtime.devices.known_gpus if runtime.devices is not None else None,
        "devices": _devices(runtime),
        "names": [
            {"file": line.path, "line": line.line, "name": name, "meaning": replacement}
            for line, name, replacement in run.notices
        ],
        "sessions": _sessions(runtime),
        "queues": None if not runtime.options.queues_to_dataset else _plans(runtime),
        "training_proofs": _training_proofs(runtime),
        "session_runs": None if step_limit is None else step_limit.done,
    }


def as_text(found: Dict[str, Any]) -> str:
    """Formats the report of `collect` as text."""
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
    parts.append(_table("devices", ["requested", "device", "operations"], devices, "llr"))
    names = [["{file}:{line}".format(**each), each["name"], each["meaning"]] for each in found["names"]]
    parts.append(_table("names", ["line", "name", "interpreted as"], names, "lll"))
    sessions = [
        [each["place"] or "?", each["kind"], each["target"] or "this process", str(each["made"]),
         json.dumps(each["config"], sort_keys=True)]
        for each in found["sessions"]
    ]
    parts.append(_table("sessions", ["created at", "kind", "target", "times", "config"], sessions, "lllrl"))
    if found["queues"] is not None:
        plans = [
            [each["name"], each["promise"], (each["proof"] or {}).get("verdict", ""), each["reason"]]
            for each in found["queues"]
        ]
        parts.append(_table("queues", ["queue", "with tf.data", "proof", "since"], plans, "llll"))
    return "\n\n".join(parts) + "\n"


def _table(title: str, header: List[str], rows: List[List[str]], align: str) -> str:
    return format_table(header, rows, align) if rows else "no {}".format(title)


def _devices(runtime: ScriptRuntime) -> List[Dict[str, Any]]:
    if not runtime.script_run.devices:
        return []
    from legacy_towers.devices import short_name

    return [
        {
            "asked": short_name(asked),
            "given": None if _is_left_to_tensorflow(runtime, given) else short_name(given),
            "operations": operations,
        }
        for (asked, given), operations in sorted(runtime.script_run.devices.items())
    ]


def _plans(runtime: ScriptRuntime) -> List[Dict[str, Any]]:
    if runtime.queues is None:
        return []
    proof = runtime.queues.proof
    if proof is None:
        return [dict(plan.to_json(), proof=None) for plan in runtime.queues.plans]
    found = [dict(plan.to_json(), proof=proof.of_plan(plan.name)) for plan in runtime.queues.plans]
    # A difference ends the script before the conversion: then there are proofs, but no plans.
    names = {plan.name for plan in runtime.queues.plans}
    return found + [
        {"name": name, "promise": each.promise, "reason": "", "proof": each.to_json()}
        for name, each in proof.pipelines.items() if name not in names
    ]


def _training_proofs(runtime: ScriptRuntime) -> List[Dict[str, Any]]:
    if runtime.queues is None or runtime.queues.proof is None:
        return []
    return [dict(each._asdict(), compared=list(each.compared)) for each in runtime.queues.proof.training]


def _is_left_to_tensorflow(runtime: ScriptRuntime, given: str) -> bool:
    from legacy_towers.compat import tf

    gpus = runtime.devices.known_gpus if runtime.devices is not None else None
    spec = tf.DeviceSpec.from_string(given)
    return (
        runtime.options.soft
        and gpus is not None
        and spec.device_type == "GPU"
        and (spec.device_index or 0) >= gpus
    )


def _sessions(runtime: ScriptRuntime) -> List[Dict[str, Any]]:
    if not runtime.sessions:
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
        # A copy: when a signal ends the script, its main thread may still create sessions.
        for each, made in list(runtime.sessions.items())
    ]


def _without_empty(value: Any) -> Any:
    """Returns `value` without empty messages."""
    if not isinstance(value, dict):
        return value
    kept = {name: _without_empty(each) for name, each in value.items()}
    return {name: each for name, each in kept.items() if each != {}}


def _tensorflow_version(runtime: ScriptRuntime) -> Any:
    if runtime.devices is None:
        return None
    from legacy_towers.compat import tf

    return tf.__version__
