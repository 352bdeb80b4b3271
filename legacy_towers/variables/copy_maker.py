"""Creates each tower's own variables while its model function runs."""
import contextlib
import functools
from typing import Any, Dict, Iterator, List, Optional, Set

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions import variable_store
from legacy_towers.errors import TowerError
from legacy_towers.tensor_types import DType, Variable
from legacy_towers.variables.base import Strategy
from legacy_towers.variables.collections import TowerCollections, move_to_local
from legacy_towers.variables.tower_variables import CopiedVariable, TowerVariables


class CopyMaker:
    """Gives each of a set of towers, built one after the other, its own copies of the variables that tower 0 creates.

    Variables that `tf.get_variable` knew before the first tower are shared. If a strategy has no copies, nothing is
    done.

    Attributes:
      variables: the towers' variables.
      missing: the names that tower 0 requested and the last tower, if it trains, did not.
    """

    def __init__(self, variables: TowerVariables, strategy: Strategy) -> None:
        self.variables = variables
        self.missing: List[str] = []
        self._copies = strategy.copies
        self._shared: Set[str] = set()
        self._first: List[str] = []  # the names that tower 0 requested, in order
        self._regularization: Set[int] = set()  # ids of the losses that tower 0 created
        if not strategy.copies:
            return
        graph = tf.get_default_graph()
        ours = set(variables.requested) | set(variables.copy_names.values())
        # The first variable scope creates the store of variables.
        with tf.variable_scope(tf.get_variable_scope(), auxiliary_name_scope=False):
            self._shared = variable_store.known_names(graph) - ours

    @contextlib.contextmanager
    def building(self, tower: int, trains: bool = True) -> Iterator[None]:
        """Returns a context in which `tf.get_variable` and the collections show a tower its own copies.

        Every collection contains the tower's own variables in place of another tower's, and REGULARIZATION_LOSSES the
        tower's own losses. Afterwards the collections contain what the model without towers would have added:
        plain-named variables, and the regularization losses of tower 0.
        """
        if not self._copies:
            yield
            return
        graph = tf.get_default_graph()
        collections = TowerCollections(graph, functools.partial(self._shown, tower))
        one = _OneTower(self.variables, tower, self._shared, collections)
        try:
            with variable_store.innermost_getter(graph, one.get):
                yield
        except ValueError as error:
            if tower and variable_store.is_template_error(error):
                raise TowerError(
                    "tower {} calls a template (tf.make_template) that tower 0 called before: a template has one "
                    "set of variables. Create it inside the model function, or use a strategy with shared variables, "
                    "such as lt.variables.ParameterServer(...)".format(tower)
                ) from error
            raise
        finally:
            collections.restore(functools.partial(self._kept, tower))
            move_to_local(one.made)
        if trains:
            self.variables.training.add(tower)
        if not tower:
            self._first = list(one.requested)
        self.missing = [name for name in self._first if name not in one.requested] if trains else []

    def _shown(self, tower: int, key: str, entry: Any) -> Optional[Any]:
        if key == tf.GraphKeys.REGULARIZATION_LOSSES and id(entry) in self._regularization:
            return None
        group = self.variables.saved_group_of(entry)
        if group is None or entry is not group.plain:
            return entry
        return group.copies.get(tower)

    def _kept(self, tower: int, key: str, entry: Any) -> Optional[Any]:
        if key == tf.GraphKeys.REGULARIZATION_LOSSES:
            if tower:
                return None
            self._regularization.add(id(entry))
        group = self.variables.saved_group_of(entry)
        if group is None or entry is group.plain:
            return entry
        return None if tower else group.plain


