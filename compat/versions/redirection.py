"""Lets the sessions of a graph fetch and feed other tensors than those that are asked for, by private API."""
import contextlib
import threading
from typing import Any, Dict, Iterator


def redirect(graph: Any, replaced: Dict[Any, Any]) -> None:
    """Lets sessions fetch and feed other tensors in place of those that are asked for.

    Args:
      graph: their graph.
      replaced: tensor -> the one in its place. Its name, its operation and the name of that are redirected too.
    """
    tensors = {old.name: new for old, new in replaced.items()}
    operations = {old.op.name: new.op for old, new in replaced.items()}
    find = graph.as_graph_element

    def as_graph_element(obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        found = find(obj, allow_tensor, allow_operation)
        return (operations if hasattr(found, "node_def") else tensors).get(found.name, found)

    # Sessions, their callables and graph.get_tensor_by_name look up by it. Tried on 1.15 and 2.21.
    graph.as_graph_element = as_graph_element


class Redirection:
    """Lets single runs of a session fetch other tensors and operations than those that are asked for.

    Args:
      graph: the graph of the session.
    """

    @classmethod
    def of(cls, graph: Any) -> "Redirection":
        """Returns the one of a graph, which is installed at the first call."""
        known = getattr(graph.as_graph_element, "redirection", None)
        return cls(graph) if known is None else known

    def __init__(self, graph: Any) -> None:
        self._of_thread = threading.local()
        find = graph.as_graph_element

        def as_graph_element(obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
            found = find(obj, allow_tensor, allow_operation)
            replaced = getattr(self._of_thread, "replaced", None)
            return found if replaced is None else replaced.get(found.name, found)

        # Sessions look up by it what they fetch and feed. Tried on 1.15 and 2.21.
        as_graph_element.redirection = self  # type: ignore[attr-defined]
        graph.as_graph_element = as_graph_element

    @contextlib.contextmanager
    def replacing(self, replaced: Dict[str, Any]) -> Iterator[None]:
        """Replaces what this thread fetches until the context ends.

        Args:
          replaced: name of a tensor or of an operation -> the tensor or operation in its place.
        """
        self._of_thread.replaced = replaced
        try:
            yield
        finally:
            self._of_thread.replaced = None
