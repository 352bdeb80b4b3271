"""Initialize what a session has not initialized yet, and leave alone what it has."""
from typing import Any

from legacy_towers.compat import tf


class MissingInitializer:
    """Initializes the default graph's variables and tables as they are when it is made.

    Calling it with a session runs the initializers of those global and local variables that have no value yet: a
    restored session stays restored. Its operations are made once, not at each call.
    """

    def __init__(self) -> None:
        variables = tf.global_variables() + tf.local_variables()
        with tf.name_scope("initialize_missing"), tf.device("/cpu:0"):
            self._tables = tf.tables_initializer()
            # The identity counts as a use: TensorFlow complains at exit about a report that nobody read.
            self._uninitialized = tf.identity(tf.report_uninitialized_variables(variables))
        self._initializers = {variable.op.name: variable.initializer for variable in variables}

    def __call__(self, session: Any) -> None:
        names = [name.decode("utf-8") for name in session.run(self._uninitialized)]
        session.run([self._initializers[name] for name in names])
        session.run(self._tables)
