"""Makes each tower's own variables while its model function runs."""
import contextlib
import functools
from typing import Any, Dict, Iterator, List, Optional, Set

import numpy as np

from legacy_towers.compat import tf, variable_store
from legacy_towers.errors import TowerError
from legacy_towers.variables.base import Strategy
from legacy_towers.variables.copies import Copied, TowerVariables
from legacy_towers.variables.shown import ShownCollections, move_to_local


class CopyMaker:
    """Gives each of a set of towers, built one after the other, copies of its own of what tower 0 makes.

    What `tf.get_variable` knew before the first of them is shared. Where a strategy has no copies, nothing is done.

    Attributes:
      variables: which variables the towers use.
      missing: the names that tower 0 asked for and the last tower, if it trains, did not.
    """

    def __init__(self, variables: TowerVariables, strategy: Strategy) -> None:
        self.variables = variables
        self.missing: List[str] = []
        self._copies = strategy.copies
        self._shared: Set[str] = set()
        self._first: List[str] = []  # what tower 0 asked for, in order
        self._regularization: Set[int] = set()  # ids of the losses that tower 0 made
        if not strategy.copies:
            return
        graph = tf.get_default_graph()
        ours = set(variables.asked) | set(variables.copy_names.values())
        # The store of variables comes with the first scope.
        with tf.variable_scope(tf.get_variable_scope(), auxiliary_name_scope=False):
            self._shared = variable_store.known_names(graph) - ours

    @contextlib.contextmanager
    def building(self, tower: int, trains: bool = True) -> Iterator[None]:
        """While it lasts, `tf.get_variable` gives tower number `tower` its own copies, and the collections show them.

        Every collection holds the tower's own variables in place of another tower's, and REGULARIZATION_LOSSES the
        tower's own. Afterwards the collections hold what the model without towers would have put there: plain-named
        variables, and the regularization losses of tower 0.
        """
        if not self._copies:
            yield
            return
        graph = tf.get_default_graph()
        collections = ShownCollections(graph, functools.partial(self._shown, tower))
        one = _OneTower(self.variables, tower, self._shared, collections)
        try:
            with variable_store.innermost_getter(graph, one.get):
                yield
        except ValueError as error:
            if tower and variable_store.is_of_template(error):
                raise TowerError(
                    "tower {} calls a template (tf.make_template) that tower 0 called before: it can have one set of "
                    "variables only. Make it inside the model function, or take a strategy with shared variables, such "
                    "as lt.variables.ParameterServer(...)".format(tower)
                ) from error
            raise
        finally:
            collections.restore(functools.partial(self._kept, tower))
            move_to_local(one.made)
        if trains:
            self.variables.training.add(tower)
        if not tower:
            self._first = list(one.asked)
        self.missing = [name for name in self._first if name not in one.asked] if trains else []

    def _shown(self, tower: int, key: str, entry: Any) -> Optional[Any]:
        if key == tf.GraphKeys.REGULARIZATION_LOSSES and id(entry) in self._regularization:
            return None
        group = self.variables.kept_group_of(entry)
        if group is None or entry is not group.plain:
            return entry
        return group.copies.get(tower)

    def _kept(self, tower: int, key: str, entry: Any) -> Optional[Any]:
        if key == tf.GraphKeys.REGULARIZATION_LOSSES:
            if tower:
                return None
            self._regularization.add(id(entry))
        group = self.variables.kept_group_of(entry)
        if group is None or entry is group.plain:
            return entry
        return None if tower else group.plain


