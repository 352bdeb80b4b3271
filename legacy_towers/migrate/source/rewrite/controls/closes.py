"""Queues that a script closes itself: `sess.run(queue.close())` goes."""
from typing import List, Sequence

import libcst as cst

from legacy_towers.migrate.source.rewrite.controls.files import ControlFile
from legacy_towers.migrate.source.rewrite.drafts import Left
from legacy_towers.migrate.source.values import Site

_CLOSE = "tf.QueueBase.close"


def remove_closes(file: ControlFile, sites: Sequence[Site]) -> List[Left]:
    """Removes what closes queues from a file.

    Args:
      file: the file.
      sites: the calls of the pipelines that are rewritten.

    Returns:
      The calls that can't be removed, with the reason.
    """
    left: List[Left] = []
    for call in file.calls(_CLOSE):
        if not all(site in sites for site in file.sites(call)):
            continue
        operations: List[cst.BaseExpression] = [call]
        above = file.source.parents[call]
        if isinstance(above, cst.Assign) and len(above.targets) == 1 and isinstance(above.targets[0].target, cst.Name):
            variable = file.variables.of(above.targets[0].target)
            if variable is not None:
                operations = [use for use in variable.uses if use is not above.targets[0].target]
        others = [each for each in operations if not _is_only_run(file, each)]
        if others:
            where = file.source.statement(others[0])
            reason = "the operation that closes the queue is not only run: {}".format(file.source.code(where).strip())
            left += [Left(site, reason, file.source.line(where)) for site in file.sites(call)[:1]]
            continue
        for each in operations + [call]:
            file.changes.remove(file.source.statement(each))
    return left


def _is_only_run(file: ControlFile, operation: cst.BaseExpression) -> bool:
    """Returns whether an operation is a statement, alone or run: `sess.run(close)`, `close.run()`."""
    if file.is_statement(operation):
        return True
    method = file.method_call(operation)
    if method is not None:
        return method[0] == "run" and file.is_statement(method[1])
    passed = file.argument_of(operation)
    return (
        passed is not None and len(passed[0].args) == 1 and file.is_statement(passed[0])
        and isinstance(passed[0].func, cst.Attribute) and passed[0].func.attr.value == "run"
    )
