"""Calls that start the threads of queues: start_queue_runners, create_threads, and lists of the threads.

    threads = tf.train.start_queue_runners(sess, coord)        goes
    for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
        threads.extend(qr.create_threads(sess, coord=coord))   goes, with the loop
    coord.join(threads)                                        coord.join(), if the coordinator stays
    self.threads = tf.train.start_queue_runners(sess, coord)   self.threads = []
"""
from typing import Any, List, NamedTuple, Optional, Set

import libcst as cst

from legacy_towers.migrate.source.rewrite.controls.blocks import has_call
from legacy_towers.migrate.source.rewrite.controls.files import ControlFile
from legacy_towers.migrate.source.rewrite.controls.variables import Variable
from legacy_towers.migrate.source.rewrite.drafts import Left
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.syntax import statements_of
from legacy_towers.migrate.source.rewrite.visiting import Visitor

FUNCTIONS = (
    "tf.train.start_queue_runners",
    "tf.train.Supervisor.start_queue_runners",
    "tf.train.Supervisor.StartQueueRunners",
    "tf.train.QueueRunner.create_threads",
)
_JOIN = "tf.train.Coordinator.join"
# What may be called for an argument of a start that goes.
_ARGUMENTS = ("get_session", "get_default_session", "Coordinator")


class Starts(NamedTuple):
    """The starts of one file that go.

    Attributes:
      calls: the calls.
      loops: the loops over all queue runners that go.
      lists: the variables that have only threads of these starts, and go.
    """

    calls: List[cst.Call]
    loops: List[cst.For]
    lists: List[Variable]

    def has(self, node: cst.CSTNode) -> bool:
        """Returns whether an expression is a variable that goes."""
        return any(node in variable.uses for variable in self.lists)


def find_starts(file: ControlFile, goes: Set[cst.Call], all_go: bool) -> Starts:
    """Returns the starts of a file that go.

    Args:
      file: the file.
      goes: the calls of start_queue_runners and create_threads whose queues are all rewritten.
      all_go: whether there are no other queues in the programs of this file: loops over all queue runners go.
    """
    loops = [loop for loop in _runner_loops(file) if all_go]
    calls = [call for call in goes if _is_removable(call) and not _starts_others(file, call)]
    for loop in loops:
        calls += [call for call in _created(file, loop) if call not in calls]
    lists: List[Variable] = []
    for call in calls:
        variable = _list_of(file, call)
        if variable is not None and not any(variable.uses == each.uses for each in lists):
            if all(_is_of_threads(file, use, calls, loops) for use in variable.uses):
                lists.append(variable)
    return Starts(calls, loops, lists)


def remove_starts(file: ControlFile, starts: Starts) -> List[Left]:
    """Removes the starts; where their threads are used otherwise, an empty list stays.

    Returns:
      The starts whose threads are used as if there were some.
    """
    left: List[Left] = []
    for call in starts.calls:
        statement = file.source.statement(call)
        if _is_alone(file, call) or _is_added(file, call):
            file.changes.remove(statement)
            continue
        target = _target(file, call)
        if target is not None and starts.has(target):
            file.changes.remove(statement)
            continue
        if target is not None:
            left += _indexed(file, target, call)
        file.changes.replace(call, cst.List([]))
    for loop in starts.loops:
        file.changes.remove(loop)
    for variable in starts.lists:
        for use in variable.uses:
            _remove_use(file, use)
    return left


def _is_removable(call: cst.Call) -> bool:
    """Returns whether evaluating the arguments does nothing."""
    for argument in call.args:
        value = argument.value
        name = value.func.attr.value if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) else ""
        if has_call(value) and name not in _ARGUMENTS:
            return False
    return True


def _starts_others(file: ControlFile, call: cst.Call) -> bool:
    """Returns whether a start names its queue runners: `supervisor.start_queue_runners(session, [chief_runner])`.

    They may be those of a SyncReplicasOptimizer, whose threads let the workers go on.
    """
    if file.source.code(call.func).rpartition(".")[2] not in ("start_queue_runners", "StartQueueRunners"):
        return False
    scope = Scope(file.source, file.source.function(call))
    by_name = {each.keyword.value: each.value for each in call.args if each.keyword is not None}
    named = by_name.get("queue_runners")
    if named is None and not any("Supervisor" in site.name for site in file.sites(call)):
        return False
    if named is None and len(call.args) > 1 and call.args[1].keyword is None:
        named = call.args[1].value
    return named is not None and literal(named) != "None" and not is_runners(file, scope.resolved(named))


# Loops over tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)


def _runner_loops(file: ControlFile) -> List[cst.For]:
    finder = _Loops()
    finder.visit(file.source.module)
    found = []
    for loop in finder.found:
        statements = statements_of(loop.body)
        created = _created(file, loop)
        is_whole = len(created) == len(statements) and all(_is_removable(call) for call in created)
        if is_runners(file, loop.iter) and loop.orelse is None and statements and is_whole:
            found.append(loop)
    return found


def is_runners(file: ControlFile, node: cst.CSTNode) -> bool:
    """Returns whether an expression is the list of all queue runners of the graph."""
    if not isinstance(node, cst.Call) or len(node.args) != 1:
        return False
    name = file.source.code(node.func).rpartition(".")[2]
    key = file.source.code(node.args[0].value).strip("\"'")
    return name in ("get_collection", "get_collection_ref") and key.rpartition(".")[2] in (
        "QUEUE_RUNNERS", "queue_runners"
    )