class _OneTower:
    """What `tf.get_variable` does for one tower.

    Attributes:
      asked: the names that the model asked for, without the shared ones, in order.
      made: the copies made, without what is in no checkpoint.
    """

    def __init__(self, variables: TowerVariables, tower: int, shared: Set[str], shown: ShownCollections) -> None:
        self.asked: Dict[str, None] = {}  # in order, each once
        self.made: List[Any] = []
        self._variables = variables
        self._tower = tower
        self._shared = shared
        self._collections = shown

    def get(self, getter: Any, name: str, **arguments: Any) -> Any:
        """Stands between `tf.get_variable` and its true `getter`."""
        keys = list(arguments.get("collections") or [tf.GraphKeys.GLOBAL_VARIABLES])
        if tf.GraphKeys.GLOBAL_STEP in keys:
            return getter(name, **arguments)
        name = self._plain_name(name)
        if name in self._shared:
            # Tower 0 stays as strict as the model without towers.
            return getter(name, **(_reusing(arguments) if self._tower else arguments))
        self.asked[name] = None
        kept = tf.GraphKeys.GLOBAL_VARIABLES in keys
        with_center = self._variables.center and kept
        if self._tower == 0:
            plain = getter(name, **(dict(arguments, regularizer=None) if with_center else arguments))
            parts = variable_store.parts_of(plain)
            if name not in self._variables.asked:
                self._variables.asked[name] = [
                    self._variables.register(part, {} if with_center else {0: part}, kept) for part in parts
                ]
            if not with_center:
                return plain
            for part in parts:
                self._collections.withdraw(keys + [tf.GraphKeys.TRAINABLE_VARIABLES], part)
        groups = self._variables.asked.get(name)
        if groups is None:
            # Of this tower alone: refused when its model function is through.
            return getter(name, **arguments)
        copy = getter(self._copy_name(name, groups), **self._like(name, groups, arguments))
        for group, part in zip(groups, variable_store.parts_of(copy)):
            if self._tower not in group.copies:
                self._variables.add(group, self._tower, part, kept)
                if kept:
                    self.made.append(part)
        return copy

    def _plain_name(self, name: str) -> str:
        """Returns the name as tower 0 without copies would ask for it.

        What is made beside a variable, such as its moving average, is named by it: "w/replica_1/average" is tower 1's
        copy of "w/average".
        """
        if name in self._shared or name in self._variables.asked:
            return name
        words = name.split("/")
        for end in range(len(words) - 1, 0, -1):
            for start in range(end):
                beside = "/".join(words[start:end])
                group = self._variables.group_of_name(beside)
                copy = None if group is None else group.copies.get(self._tower)
                if group is not None and copy is not None and copy.op.name == beside:
                    return "/".join(words[:start] + [str(group.plain.op.name)] + words[end:])
        return name

    def _copy_name(self, name: str, groups: List[Copied]) -> str:
        made = groups[0].copies.get(self._tower)
        if made is not None:
            return self._variables.copy_names[self._tower, name]
        copy = "{}/replica_{}".format(name, self._tower)
        graph = tf.get_default_graph()
        while variable_store.is_known(graph, copy):
            # The model has a variable of that name itself.
            copy += "_"
        self._variables.copy_names[self._tower, name] = copy
        return copy

    def _like(self, name: str, groups: List[Copied], arguments: Dict[str, Any]) -> Dict[str, Any]:
        """Returns the arguments of a tower's own copy: as its model asked, with the plain-named one's value."""
        first = groups[0].plain
        changed = _reusing(arguments)
        if len(groups) == 1:
            _check_same(name, self._tower, first, arguments)
            if first.shape.is_fully_defined():
                changed.update(shape=first.shape, dtype=first.dtype.base_dtype)
        if first.shape.is_fully_defined() and self._tower not in groups[0].copies:
            # Here, not in `initial`: inside of that, everything is on the copy's device.
            values = iter([_initial_value(group.plain) for group in groups])

            # TensorFlow asks once for each part, in order, and looks at the names of the arguments.
            def initial(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
                return next(values)

            changed["initializer"] = initial
        return changed


def _reusing(arguments: Dict[str, Any]) -> Dict[str, Any]:
    return dict(arguments, reuse=tf.AUTO_REUSE)


def _initial_value(variable: Any) -> Any:
    """Returns what a variable holds, or, in the run that initializes it, what it will: in any order of the two."""
    graph = tf.get_default_graph()
    with tf.init_scope(), tf.name_scope(str(variable.op.name) + "/copied/"):
        with graph.colocate_with(variable.op, ignore_existing=True):
            return tf.cond(tf.is_variable_initialized(variable), variable.read_value, lambda: variable.initial_value)


def _check_same(name: str, tower: int, variable: Any, arguments: Dict[str, Any]) -> None:
    initializer, shape, dtype = (arguments.get(key) for key in ("initializer", "shape", "dtype"))
    if initializer is not None and not callable(initializer):
        shape = initializer.shape if tf.is_tensor(initializer) else np.shape(initializer)
        dtype = initializer.dtype if tf.is_tensor(initializer) else None
    elif shape is None:
        # The initializer's value tells both, in the running graph.
        return
    if shape is not None and not variable.shape.is_compatible_with(tf.TensorShape(shape)):
        raise TowerError(
            "tower {} makes {!r} of shape {}, tower 0 of {}: each tower's must be the same".format(
                tower, name, tf.TensorShape(shape), variable.shape
            )
        )
    if dtype is not None and tf.as_dtype(dtype).base_dtype != variable.dtype.base_dtype:
        raise TowerError(
            "tower {} makes {!r} as {}, tower 0 as {}: each tower's must be the same".format(
                tower, name, tf.as_dtype(dtype).base_dtype.name, variable.dtype.base_dtype.name
            )
        )