class _OneTower:
    """Creates and finds the variables of one tower.

    Attributes:
      requested: the names that the model requested, without the shared ones, in order.
      made: the copies created that are not in checkpoints otherwise.
    """

    def __init__(self, variables: TowerVariables, tower: int, shared: Set[str], shown: TowerCollections) -> None:
        self.requested: Dict[str, None] = {}  # in order, each once
        self.made: List[Any] = []
        self._variables = variables
        self._tower = tower
        self._shared = shared
        self._collections = shown

    def get(self, getter: Any, name: str, **arguments: Any) -> Any:
        """Is called by `tf.get_variable` in place of its own `getter`, as a custom getter."""
        keys = list(arguments.get("collections") or [tf.GraphKeys.GLOBAL_VARIABLES])
        if tf.GraphKeys.GLOBAL_STEP in keys:
            return getter(name, **arguments)
        name = self._plain_name(name)
        if name in self._shared:
            # Tower 0 keeps the checks of the model without towers.
            return getter(name, **(_reusing(arguments) if self._tower else arguments))
        self.requested[name] = None
        kept = tf.GraphKeys.GLOBAL_VARIABLES in keys
        with_center = self._variables.center and kept
        if self._tower == 0:
            plain = getter(name, **(dict(arguments, regularizer=None) if with_center else arguments))
            parts = variable_store.parts_of(plain)
            if name not in self._variables.requested:
                self._variables.requested[name] = [
                    self._variables.register(part, {} if with_center else {0: part}, kept) for part in parts
                ]
            if not with_center:
                return plain
            for part in parts:
                self._collections.withdraw(keys + [tf.GraphKeys.TRAINABLE_VARIABLES], part)
        groups = self._variables.requested.get(name)
        if groups is None:
            # Of this tower alone: rejected when its model function has returned.
            return getter(name, **arguments)
        copy = getter(self._copy_name(name, groups), **self._like(name, groups, arguments))
        for group, part in zip(groups, variable_store.parts_of(copy)):
            if self._tower not in group.copies:
                self._variables.add(group, self._tower, part, kept)
                if kept:
                    self.made.append(part)
        return copy

    def _plain_name(self, name: str) -> str:
        """Returns the name that tower 0 would request without copies.

        A variable named after another one, such as its moving average, belongs to it: "w/replica_1/average" is tower
        1's copy of "w/average".
        """
        if name in self._shared or name in self._variables.requested:
            return name
        components = name.split("/")
        for end in range(len(components) - 1, 0, -1):
            for start in range(end):
                base_name = "/".join(components[start:end])
                group = self._variables.group_of_name(base_name)
                copy = None if group is None else group.copies.get(self._tower)
                if group is not None and copy is not None and copy.op.name == base_name:
                    return "/".join(components[:start] + [str(group.plain.op.name)] + components[end:])
        return name

    def _copy_name(self, name: str, groups: List[CopiedVariable]) -> str:
        existing = groups[0].copies.get(self._tower)
        if existing is not None:
            return self._variables.copy_names[self._tower, name]
        copy = "{}/replica_{}".format(name, self._tower)
        graph = tf.get_default_graph()
        while variable_store.is_known(graph, copy):
            # The model has its own variable of that name.
            copy += "_"
        self._variables.copy_names[self._tower, name] = copy
        return copy

    def _like(self, name: str, groups: List[CopiedVariable], arguments: Dict[str, Any]) -> Dict[str, Any]:
        """Returns the arguments of a tower's own copy: its model's, with the plain-named variable's value."""
        first = groups[0].plain
        changed = _reusing(arguments)
        if len(groups) == 1:
            _check_same(name, self._tower, first, arguments)
            if first.shape.is_fully_defined():
                changed.update(shape=first.shape, dtype=first.dtype.base_dtype)
        if first.shape.is_fully_defined() and self._tower not in groups[0].copies:
            # Not inside `initial`, where all ops are placed on the copy's device.
            values = iter([_initial_value(group.plain) for group in groups])

            # TensorFlow calls it once per part, in order, and inspects the names of its parameters.
            def initial(shape: Any, dtype: DType = None, partition_info: Any = None) -> Any:
                return next(values)

            changed["initializer"] = initial
        return changed


def _reusing(arguments: Dict[str, Any]) -> Dict[str, Any]:
    return dict(arguments, reuse=tf.AUTO_REUSE)


def _initial_value(variable: Variable) -> Any:
    """Returns a variable's value, or its initial value in the run that initializes it, in any order of the two."""
    graph = tf.get_default_graph()
    with tf.init_scope(), tf.name_scope(str(variable.op.name) + "/copied/"):
        with graph.colocate_with(variable.op, ignore_existing=True):
            return tf.cond(tf.is_variable_initialized(variable), variable.read_value, lambda: variable.initial_value)


def _check_same(name: str, tower: int, variable: Variable, arguments: Dict[str, Any]) -> None:
    initializer, shape, dtype = (arguments.get(key) for key in ("initializer", "shape", "dtype"))
    if initializer is not None and not callable(initializer):
        shape = initializer.shape if tf.is_tensor(initializer) else np.shape(initializer)
        dtype = initializer.dtype if tf.is_tensor(initializer) else None
    elif shape is None:
        # Shape and dtype are those of the initializer's value, known when the graph runs.
        return
    if shape is not None and not variable.shape.is_compatible_with(tf.TensorShape(shape)):
        raise TowerError(
            "tower {} creates {!r} with shape {}, tower 0 with {}: all towers must create the same variables".format(
                tower, name, tf.TensorShape(shape), variable.shape
            )
        )
    if dtype is not None and tf.as_dtype(dtype).base_dtype != variable.dtype.base_dtype:
        raise TowerError(
            "tower {} creates {!r} as {}, tower 0 as {}: all towers must create the same variables".format(
                tower, name, tf.as_dtype(dtype).base_dtype.name, variable.dtype.base_dtype.name
            )
        )
