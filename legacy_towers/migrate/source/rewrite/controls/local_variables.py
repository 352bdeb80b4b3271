"""Initializers of local variables: only `num_epochs` of a queue needed them, unless the project has other ones.

    sess.run(tf.local_variables_initializer())
    init = tf.group(tf.global_variables_initializer(),     init = tf.global_variables_initializer()
                    tf.local_variables_initializer())

They do no harm: where something in the project may have local variables, they stay.
"""
import re
from typing import Any, List, Optional

import libcst as cst

from legacy_towers.migrate.source import queue_api
from legacy_towers.migrate.source.rewrite.controls.blocks import has_call
from legacy_towers.migrate.source.rewrite.controls.files import ControlFile
from legacy_towers.migrate.source.rewrite.controls.foreign import Imported
from legacy_towers.migrate.source.rewrite.controls.starts import without_argument
from legacy_towers.migrate.source.rewrite.controls.variables import scope_of
from legacy_towers.migrate.source.rewrite.drafts import Program
from legacy_towers.migrate.source.values import Site

NAME = "tf.local_variables_initializer"
_WITH_LOCAL_VARIABLES = frozenset(
    queue_api.PRODUCERS + queue_api.BATCHERS + queue_api.SLIM + queue_api.LEARN + queue_api.STATE_SAVERS
)
# What has local variables, or may have some.
_LOCAL_VARIABLES = re.compile(
    rb"metrics|streaming_|local_variable\b|LOCAL_VARIABLES|['\"]local_variables['\"]|(?<!initialize_)local_variables\(|"
    rb"SyncReplicas|sync_replicas|get_local_variable|contrib\.learn|tf\.estimator|local_scope"
)


def may_have_local_variables(program: Program, imported: Imported) -> bool:
    """Returns whether something beside the pipelines that are rewritten may have local variables of TensorFlow."""
    rewritten = {site for pipeline in program.pipelines for site in pipeline.sites}
    queues = [site for site in program.project.sites if site.name in _WITH_LOCAL_VARIABLES and site not in rewritten]
    return (
        bool(imported.unknown) or any(site.path in imported.sources for site in queues)
        or any(_LOCAL_VARIABLES.search(each) for each in imported.sources.values())
    )


def remove_initializers(file: ControlFile, controls: List[Site]) -> None:
    """Removes the initializers of local variables from a file.

    Args:
      file: the file.
      controls: the calls that initialize what only queues needed.
    """
    calls = [call for call in file.calls(NAME) if all(site in controls for site in file.sites(call))]
    for call in calls:
        if _remove_expression(file, call):
            continue
        assignment = _assignment(file, call)
        target = assignment.targets[0].target if assignment is not None else None
        variable = file.variables.of(target) if isinstance(target, cst.Name) else None
        if variable is None or any(scope_of(use, file.source.parents) is not variable.scope for use in variable.uses):
            continue
        uses = [use for use in variable.uses if file.assigned(use) is not assignment]
        if all(_can_remove(file, use) for use in uses):
            file.changes.remove(assignment)
            for use in uses:
                _remove_expression(file, use)
    _settle(file)


def _assignment(file: ControlFile, call: cst.Call) -> Optional[cst.Assign]:
    above = file.source.parents[call]
    if isinstance(above, cst.Assign) and len(above.targets) == 1 and isinstance(above.targets[0].target, cst.Name):
        return above
    return None


def _can_remove(file: ControlFile, node: cst.BaseExpression) -> bool:
    """Returns whether an initializer stands where it can go: run, or one of several in a list, tuple or group."""
    return _place(file, node) is not None


def _remove_expression(file: ControlFile, node: cst.BaseExpression) -> bool:
    place = _place(file, node)
    if place is None:
        return False
    file.removals.setdefault(place, []).append(node)
    return True


def _place(file: ControlFile, node: cst.BaseExpression) -> Optional[Any]:
    """Returns the statement, list, tuple or call of `tf.group` from which an initializer can be taken."""
    passed = file.argument_of(node)
    if passed is not None:
        call, argument = passed
        if _runs(call) and argument is call.args[0] and file.is_statement(call) and len(call.args) == 1:
            return file.source.statement(call)
        if file.names(call) == {"tf.group"} and argument.keyword is None:
            return call
        return None
    method = file.method_call(node)
    if method is not None:
        return file.source.statement(node) if method[0] == "run" and file.is_statement(method[1]) else None
    element = file.source.parents[node]
    if isinstance(element, cst.Element) and isinstance(file.source.parents[element], (cst.List, cst.Tuple)):
        container = file.source.parents[element]
        passed = file.argument_of(container)
        if passed is not None and _runs(passed[0]) and file.is_statement(passed[0]):
            return container
    return None


def _runs(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == "run"


def _settle(file: ControlFile) -> None:
    """Adds the changes of the places from which initializers are taken."""
    for place, nodes in file.removals.items():
        if isinstance(place, cst.Call):
            _settle_group(file, place, nodes)
        elif isinstance(place, (cst.List, cst.Tuple)):
            _settle_list(file, place, nodes)
        else:
            file.changes.remove(place)


def _settle_group(file: ControlFile, call: cst.Call, nodes: List[Any]) -> None:
    indices = [number for number, argument in enumerate(call.args) if argument.value in nodes]
    rest = [argument for argument in call.args if argument.value not in nodes]
    positional = [argument for argument in rest if argument.keyword is None and not argument.star]
    if len(positional) == 1 and len(rest) == 1:
        index = call.args.index(positional[0])
        file.changes.change(call, lambda node: node.args[index].value.with_changes())
    elif rest and len(rest) == len(positional):
        file.changes.change(call, lambda node: _without(node, indices))
    elif file.is_statement(call):
        file.changes.remove(file.source.statement(call))


def _without(call: cst.Call, indices: List[int]) -> cst.Call:
    for index in sorted(indices, reverse=True):
        call = without_argument(call, index)
    return call


def _settle_list(file: ControlFile, container: Any, nodes: List[Any]) -> None:
    kept = [number for number, element in enumerate(container.elements) if element.value not in nodes]
    passed = file.argument_of(container)
    assert passed is not None
    if not kept:
        if not any(has_call(argument.value) for argument in passed[0].args[1:]):
            file.changes.remove(file.source.statement(container))
    elif len(kept) == 1:
        file.changes.change(container, lambda node: node.elements[kept[0]].value)
    else:
        file.changes.change(container, lambda node: _shortened(node, kept))


def _shortened(container: Any, kept: List[int]) -> Any:
    elements = [container.elements[number] for number in kept]
    if kept[-1] != len(container.elements) - 1:
        elements[-1] = elements[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return container.with_changes(elements=elements)
