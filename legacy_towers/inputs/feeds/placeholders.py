"""Placeholders for each tower, in any nested structure, and their feeds."""
import re
from typing import Any, Callable, Collection, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.inputs.base import scope_within
from legacy_towers.inputs.feeds.checks import check, fit
from legacy_towers.specs.batch_sizes import check_positive
from legacy_towers.tensor_types import Operation
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.names import counted, tower_scope


@documented_fields
class Feed(NamedTuple):
    """The values that one step is fed: `per_tower` or `global_batch`, and `shared` for shared placeholders.

        lt.inputs.Feed(global_batch={"query": rows}, shared={"keep": 0.5})

    Attributes:
      per_tower: one structure of arrays per tower.
      global_batch: a structure of arrays, split among the towers along the first axis.
      shared: a structure of values for the shared placeholders.
    """

    per_tower: Optional[Sequence[Any]] = None
    global_batch: Any = None
    shared: Any = None


class TowerPlaceholders:
    """Placeholders of N towers and placeholders that they share: created by `lt.tower_placeholders`, or your own.

        placeholders = lt.tower_placeholders(
            {"query": tf.TensorSpec([None, 784], tf.float32), "positive": ..., "negative": ...},
            towers=4, shared={"keep": tf.TensorSpec([], tf.float32)})
        losses = [loss(tower["query"], ..., placeholders.shared["keep"]) for tower in placeholders.per_tower]
        session.run(train_op, placeholders.feed_dict(global_batch={"query": ...}, shared={"keep": 0.5}))
    """

    def __init__(self, per_tower: Sequence[Any], shared: Any = None) -> None:
        """
        Args:
          per_tower: a nested structure (dicts, tuples, lists) of placeholders per tower, all of the same structure.
          shared: a structure of placeholders that all towers read; None for none.

        Raises:
          ArgumentError: there is no tower.
          InputError: the towers' structures differ, or contain anything but placeholders.
        """
        if not per_tower:
            raise ArgumentError("per_tower must have placeholders for at least one tower")
        self.per_tower = list(per_tower)
        self.shared = {} if shared is None else shared
        for tower, placeholders in enumerate(self.per_tower):
            found, wrong = structure.leaves_like(self.per_tower[0], placeholders)
            if wrong:
                raise InputError("tower {}'s placeholders differ from tower 0's: {}".format(tower, wrong))
            _check_placeholders(self.per_tower[0], found, "tower {}".format(tower))
        _check_placeholders(self.shared, structure.leaves_of(self.shared), "shared")

    @property
    def all(self) -> List[Any]:
        """All placeholders, those of the towers and the shared ones."""
        return [leaf for part in self.per_tower + [self.shared] for _, leaf in structure.leaves(part)]

    def batches(self) -> List[Any]:
        """Returns each tower's batch: its placeholders, merged with the shared ones if both are dicts.

        Raises:
          InputError: a shared placeholder has the same name as one of a tower.
        """
        if not self.shared or not isinstance(self.shared, dict) or not isinstance(self.per_tower[0], dict):
            return list(self.per_tower)
        common = sorted(set(self.shared) & set(self.per_tower[0]))
        if common:
            raise InputError("component {!r} is both shared and per tower: rename one of the two".format(common[0]))
        return [dict(placeholders, **self.shared) for placeholders in self.per_tower]

    def feed_dict(
        self,
        per_tower: Optional[Sequence[Any]] = None,
        global_batch: Any = None,
        shared: Any = None,
        fed_elsewhere: Collection[Any] = (),
    ) -> Dict[Any, np.ndarray]:
        """Returns the feed_dict for `session.run`: an array of the right shape and dtype for every placeholder.

            global_batch {"x": [a b c d]}   ->   tower_0/x: [a b]   tower_1/x: [c d]

        Args:
          per_tower: a structure of arrays for each tower; or
          global_batch: a structure of arrays of shape [global batch size, ...], split among the towers along the first
            axis, in order.
          shared: a structure of values for the shared placeholders; None if all of them are fed elsewhere.
          fed_elsewhere: operations of placeholders to leave out, because the run feeds them otherwise.

        Raises:
          InputError: a tower or component is missing, or a shape or dtype does not fit; the message names both. Or the
            number of rows of a component differs between towers.
        """
        feed = self._fill_all(per_tower, global_batch, shared, fit)
        left_out = set(fed_elsewhere)
        if shared is None and not left_out.issuperset(self.shared_operations):
            raise self.shared_missing()
        return {leaf: value for leaf, value in feed.items() if leaf.op not in left_out}

    def checked(self, feed: Feed) -> Dict[Any, np.ndarray]:
        """Returns an array for each placeholder with a value in `feed`, checked as by `feed_dict`.

        The arrays have the caller's dtypes, which are converted when they are copied. Shared values may be missing: see
        `shared_missing`.

        Raises:
          InputError: as in `feed_dict`.
        """
        return self._fill_all(feed.per_tower, feed.global_batch, feed.shared, check)

    @property
    def shared_operations(self) -> List[Operation]:
        """The operations of the shared placeholders."""
        return [leaf.op for leaf in structure.leaves_of(self.shared)]

    def shared_missing(self) -> InputError:
        """Returns the error of a step without values for the shared placeholders."""
        _, wrong = structure.leaves_like(self.shared, {})
        return InputError("shared: {}".format(wrong or "no value is fed"))

    def _fill_all(
        self, per_tower: Optional[Sequence[Any]], global_batch: Any, shared: Any, take: Callable[..., np.ndarray]
    ) -> Dict[Any, np.ndarray]:
        if (per_tower is None) == (global_batch is None):
            raise InputError("give exactly one of per_tower and global_batch")
        if per_tower is None:
            per_tower = self._split(global_batch)
        if len(per_tower) != len(self.per_tower):
            raise InputError("values for {} are given, but there are placeholders for {}{}".format(
                counted(len(per_tower), "tower"), len(self.per_tower),
                ": tower {} is missing".format(len(per_tower)) if len(per_tower) < len(self.per_tower) else "",
            ))
        feed: Dict[Any, np.ndarray] = {}
        for tower, values in enumerate(per_tower):
            feed.update(_fill(self.per_tower[tower], values, "tower {}".format(tower), take))
        self._check_rows(feed)
        if shared is not None and not self.shared:
            raise InputError("shared values are given, but there are no shared placeholders")
        if shared is not None:
            feed.update(_fill(self.shared, shared, "shared", take))
        return feed

    def _check_rows(self, feed: Dict[Any, np.ndarray]) -> None:
        firsts = structure.leaves(self.per_tower[0])
        for tower, placeholders in enumerate(self.per_tower):
            for (path, first), leaf in zip(firsts, structure.leaves_of(placeholders)):
                rows, expected = feed[leaf].shape[:1], feed[first].shape[:1]
                if rows != expected:
                    where = "tower {}, component {!r}".format(tower, path) if path else "tower {}".format(tower)
                    raise InputError(
                        "{} has {}, but tower 0 has {}: all towers have the same weight, so each needs the same "
                        "number".format(where, _rows(rows), _rows(expected))
                    )

    def _split(self, global_batch: Any) -> List[Any]:
        values, wrong = structure.leaves_like(self.per_tower[0], global_batch)
        if wrong:
            raise InputError("global batch: {}".format(wrong))
        towers = len(self.per_tower)
        pieces = []
        for (path, _), value in zip(structure.leaves(self.per_tower[0]), values):
            array = value if isinstance(value, np.ndarray) else np.asarray(value)
            where = "global batch, component {!r}".format(path) if path else "global batch"
            if array.ndim == 0:
                raise InputError("{}: a scalar can't be split among towers; make it shared".format(where))
            if len(array) % towers:
                raise InputError("{}: {} examples can't be split among {} towers".format(where, len(array), towers))
            # A list stays a list, so that its parts are checked as Python numbers.
            whole = value if isinstance(value, list) else array
            size = len(array) // towers
            pieces.append([whole[tower * size:(tower + 1) * size] for tower in range(towers)])
        return [structure.pack(self.per_tower[0], iter(parts)) for parts in zip(*pieces)]


