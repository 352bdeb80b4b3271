"""Initialize what a session has not initialized yet, and leave alone what it has."""
from typing import Any, Dict, List

from legacy_towers.compat import tf


class MissingInitializer:
    """Initializes the variables and tables of the default graph of where it is made.

    Calling it with a session runs the initializers of those global and local variables that have no value yet: a
    restored session stays restored. Its operations are made once, and once more when the graph has got more variables
    or tables since.
    """

    def __init__(self) -> None:
        self._covered: List[Any] = []
        self._build(_everything())

    def __call__(self, session: Any) -> None:
        graph = session.graph
        with graph.as_default():
            now = _everything()
            # In a finalized graph nothing can be added: what came late has to be initialized by whoever made it.
            if len(now) > len(self._covered) and not graph.finalized:
                self._build(now)
        names = [name.decode("utf-8") for name in session.run(self._uninitialized)]
        session.run([self._initializers[name] for name in names])
        session.run(self._tables)

    def _build(self, covered: List[Any]) -> None:
        variables = tf.global_variables() + tf.local_variables()
        with tf.name_scope("initialize_missing"), tf.device("/cpu:0"):
            self._tables = tf.tables_initializer()
            # The identity counts as a use: TensorFlow complains at exit about a report that nobody read.
            self._uninitialized = tf.identity(tf.report_uninitialized_variables(variables))
        self._initializers: Dict[str, Any] = {variable.op.name: variable.initializer for variable in variables}
        self._covered = covered


def _everything() -> List[Any]:
    return tf.global_variables() + tf.local_variables() + tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)
