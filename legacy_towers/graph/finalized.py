"""Names the line that adds to a finalized graph; TensorFlow's error has neither a line nor advice."""
from legacy_towers.compat.versions.graph_hooks import explain_finalized
from legacy_towers.compat.versions.tracebacks import calling_line
from legacy_towers.errors import SessionError
from legacy_towers.tensor_types import Graph


def explain_finalized_graph(graph: Graph) -> None:
    """Raises `SessionError`, which names the user's line, where something is added to `graph` after it was finalized.

    A MonitoredSession finalizes its graph when it is created. TensorFlow's error is the cause of this one.
    """

    def explain() -> SessionError:
        line = calling_line()
        return SessionError(
            "the graph is finalized, since a session such as tf.train.MonitoredTrainingSession runs it, and {}. Build "
            "all operations before the session, and run them inside it: a graph that grows at each step would slow "
            "down training and fill the memory".format(
                "this line adds to it: {}".format(line) if line else "an operation is added to it"
            )
        )

    explain_finalized(graph, explain)