def tower_placeholders(
    spec: Any, towers: int, shared: Any = None, devices: Optional[Sequence[str]] = None
) -> TowerPlaceholders:
    """Creates placeholders for each tower, named tower_0/query, tower_1/query, ..., and shared ones, named shared/keep.

        placeholders = lt.tower_placeholders(
            {"query": tf.TensorSpec([None, 784], tf.float32)}, towers=2, shared={"keep": tf.TensorSpec([], tf.float32)})
        inputs = lt.inputs.from_placeholders(placeholders, batches)

    Args:
      spec: a structure of `tf.TensorSpec` for a tower's batch, with the batch axis: [None, ...] or [64, ...].
      towers: number of towers.
      shared: a structure of `tf.TensorSpec` for values that are fed once for all towers, such as a keep probability.
      devices: one device string per tower, on which its placeholders are placed; None for the current device scope.

    Raises:
      ArgumentError: `towers` is not a positive whole number, the number of devices is not `towers`, or a component is
        not described by a `tf.TensorSpec`.
    """
    check_positive("towers", towers)
    if devices is not None and len(devices) != towers:
        raise ArgumentError("devices has {} devices for {} towers".format(len(devices), towers))
    per_tower = []
    for tower in range(towers):
        with tf.device(devices[tower] if devices is not None else None):
            per_tower.append(_placeholders(spec, tower_scope(tower)))
    return TowerPlaceholders(per_tower, None if shared is None else _placeholders(shared, "shared"))


def _placeholders(spec: Any, scope: str) -> Any:
    made = []
    with tf.name_scope(scope_within(scope)):
        for path, leaf in structure.leaves(spec):
            if not isinstance(leaf, tf.TensorSpec):
                raise ArgumentError(
                    "component {!r} must be a tf.TensorSpec(shape, dtype), got {!r}".format(path, leaf)
                )
            name = re.sub(r"[^A-Za-z0-9_.\-/]", "_", path) or "batch"
            made.append(tf.placeholder(leaf.dtype, leaf.shape, name=name))
    return structure.pack(spec, iter(made))


def _rows(shape: Tuple[int, ...]) -> str:
    return "{} rows".format(shape[0]) if shape else "a scalar"


def _check_placeholders(spec: Any, placeholders: List[Any], whose: str) -> None:
    for (path, _), leaf in zip(structure.leaves(spec), placeholders):
        if not isinstance(leaf, tf.Tensor):
            where = "{}, component {!r}".format(whose, path) if path else whose
            raise InputError("{} must be a placeholder, got {}".format(where, type(leaf).__name__))


def _fill(
    placeholders: Any, values: Any, whose: str, take: Callable[..., np.ndarray]
) -> Dict[Any, np.ndarray]:
    found, wrong = structure.leaves_like(placeholders, values)
    if wrong:
        raise InputError("{}: {}".format(whose, wrong))
    pairs = zip(structure.leaves(placeholders), found)
    return {
        leaf: take(value, leaf, "{}, component {!r}".format(whose, path) if path else whose)
        for (path, leaf), value in pairs
    }
