"""Names that TensorFlow moved between its own modules, and that older code takes from where they were.

Libraries of TensorFlow 1.x import TensorFlow's private modules. What they use there has mostly a public name, and keeps
that. Tried on 2.13, 2.16 and 2.21; 1.15 has them all where they were.
"""
import types
from typing import Any, Dict

from legacy_towers.compat import tf

# Module -> name that it had -> its public name in tensorflow.compat.v1.
MOVED: Dict[str, Dict[str, str]] = {
    "tensorflow.python.framework.ops": {"IndexedSlices": "IndexedSlices", "Tensor": "Tensor"},
    "tensorflow.python.ops.array_ops": {"stack": "stack", "unstack": "unstack"},
    "tensorflow.python.ops.control_flow_ops": {
        "Assert": "Assert",
        "case": "case",
        "cond": "cond",
        "while_loop": "while_loop",
    },
    "tensorflow.python.ops.variable_scope": {"variable": "Variable"},
}


class WithMovedNames(types.ModuleType):
    """A module of TensorFlow as it was: what it has, and what it had.

    Args:
      name: of the module.
      had: name -> value.
    """

    def __init__(self, name: str, had: Dict[str, Any]) -> None:
        super().__init__(name)
        self.__dict__["_had"] = had

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        module = __import__(self.__name__, fromlist=[""])
        value = getattr(module, name) if hasattr(module, name) else self._had.get(name)
        if value is None:
            raise AttributeError("module {!r} has no attribute {!r}".format(self.__name__, name))
        self.__dict__[name] = value
        return value


def with_moved_names() -> Dict[str, WithMovedNames]:
    """Returns name -> module, for each module of `MOVED`."""
    return {
        module: WithMovedNames(module, {old: getattr(tf, public) for old, public in names.items()})
        for module, names in MOVED.items()
    }
