"""Coordinators that only the threads of queues needed: they go, with all that is called of them.

A Coordinator without threads does no harm. It therefore stays where one of its uses is not known to mean the same
without it: it is passed on, stored in an object, given to threads of the script, or asked to stop before it is asked
whether to stop.
"""
from typing import Any, List, Optional

import libcst as cst

from legacy_towers.migrate.source.rewrite.controls import request_stop, should_stop, stop_on_exception
from legacy_towers.migrate.source.rewrite.controls.blocks import Changes
from legacy_towers.migrate.source.rewrite.controls.files import ControlFile
from legacy_towers.migrate.source.rewrite.controls.starts import Starts
from legacy_towers.migrate.source.rewrite.controls.uses import CoordinatorUses
from legacy_towers.migrate.source.rewrite.controls.variables import Variable, scope_of

CLASS = "tf.train.Coordinator"


def remove_coordinators(file: ControlFile, starts: Starts) -> None:
    """Removes the coordinators of a file that nothing but the starts needed."""
    done: List[Any] = []
    for call in file.calls(CLASS):
        target = _target(file, call)
        variable = file.variables.of(target) if target is not None else None
        if variable is None or variable.uses in done:
            continue
        done.append(variable.uses)
        uses = _classified(file, variable, starts)
        if uses is None:
            continue
        changes = _without(file, uses)
        if changes is not None:
            file.changes.update(changes)


def _target(file: ControlFile, call: cst.Call) -> Optional[cst.Name]:
    statement = file.source.parents[call]
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1 and not call.args:
        target = statement.targets[0].target
        return target if isinstance(target, cst.Name) else None
    return None


def _classified(file: ControlFile, variable: Variable, starts: Starts) -> Optional[CoordinatorUses]:
    """Returns the uses of a coordinator, None if it must stay."""
    uses = CoordinatorUses([], [], [], [], [], [])
    for use in variable.uses:
        if scope_of(use, file.source.parents) is not variable.scope or not _add(file, use, uses, starts):
            return None
    return uses if uses.started or any(_joins_queues(call, starts) for call in uses.joined) else None


def _add(file: ControlFile, use: cst.Name, uses: CoordinatorUses, starts: Starts) -> bool:
    """Adds a use; returns False if it is not one that goes."""
    assignment = file.assigned(use)
    if assignment is not None:
        value = assignment.value
        is_none = isinstance(value, cst.Name) and value.value == "None"
        if is_none or isinstance(value, cst.Call) and not value.args and file.names(value) == {CLASS}:
            uses.created.append(assignment)
            return True
        return False
    passed = file.argument_of(use)
    if passed is not None:
        uses.started.append(passed[0])
        return passed[0] in starts.calls
    method = file.method_call(use)
    if method is None:
        return False
    name, call = method
    if name == "should_stop" and not call.args:
        uses.asked.append(call)
    elif name == "request_stop" and len(call.args) <= 1 and file.is_statement(call):
        uses.stopped.append(call)
    elif name == "join" and file.is_statement(call) and _joins_nothing_else(file, call, starts):
        uses.joined.append(call)
    elif name == "stop_on_exception" and isinstance(file.source.parents[call], cst.WithItem):
        uses.guards.append(file.source.parents[file.source.parents[call]])
    else:
        return False
    return True


def _joins_queues(call: cst.Call, starts: Starts) -> bool:
    return any(starts.has(argument.value) for argument in call.args)


def _joins_nothing_else(file: ControlFile, call: cst.Call, starts: Starts) -> bool:
    """Returns whether the threads that are joined are those of queues."""
    for number, argument in enumerate(call.args):
        name = argument.keyword.value if argument.keyword is not None else ""
        if argument.star or name not in ("", "threads", "stop_grace_period_secs", "ignore_live_threads"):
            return False
        is_threads = name == "threads" or not name and number == 0
        if is_threads and not (starts.has(argument.value) or _only_starts(file, argument.value, starts)):
            return False
    return True


def _only_starts(file: ControlFile, value: cst.BaseExpression, starts: Starts) -> bool:
    """Returns whether a variable, which stays for another use, has only threads of queues."""
    if value in starts.calls:
        return True
    variable = file.variables.of(value) if isinstance(value, cst.Name) else None
    if variable is None:
        return False
    for use in variable.uses:
        above = file.source.parents[use]
        if isinstance(above, cst.AssignTarget):
            assignment = file.assigned(use)
            if assignment is None or assignment.value not in starts.calls:
                return False
        elif file.method_call(use) is not None or isinstance(above, (cst.AugAssign, cst.Element)):
            return False
    return True


def _without(file: ControlFile, uses: CoordinatorUses) -> Optional[Changes]:
    """Returns the changes that take a coordinator out, None if it must stay."""
    changes = Changes(file.edits)
    for assignment in uses.created:
        changes.remove(assignment)
    for call in uses.joined:
        changes.remove(file.source.statement(call))
    is_done = (
        request_stop.remove(file, uses, changes)
        and should_stop.remove(file, uses, changes)
        and stop_on_exception.remove(file, uses, changes)
    )
    return changes if is_done else None
