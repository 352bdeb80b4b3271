"""`with coord.stop_on_exception():` becomes a `try` that ends at the end of the data.

    with coord.stop_on_exception():             try:
        while not coord.should_stop():              while True:
            sess.run(train_op)                          sess.run(train_op)
    coord.request_stop()                        except tf.errors.OutOfRangeError:
    coord.join(threads)                             pass

It keeps every error for `join`, which raises it unless it is the end of the data.
"""
from typing import Any, List

import libcst as cst

from legacy_towers.migrate.source.rewrite.controls.blocks import Changes
from legacy_towers.migrate.source.rewrite.controls.files import ControlFile
from legacy_towers.migrate.source.rewrite.controls.request_stop import end_of_data_name
from legacy_towers.migrate.source.rewrite.controls.uses import CoordinatorUses


def remove(file: ControlFile, uses: CoordinatorUses, changes: Changes) -> bool:
    """Adds the changes of the `with` statements; returns False if the coordinator must stay."""
    for guard in uses.guards:
        error = end_of_data_name(file, uses)
        if not isinstance(guard, cst.With) or len(guard.items) != 1 or guard.items[0].asname is not None:
            return False
        if error is None or not uses.is_joined_after(guard, file.source, changes.is_removed):
            return False
        # Errors are kept, so that the coordinator stops there.
        if any(uses.may_be_asked_after(guard, call, file.source) for call in _outside(file, guard, uses)):
            return False
        changes.change(guard, _as_try(error))
    return True


def _outside(file: ControlFile, guard: cst.With, uses: CoordinatorUses) -> List[cst.Call]:
    return [call for call in uses.asked if guard not in file.source.above(call)]


def _as_try(error: str) -> Any:
    def changed(node: cst.With) -> cst.Try:
        handler = cst.ExceptHandler(
            type=cst.parse_expression(error),
            whitespace_after_except=cst.SimpleWhitespace(" "),
            body=cst.IndentedBlock([cst.SimpleStatementLine([cst.Pass()])]),
        )
        return cst.Try(body=node.body, handlers=[handler], leading_lines=node.leading_lines)

    return changed
