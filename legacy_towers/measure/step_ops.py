"""Reads the ops of a step and their times from the StepStats of a traced run.

StepStats list one op under several devices. Which entries are read:

    /job:localhost/replica:0/task:0/device:CPU:1   one entry per op, by the executor            -> read
    /job:localhost/replica:0/task:0/device:GPU:0   the same; for a GPU it times the launch only -> read without kernels
    /device:GPU:0/stream:all                       one entry per kernel, by the device tracer   -> read
    /device:GPU:0/stream:13, /device:GPU:0/memcpy  parts of stream:all, and copies              -> left out
    /host:CPU                                      TF 1.15: every op of every CPU once more     -> left out

So each op counts once. Sends and receives of plain sessions have no entry of their own.
"""
import re
from typing import Any, Dict, List, NamedTuple, Optional

from legacy_towers.devices import matches, short_name
from legacy_towers.graph.op_kinds import WAIT_OPS
from legacy_towers.text.names import tower_of

_EXECUTOR = re.compile(r"^/job:[^/]+(/replica:\d+)?(/task:\d+)?/(device:)?[A-Za-z_]+:\d+$")
_KERNELS = re.compile(r"^(?P<device>(/job:.*)?/(device:)?(GPU|gpu):\d+)/stream:all$")
_LABEL = re.compile(r"^(?:\[.*?\]\s*)?\S+ = (?P<type>\w+)\(")

# Ops that compute nothing: they hold or forward a value. Many have no inputs or lose them to grappler, so that they
# run at the start of a step, before their tower's turn.
_BOOKKEEPING = frozenset([
    "Const", "HostConst", "NoOp", "Placeholder", "ControlTrigger", "_Arg", "_Retval", "_DeviceArg", "_DeviceRetval",
    "VarHandleOp", "ReadVariableOp", "Variable", "VariableV2", "Identity", "IdentityN",
    "Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit", "NextIteration",
    "RefNextIteration", "LoopCond",
])


class StepOp(NamedTuple):
    """One op, or one kernel of it, in one step."""

    name: str
    type: str  # "" where the trace does not contain it
    device: str  # "/cpu:1"
    start: int  # nanoseconds since the epoch
    end: int
    tower: Optional[int]  # None outside the towers

    @property
    def is_wait(self) -> bool:
        """Whether the op mostly waits for others."""
        return self.type in WAIT_OPS

    @property
    def is_computing(self) -> bool:
        """Whether the op counts as work of its tower."""
        return not self.is_wait and self.type not in _BOOKKEEPING


def step_ops(step_stats: Any) -> List[StepOp]:
    """Returns the ops of a step in the order in which they started.

    Args:
      step_stats: the `step_stats` of a RunMetadata, from a run with trace_level FULL_TRACE.
    """
    chosen: Dict[str, List[StepOp]] = {}
    kernels: Dict[str, List[StepOp]] = {}
    for device_stats in step_stats.dev_stats:
        found = _KERNELS.match(device_stats.device)
        if found:
            kernels[found.group("device")] = _ops(device_stats, found.group("device"))
        elif _EXECUTOR.match(device_stats.device):
            chosen[device_stats.device] = _ops(device_stats, device_stats.device)
    for device, ops in kernels.items():
        # Kernels without the names of ops (the tracer may lack rights to them) would lose the towers, and a bare
        # "/device:GPU:0" of several processes can't be distinguished: then the executors' entries stay.
        same = [executor for executor in chosen if matches(device, executor)]
        if len(same) == 1 and any(op.tower is not None for op in ops):
            chosen[same[0]] = ops
    return sorted((op for ops in chosen.values() for op in ops), key=lambda op: (op.start, op.end, op.name))


def _ops(device_stats: Any, device_name: str) -> List[StepOp]:
    device = short_name(device_name)
    ops = []
    for stats in device_stats.node_stats:
        # "tower_0/MatMul" in executors' entries, "tower_0/MatMul:MatMul" in kernels'.
        name, _, kind = stats.node_name.partition(":")
        if name in ("_SOURCE", "_SINK"):
            continue
        label = _LABEL.match(stats.timeline_label)
        # The nanoseconds are finer, but not every recorder fills them.
        if stats.all_start_nanos:
            start = stats.all_start_nanos + stats.op_start_rel_nanos
            end = stats.all_start_nanos + (stats.op_end_rel_nanos or stats.all_end_rel_nanos)
        else:
            start = 1000 * (stats.all_start_micros + stats.op_start_rel_micros)
            end = 1000 * (stats.all_start_micros + (stats.op_end_rel_micros or stats.all_end_rel_micros))
        ops.append(StepOp(name, label.group("type") if label else kind, device, start, max(start, end), tower_of(name)))
    return ops