def _created(file: ControlFile, loop: cst.For) -> List[cst.Call]:
    """Returns the calls of `create_threads` of the loop's variable that are statements, or add to a list."""
    found: List[cst.Call] = []
    if not isinstance(loop.target, cst.Name):
        return found
    for statement in statements_of(loop.body):
        for call in _calls_in(statement):
            is_create = (
                isinstance(call.func, cst.Attribute) and call.func.attr.value == "create_threads"
                and isinstance(call.func.value, cst.Name) and call.func.value.value == loop.target.value
            )
            if is_create and (_is_alone(file, call) or _is_added(file, call)):
                found.append(call)
    return found


def _calls_in(statement: Any) -> List[cst.Call]:
    if isinstance(statement, cst.AugAssign):
        return [statement.value] if isinstance(statement.value, cst.Call) else []
    if not isinstance(statement, cst.Expr) or not isinstance(statement.value, cst.Call):
        return []
    inner = [argument.value for argument in statement.value.args if isinstance(argument.value, cst.Call)]
    return [statement.value] + inner


# Lists of threads


def _is_alone(file: ControlFile, call: cst.Call) -> bool:
    if file.is_statement(call):
        return True
    target = file.source.parents[call]
    return (
        isinstance(target, cst.Assign) and len(target.targets) == 1
        and isinstance(target.targets[0].target, cst.Name) and target.targets[0].target.value == "_"
    )


def _is_added(file: ControlFile, call: cst.Call) -> bool:
    """Returns whether a call only adds to a list: `threads.extend(call)`, `threads += call`."""
    return _added_to(file, call) is not None


def _added_to(file: ControlFile, call: cst.Call) -> Optional[cst.BaseExpression]:
    above = file.source.parents[call]
    if isinstance(above, cst.AugAssign) and isinstance(above.operator, cst.AddAssign):
        return above.target
    passed = file.argument_of(call)
    if passed is not None and file.is_statement(passed[0]) and len(passed[0].args) == 1:
        function = passed[0].func
        if isinstance(function, cst.Attribute) and function.attr.value == "extend":
            return function.value
    return None


def _target(file: ControlFile, call: cst.Call) -> Optional[cst.Name]:
    """Returns the name that the result of a start is assigned to, or that it is added to."""
    added = _added_to(file, call)
    if added is not None:
        return added if isinstance(added, cst.Name) else None
    statement = file.source.parents[call]
    if isinstance(statement, cst.Assign) and statement.value is call and len(statement.targets) == 1:
        target = statement.targets[0].target
        return target if isinstance(target, cst.Name) else None
    return None


def _list_of(file: ControlFile, call: cst.Call) -> Optional[Variable]:
    target = _target(file, call)
    return file.variables.of(target) if target is not None else None


def _is_of_threads(file: ControlFile, use: cst.Name, calls: List[cst.Call], loops: List[cst.For]) -> bool:
    """Returns whether a use of a variable is one that goes with the threads."""
    assignment = file.assigned(use)
    if assignment is not None:
        return assignment.value in calls or _is_nothing(assignment.value)
    above = file.source.parents[use]
    if isinstance(above, cst.AugAssign):
        return above.target is use and above.value in calls
    method = file.method_call(use)
    if method is not None:
        return any(argument.value in calls for argument in method[1].args) and method[0] == "extend"
    return _join_of(file, use) is not None or _join_loop(file, use) is not None


def _is_nothing(value: cst.BaseExpression) -> bool:
    if isinstance(value, (cst.List, cst.Tuple)):
        return not value.elements
    return isinstance(value, cst.Name) and value.value == "None"


def _join_of(file: ControlFile, use: cst.Name) -> Optional[cst.Arg]:
    """Returns the argument of `coord.join(threads)` that a use is."""
    passed = file.argument_of(use)
    if passed is None or _JOIN not in file.names(passed[0]):
        return None
    call, argument = passed
    is_first = argument is call.args[0] and argument.keyword is None
    is_named = argument.keyword is not None and argument.keyword.value == "threads"
    return argument if is_first or is_named else None


def _join_loop(file: ControlFile, use: cst.Name) -> Optional[cst.For]:
    """Returns the loop `for thread in threads: thread.join()` that goes over a use."""
    loop = file.source.parents[use]
    if not isinstance(loop, cst.For) or loop.iter is not use or loop.orelse is not None:
        return None
    statements = statements_of(loop.body)
    if len(statements) != 1 or not isinstance(loop.target, cst.Name) or not isinstance(statements[0], cst.Expr):
        return None
    called = file.source.code(statements[0].value)
    return loop if called.startswith("{}.join(".format(loop.target.value)) else None


def _remove_use(file: ControlFile, use: cst.Name) -> None:
    assignment = file.assigned(use)
    loop = _join_loop(file, use)
    argument = _join_of(file, use)
    if assignment is not None or loop is not None:
        file.changes.remove(assignment or loop)
    elif argument is not None:
        index = file.source.parents[argument].args.index(argument)
        file.changes.change(file.source.parents[argument], lambda call: without_argument(call, index))


def without_argument(call: cst.Call, index: int) -> cst.Call:
    """Returns a call without one of its arguments."""
    arguments = [each for number, each in enumerate(call.args) if number != index]
    if arguments and index == len(arguments):
        arguments[-1] = arguments[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return call.with_changes(args=arguments)


def _indexed(file: ControlFile, target: cst.Name, call: cst.Call) -> List[Left]:
    """Returns what uses the threads as if there were some: `threads[0]`."""
    variable = file.variables.of(target)
    for use in variable.uses if variable is not None else ():
        if isinstance(file.source.parents[use], cst.Subscript):
            reason = "the script uses the threads that it returns: {}".format(
                file.source.code(file.source.parents[use])
            )
            return [Left(site, reason, file.source.line(use)) for site in file.sites(call)[:1]]
    return []


class _Loops(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: List[cst.For] = []

    def visit_For(self, node: cst.For) -> None:
        self.found.append(node)
