"""What a graph's collections contain while one tower is built, and afterwards."""
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.tensor_types import Graph, Variable


class TowerCollections:
    """Replaces the entries of all collections of a graph until `restore`.

    Args:
      shown: a function of (key, entry) that returns the entry to show in its place; None hides it.
    """

    def __init__(self, graph: Graph, shown: Callable[[str, Any], Optional[Any]]) -> None:
        self._graph = graph
        self._before: Dict[str, List[Any]] = {}
        self._shown: Dict[str, List[Any]] = {}
        for key in graph.get_all_collection_keys():
            collection = graph.get_collection_ref(key)
            self._before[key] = list(collection)
            collection[:] = _mapped(key, collection, shown)
            self._shown[key] = list(collection)

    def withdraw(self, keys: Sequence[str], entry: Any) -> None:
        """Removes an entry that was added since from the collections `keys`."""
        for key in keys:
            without(self._graph.get_collection_ref(key), [entry])

    def restore(self, kept: Callable[[str, Any], Optional[Any]]) -> None:
        """Restores the entries from before, followed by those added since.

        Args:
          kept: a function of (key, entry) that returns what to keep in place of an added entry; None drops it.
        """
        for key in self._graph.get_all_collection_keys():
            collection = self._graph.get_collection_ref(key)
            added = _added(self._shown.get(key, []), collection)
            collection[:] = self._before.get(key, []) + _mapped(key, added, kept)


def move_to_local(variables: Sequence[Variable]) -> None:
    """Moves variables from the global to the local variables: initialized with these, and in no checkpoint."""
    without(tf.get_collection_ref(tf.GraphKeys.GLOBAL_VARIABLES), variables)
    local = tf.get_collection_ref(tf.GraphKeys.LOCAL_VARIABLES)
    present = {id(entry) for entry in local}
    local.extend(variable for variable in variables if id(variable) not in present)


def without(collection: List[Any], entries: Sequence[Any]) -> None:
    """Removes `entries` from a list by identity: in some TensorFlow versions variables compare element by element."""
    removed = {id(entry) for entry in entries}
    collection[:] = [entry for entry in collection if id(entry) not in removed]


def _mapped(key: str, entries: Sequence[Any], function: Callable[[str, Any], Optional[Any]]) -> List[Any]:
    mapped = [function(key, entry) for entry in entries]
    return [entry for entry in mapped if entry is not None]


def _added(before: List[Any], now: List[Any]) -> List[Any]:
    if len(now) >= len(before) and all(one is other for one, other in zip(before, now)):
        return now[len(before) :]
    # An entry was removed or inserted.
    known = {id(entry) for entry in before}
    return [entry for entry in now if id(entry) not in known]
