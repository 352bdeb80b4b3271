"""Which variables each tower uses: shared ones, or its own copies."""
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.tensor_types import Graph, Operation, Variable
from legacy_towers.variables.base import Strategy

# Not a string: collections with string keys are exported to MetaGraphs, which can't hold Python objects.
_KEY = ("legacy_towers", "tower_variables")


class CopiedVariable(NamedTuple):
    """One variable of which each tower has its own copy.

    Attributes:
      plain: the variable under the name that it has without towers: in `tf.global_variables()` and in checkpoints.
      copies: tower index -> the tower's variable. Without a center tower 0's is `plain`.
    """

    plain: Variable
    copies: Dict[int, Variable]

    def others(self) -> List[Variable]:
        """Returns the copies other than the plain-named variable, in order of towers."""
        return [self.copies[tower] for tower in sorted(self.copies) if self.copies[tower] is not self.plain]


class TowerVariables:
    """Maps each variable to the one that each tower uses in its place.

    Where towers share variables, every tower uses the plain-named one. Where they have copies, tower k's copy of "a/w"
    is named "a/w/replica_k":

                        the graph's global variables     LOCAL_VARIABLES
        shared          a/w: all towers                  -
        copies          a/w: tower 0's own               a/w/replica_1, a/w/replica_2, ...
        with a center   a/w: of no tower                 a/w/replica_0, a/w/replica_1, ...

    Attributes:
      towers: the number of towers.
      center: whether the plain-named variables belong to no tower.
      training: the indices of the towers that train.
      requested: the name that models pass to `tf.get_variable` -> the variables that towers have copies of: one, or one
        per part of a partitioned variable.
      copy_names: (tower, requested name) -> the name of the tower's copy in `tf.get_variable`'s store.
      operations: the operations on all copies, once created: `legacy_towers.variables.synchronize`.
      workers: the workers of a cluster, whose towers have copies too; None for one process.
    """

    def __init__(self, towers: int, center: bool = False) -> None:
        self.towers = towers
        self.center = center
        self.training: Set[int] = set()
        self.requested: Dict[str, List[CopiedVariable]] = {}
        self.copy_names: Dict[Tuple[int, str], str] = {}
        self.operations: Any = None
        self.workers: Optional[Workers] = None
        self._group_of_name: Dict[str, CopiedVariable] = {}  # name of a plain variable or copy -> its group
        self._saved: List[CopiedVariable] = []
        self._saved_groups: Dict[int, CopiedVariable] = {}  # the same by the variables' ids

    def own(self, tower: int, variable: Variable) -> Variable:
        """Returns the variable that a tower uses in place of `variable`: the variable itself if it is shared.

        Args:
          variable: a plain-named variable, or any tower's copy of one.

        Raises:
          TowerError: there are copies, but none of that tower.
        """
        group = self.group_of(variable)
        if group is None:
            return variable
        if tower not in group.copies:
            raise TowerError(
                "tower {} has no copy of {!r}: towers {} have".format(
                    tower, group.plain.op.name, ", ".join(map(str, sorted(group.copies)))
                )
            )
        return group.copies[tower]

    def plain(self, variable: Variable) -> Variable:
        """Returns the plain-named variable of a variable or its operation; `variable` itself if it is shared."""
        group = self.group_of(variable)
        return variable if group is None else group.plain

    def copies_of(self, variable: Variable) -> List[Variable]:
        """Returns all towers' copies, in order of towers; [] if `variable` is shared.

        Args:
          variable: a plain-named variable, a copy, or the operation of one, such as an assignment's first input.
        """
        group = self.group_of(variable)
        return [] if group is None else [group.copies[tower] for tower in sorted(group.copies)]

    def group_of(self, variable: Variable) -> Optional[CopiedVariable]:
        """Returns the `CopiedVariable` of a variable or its operation; None if it is shared."""
        operation: Operation = getattr(variable, "op", variable)
        return self.group_of_name(str(operation.name))

    def group_of_name(self, name: str) -> Optional[CopiedVariable]:
        """Returns the `CopiedVariable` of the variable with that name; None if it is shared or does not exist."""
        return self._group_of_name.get(name)

    def saved_group_of(self, entry: Any) -> Optional[CopiedVariable]:
        """Returns the `CopiedVariable` of a collection's entry, if checkpoints contain it; else None."""
        return self._saved_groups.get(id(entry))

    def copied(self) -> List[CopiedVariable]:
        """Returns all copied variables that checkpoints contain, slots included, in order of creation."""
        return list(self._saved)

    def register(self, plain: Variable, copies: Dict[int, Any], kept: bool = True) -> CopiedVariable:
        """Registers variables as copies of each other.

        Args:
          copies: tower index -> the tower's variable.
          kept: whether checkpoints contain the variable; a tower's own scratch variables are in none.
        """
        group = CopiedVariable(plain, {})
        if kept:
            self._saved.append(group)
        for tower in copies:
            self.add(group, tower, copies[tower], kept)
        return group

    def add(self, group: CopiedVariable, tower: int, copy: Variable, kept: bool = True) -> None:
        """Adds a tower's copy to a group."""
        group.copies[tower] = copy
        for variable in (group.plain, copy):
            self._group_of_name[str(variable.op.name)] = group
            if kept:
                self._saved_groups[id(variable)] = group


def variables_for(strategy: Strategy, towers: int) -> TowerVariables:
    """Returns the TowerVariables of the default graph, for one more set of towers.

    With copies there is one per graph: towers that are built again, for example for evaluation, use the existing
    copies.

    Raises:
      ArgumentError: the graph has towers with copies by another strategy; or its step was built for fewer towers, and
        would not write the copies of the additional ones.
    """
    if not strategy.copies:
        return TowerVariables(towers)
    known = tf.get_collection_ref(_KEY)
    if not known:
        known.append(TowerVariables(towers, strategy.center))
    (variables,) = known
    if variables.center != strategy.center:
        raise ArgumentError(
            "{!r}: this graph has towers whose variables are copied by another strategy: build one graph per "
            "strategy".format(strategy)
        )
    if variables.training and towers > variables.towers:
        raise ArgumentError(
            "{!r}: {} towers in a graph whose step was built for {}: no step would write the copies of tower {}. Build "
            "at most as many towers as the step has, build these before it, or use another graph".format(
                strategy, towers, variables.towers, variables.towers
            )
        )
    variables.towers = max(variables.towers, towers)
    return variables


def variables_in(graph: Graph) -> List[TowerVariables]:
    """Returns the TowerVariables of a graph whose towers have copies, a list of one; else []."""
    return list(graph.get_collection(_KEY))
