"""Records that a function which reads adds to a collection of the graph, and that nothing in the project gets from it.

    def read(queue):                                        def read(serialized):
        _, serialized = reader.read(queue)
        tf.add_to_collection("serialized", serialized)
        return parse(serialized)                                return parse(serialized)
"""
import re
from typing import Any, Callable

import libcst as cst

from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.names import dotted
from legacy_towers.migrate.source.values import Site

_ADD = "add_to_collection"
# Collections that TensorFlow itself reads, or has names for: the values of tf.GraphKeys.
_OF_TENSORFLOW = frozenset((
    "variables", "local_variables", "metric_variables", "model_variables", "trainable_variables", "summaries",
    "queue_runners", "table_initializer", "asset_filepaths", "moving_average_variables", "regularization_losses",
    "concatenated_variables", "savers", "weights", "biases", "activations", "update_ops", "losses", "saveable_objects",
    "resources", "local_resources", "trainable_resource_variables", "init_op", "local_init_op", "ready_op",
    "ready_for_local_init_op", "summary_op", "global_step", "eval_step", "train_op", "cond_context", "while_context",
))


def removes_unread(calls: Calls, read: Site) -> Callable[[str, int], bool]:
    """Returns a function that removes the statement of a path and line, and returns whether it did.

    It does if the statement is in the function that reads, all calls of which are rewritten, adds to a collection, and
    if no other code of the project has the name of this collection.

    Args:
      calls: the functions and calls of the pipeline.
      read: the call that reads.
    """

    def remove(path: str, line: int) -> bool:
        if path != read.path:
            return False
        draft = calls.draft(path)
        source = draft.source
        reading = source.function(calls.call(read))
        for call in source.calls():
            if source.line(call) != line or dotted(call.func).rpartition(".")[2] != _ADD or not call.args:
                continue
            statement: Any = source.statement(call)
            name = call.args[0].value
            if not isinstance(statement, cst.Expr) or statement.value is not call:
                continue
            is_here = reading is not None and source.function(call) is reading
            if is_here and isinstance(name, cst.SimpleString) and _is_unread(calls, name):
                draft.edits.remove(statement)
                return True
        return False

    return remove


def _is_unread(calls: Calls, name: Any) -> bool:
    if name.evaluated_value in _OF_TENSORFLOW:
        return False
    text = rb"(['\"])" + re.escape(str(name.evaluated_value).encode("utf-8")) + rb"\1"
    added = re.compile(rb"add_to_collection\(\s*" + text)
    return not any(re.search(text, added.sub(b"", file.source)) for file in calls.project.files.values())
