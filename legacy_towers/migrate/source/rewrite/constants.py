"""Tensors that limit_epochs gives several times: they are the same each time if they are computed from constants."""
from typing import Any, List, Optional

import libcst as cst

from legacy_towers.migrate.source.rewrite.checks import Checks, calls_in
from legacy_towers.migrate.source.rewrite.names import dotted, names_of
from legacy_towers.migrate.source.rewrite.scope import Scope

# Functions whose result is a constant if their arguments are constants.
_CONSTANT = (
    "tf.cast", "tf.constant", "tf.convert_to_tensor", "tf.expand_dims", "tf.fill", "tf.ones", "tf.range", "tf.reshape",
    "tf.stack", "tf.to_float", "tf.transpose", "tf.zeros",
)


def why_not_constant(checks: Checks, scope: Scope, tensor: Any) -> Optional[str]:
    """Returns why a tensor may be another one each time it is computed, as a clause; None if it is a constant."""
    found = _changing(checks, scope, tensor)
    return "its tensor is computed by {}, and may be another one each time".format(found) if found else None


def _changing(checks: Checks, scope: Scope, tensor: Any) -> str:
    """Returns the name of a function of TensorFlow whose result may change, "" if there is none."""
    seen: List[Any] = []
    waiting = [tensor]
    while waiting:
        node = scope.resolved(waiting.pop())
        if node in seen:
            continue
        seen.append(node)
        for call in calls_in(node):
            if checks.functions(call):
                return dotted(call.func)
        text = next((name for call in calls_in(node) for name in [_api_name(scope, call)] if name and (
            name not in _CONSTANT)), "")
        if text:
            return text
        waiting += [value for name in names_of(node).read for value in scope.assigned(name)]
    return ""


def _api_name(scope: Scope, call: cst.Call) -> str:
    """Returns the name of a function of TensorFlow, from the text of its call; "" of another one."""
    name, tf = dotted(call.func), scope.tensorflow() or "tf"
    for start in (tf + ".compat.v1.", tf + "."):
        if name.startswith(start):
            return "tf." + name[len(start) :]
    return ""
