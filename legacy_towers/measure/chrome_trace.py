"""Trace Event Format files, for chrome://tracing and https://ui.perfetto.dev.

    tower 0                     a process of the format: its ops
      /cpu:1       [MatMul][Relu]       one line per device; ops at the same time take further lines
      /cpu:1 (2)      [MatMul]
      /cpu:1 waits [Dequeue    ]
    tower 1
      ...
"""
import json
import os
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from legacy_towers.errors import ArgumentError
from legacy_towers.measure.step_ops import StepOp
from legacy_towers.whole_file import write_whole


def write_chrome_trace(path: str, groups: Sequence[Tuple[str, Sequence[StepOp]]], notes: Mapping[str, Any]) -> None:
    """Writes a trace file; it appears whole or not at all.

    Args:
      path: the file; its folder is made if need be.
      groups: (title, ops) in the order in which they are shown; times count from the first op.
      notes: further values for the file, as JSON.

    Raises:
      ArgumentError: the file can't be written.
    """
    document = {"traceEvents": chrome_events(groups), "displayTimeUnit": "ms", "otherData": dict(notes)}
    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    except OSError as error:
        raise ArgumentError(
            "the trace can't be written to {}: {}".format(path, error.strerror or error)
        ) from error
    write_whole(path, json.dumps(document), "the trace")


def chrome_events(groups: Sequence[Tuple[str, Sequence[StepOp]]]) -> List[Dict[str, Any]]:
    """Returns the events of a trace file: names and order of the rows, then one "complete" event per op."""
    zero = min([op.start for _, ops in groups for op in ops] or [0])
    events: List[Dict[str, Any]] = []
    for process, (title, ops) in enumerate(groups, start=1):
        events.append(_named("process_name", process, 0, {"name": title}))
        events.append(_named("process_sort_index", process, 0, {"sort_index": process}))
        for thread, (line, on_line) in enumerate(_lines(ops), start=1):
            events.append(_named("thread_name", process, thread, {"name": line}))
            events.append(_named("thread_sort_index", process, thread, {"sort_index": thread}))
            for op in on_line:
                events.append({
                    "ph": "X",
                    "name": op.type or op.name,
                    "cat": "wait" if op.is_wait else "op",
                    "pid": process,
                    "tid": thread,
                    "ts": (op.start - zero) / 1000.0,  # microseconds
                    "dur": (op.end - op.start) / 1000.0,
                    "args": {"op": op.name, "device": op.device},
                })
    return events


def _named(kind: str, process: int, thread: int, arguments: Dict[str, Any]) -> Dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": arguments}


def _lines(ops: Sequence[StepOp]) -> List[Tuple[str, List[StepOp]]]:
    """Spreads ops over lines so that none overlaps another on its line, which the viewers would draw as a call."""
    titles: Dict[Tuple[str, bool], List[List[StepOp]]] = {}
    for op in sorted(ops, key=lambda op: (op.start, op.end)):
        lines = titles.setdefault((op.device, op.is_wait), [])
        for line in lines:
            if line[-1].end <= op.start:
                line.append(op)
                break
        else:
            lines.append([op])
    result = []
    for (device, is_wait), lines in sorted(titles.items()):
        for number, line in enumerate(lines, start=1):
            title = device + (" waits" if is_wait else "") + (" ({})".format(number) if number > 1 else "")
            result.append((title, line))
    return result
