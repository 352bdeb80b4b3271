"""What a graph's collections show while one tower is built, and what they hold afterwards."""
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat import tf


class ShownCollections:
    """Changes the entries of all collections of a graph until `restore`.

    Args:
      graph: the graph.
      shown: a function of (key, entry) that returns what to show in an entry's place; None hides it.
    """

    def __init__(self, graph: Any, shown: Callable[[str, Any], Optional[Any]]) -> None:
        self._graph = graph
        self._before: Dict[str, List[Any]] = {}
        self._shown: Dict[str, List[Any]] = {}
        for key in graph.get_all_collection_keys():
            collection = graph.get_collection_ref(key)
            self._before[key] = list(collection)
            collection[:] = _mapped(key, collection, shown)
            self._shown[key] = list(collection)

    def withdraw(self, keys: Sequence[str], entry: Any) -> None:
        """Takes an entry that was added since out of the collections `keys`."""
        for key in keys:
            without(self._graph.get_collection_ref(key), [entry])

    def restore(self, kept: Callable[[str, Any], Optional[Any]]) -> None:
        """Puts back what was there, and behind it what was added since.

        Args:
          kept: a function of (key, entry) that returns what to keep in the place of an added entry; None drops it.
        """
        for key in self._graph.get_all_collection_keys():
            collection = self._graph.get_collection_ref(key)
            added = _added(self._shown.get(key, []), collection)
            collection[:] = self._before.get(key, []) + _mapped(key, added, kept)


def move_to_local(variables: Sequence[Any]) -> None:
    """Makes global variables local ones: initialized with these, and in no checkpoint."""
    without(tf.get_collection_ref(tf.GraphKeys.GLOBAL_VARIABLES), variables)
    local = tf.get_collection_ref(tf.GraphKeys.LOCAL_VARIABLES)
    there = {id(entry) for entry in local}
    local.extend(variable for variable in variables if id(variable) not in there)


def without(collection: List[Any], entries: Sequence[Any]) -> None:
    """Removes `entries` from a list, by identity: variables compare element by element in some TensorFlows."""
    gone = {id(entry) for entry in entries}
    collection[:] = [entry for entry in collection if id(entry) not in gone]


def _mapped(key: str, entries: Sequence[Any], function: Callable[[str, Any], Optional[Any]]) -> List[Any]:
    mapped = [function(key, entry) for entry in entries]
    return [entry for entry in mapped if entry is not None]


def _added(before: List[Any], now: List[Any]) -> List[Any]:
    if len(now) >= len(before) and all(one is other for one, other in zip(before, now)):
        return now[len(before) :]
    # Something was taken out or put in between.
    there = {id(entry) for entry in before}
    return [entry for entry in now if id(entry) not in there]
