"""The variables of a graph by name: what they are, their values, and how to give them others."""
from typing import Any, Dict, List, NamedTuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.names import quoted


class VariableFacts(NamedTuple):
    """What two graphs must agree on."""

    name: str
    shape: List[int]
    dtype: str
    trainable: bool


class VariableValues:
    """Reads and writes all global variables of the default graph, which it extends by a placeholder for each."""

    def __init__(self) -> None:
        self._variables = {variable.op.name: variable for variable in tf.global_variables()}
        self._placeholders: Dict[str, Any] = {}
        self._assigns: Dict[str, Any] = {}
        with tf.name_scope("parity"):
            for name, variable in self._variables.items():
                with tf.device(variable.device):
                    self._placeholders[name] = tf.placeholder(variable.dtype.base_dtype, variable.shape)
                    self._assigns[name] = tf.assign(variable, self._placeholders[name]).op

    def facts(self) -> List[VariableFacts]:
        """Returns what the variables are, by name."""
        trainable = {variable.op.name for variable in tf.trainable_variables()}
        return [
            VariableFacts(name, variable.shape.as_list(), variable.dtype.base_dtype.name, name in trainable)
            for name, variable in sorted(self._variables.items())
        ]

    def read(self, session: Any) -> Dict[str, np.ndarray]:
        """Returns name -> value."""
        values = session.run(self._variables)
        return {name: np.asarray(values[name]) for name in sorted(values)}

    def write(self, session: Any, values: Dict[str, np.ndarray]) -> None:
        """Gives every variable its value.

        Raises:
          InputError: a value is missing.
        """
        missing = sorted(set(self._variables) - set(values))
        if missing:
            raise InputError("there is no value for {}: the graphs have different variables".format(quoted(missing)))
        # Copies: a variable may keep the array itself (a feed of aligned memory isn't copied), and update it in place.
        feed = {placeholder: np.array(values[name]) for name, placeholder in self._placeholders.items()}
        session.run(list(self._assigns.values()), feed)
