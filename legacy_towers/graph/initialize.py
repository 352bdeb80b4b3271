"""Initializes the variables and tables that have no value yet in a session."""
from typing import Any, Callable, Dict, List, Optional

from legacy_towers.compat import tf


class MissingInitializer:
    """Initializes the variables and tables of the graph that is the default graph when it is constructed.

    Call it with a session: it runs the initializers of those global and local variables that have no value yet, so that
    restored values stay. It builds its operations once, and again when the graph has more variables or tables.
    """

    def __init__(self, only: Optional[Callable[[Any], bool]] = None) -> None:
        """
        Args:
          only: returns whether a variable may be initialized here; None: all may.
        """
        self._only = only or (lambda variable: True)
        self._covered: List[Any] = []
        self._build(_everything())

    def __call__(self, session: Any) -> None:
        graph = session.graph
        with graph.as_default():
            now = _everything()
            # Nothing can be added to a finalized graph: whoever made variables later initializes them.
            if len(now) > len(self._covered) and not graph.finalized:
                self._build(now)
        names = [name.decode("utf-8") for name in session.run(self._uninitialized)]
        session.run([self._initializers[name] for name in names])
        session.run(self._tables)

    def _build(self, covered: List[Any]) -> None:
        variables = [each for each in tf.global_variables() + tf.local_variables() if self._only(each)]
        with tf.name_scope("initialize_missing"), tf.device("/cpu:0"):
            self._tables = tf.tables_initializer()
            # The identity counts as a use: at exit TensorFlow warns of a report that nothing reads.
            self._uninitialized = tf.identity(tf.report_uninitialized_variables(variables))
        self._initializers: Dict[str, Any] = {variable.op.name: variable.initializer for variable in variables}
        self._covered = covered


def _everything() -> List[Any]:
    return tf.global_variables() + tf.local_variables() + tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)
