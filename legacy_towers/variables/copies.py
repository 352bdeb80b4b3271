"""Which variables a tower uses: the ones that all share, or copies of its own."""
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.variables.base import Strategy

# No string: what has a string for a key goes into exported MetaGraphs, where a Python object can't.
_KEY = ("legacy_towers", "tower_variables")


class Copied(NamedTuple):
    """One variable of which each tower has its own.

    Attributes:
      plain: the one under the name that it has without towers: what `tf.global_variables()` and a checkpoint hold.
      copies: tower -> the tower's own. Without a center tower 0's is `plain`.
    """

    plain: Any
    copies: Dict[int, Any]

    def others(self) -> List[Any]:
        """Returns the copies that are not the plain-named variable."""
        return [self.copies[tower] for tower in sorted(self.copies) if self.copies[tower] is not self.plain]


class TowerVariables:
    """Tells for each variable which one each tower uses in its place.

    Where towers share variables, every tower uses the plain-named one. Where they have copies, tower k's of "a/w" is
    called "a/w/replica_k":

                        the graph's global variables     LOCAL_VARIABLES
        shared          a/w: all towers                  -
        copies          a/w: tower 0's own               a/w/replica_1, a/w/replica_2, ...
        with a center   a/w: of no tower                 a/w/replica_0, a/w/replica_1, ...

    Attributes:
      towers: how many towers there are.
      center: whether the plain-named variables are of no tower.
      training: the indices of the towers that train.
      asked: what models ask `tf.get_variable` for -> what they get copies of: one, or one per part.
      copy_names: (tower, what its model asks for) -> what `tf.get_variable` knows the tower's copy by.
      operations: those on all copies, once they are made: `legacy_towers.variables.synchronize`.
    """

    def __init__(self, towers: int, center: bool = False) -> None:
        self.towers = towers
        self.center = center
        self.training: Set[int] = set()
        self.asked: Dict[str, List[Copied]] = {}
        self.copy_names: Dict[Tuple[int, str], str] = {}
        self.operations: Any = None
        self._of: Dict[str, Copied] = {}  # the name of each plain variable and of each copy -> where it belongs
        self._kept: List[Copied] = []
        self._kept_of: Dict[int, Copied] = {}  # the same by the variables' ids

    def own(self, tower: int, variable: Any) -> Any:
        """Returns what tower number `tower` uses in place of `variable`: the variable itself where it is shared.

        Args:
          tower: the tower's index.
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

    def plain(self, variable: Any) -> Any:
        """Returns the plain-named variable that `variable`, or its operation, is or is a copy of; itself if none."""
        group = self.group_of(variable)
        return variable if group is None else group.plain

    def copies_of(self, variable: Any) -> List[Any]:
        """Returns each tower's own, in order of towers; [] where `variable` is shared.

        Args:
          variable: a plain-named variable or a copy; or the operation of one, such as an assignment's first input.
        """
        group = self.group_of(variable)
        return [] if group is None else [group.copies[tower] for tower in sorted(group.copies)]

    def group_of(self, variable: Any) -> Optional[Copied]:
        """Returns what a variable or its operation belongs to; None where it is shared."""
        return self.group_of_name(str(getattr(variable, "op", variable).name))

    def group_of_name(self, name: str) -> Optional[Copied]:
        """Returns what the variable of that name belongs to; None where it is shared, or there is none."""
        return self._of.get(name)

    def kept_group_of(self, entry: Any) -> Optional[Copied]:
        """Returns what an entry of any collection belongs to, if it is a variable worth a checkpoint; else None."""
        return self._kept_of.get(id(entry))

    def copied(self) -> List[Copied]:
        """Returns all variables of which towers have copies and that are kept, slots included, in order of creation."""
        return list(self._kept)

    def register(self, plain: Any, copies: Dict[int, Any], kept: bool = True) -> Copied:
        """Takes variables as each other's copies.

        Args:
          plain: the plain-named one.
          copies: tower -> its own.
          kept: whether they are worth a checkpoint; what a tower scribbles down for itself is not.
        """
        group = Copied(plain, {})
        if kept:
            self._kept.append(group)
        for tower in copies:
            self.add(group, tower, copies[tower], kept)
        return group

    def add(self, group: Copied, tower: int, copy: Any, kept: bool = True) -> None:
        """Takes one more tower's copy into a group."""
        group.copies[tower] = copy
        for variable in (group.plain, copy):
            self._of[str(variable.op.name)] = group
            if kept:
                self._kept_of[id(variable)] = group


def variables_for(strategy: Strategy, towers: int) -> TowerVariables:
    """Returns the TowerVariables of the default graph, for one more set of towers.

    Where towers have copies there is one per graph: towers that are built anew, for example for evaluation, use the
    copies that are there.

    Raises:
      ArgumentError: the graph has towers with copies by another strategy; or it has fewer that train, whose step would
        not write the further ones' copies.
    """
    if not strategy.copies:
        return TowerVariables(towers)
    known = tf.get_collection_ref(_KEY)
    if not known:
        known.append(TowerVariables(towers, strategy.center))
    (variables,) = known
    if variables.center != strategy.center:
        raise ArgumentError(
            "{!r}: this graph has towers whose variables are copied by another strategy; build one graph for "
            "each".format(strategy)
        )
    if variables.training and towers > variables.towers:
        raise ArgumentError(
            "{!r}: {} towers in a graph whose step was built for {}: no step would write the copies of tower {}. Build "
            "no more towers than the step has, or these before it, or in a graph of their own".format(
                strategy, towers, variables.towers, variables.towers
            )
        )
    variables.towers = max(variables.towers, towers)
    return variables


def variables_in(graph: Any) -> List[TowerVariables]:
    """Returns the TowerVariables of a graph whose towers have copies: one or none."""
    return list(graph.get_collection(_KEY))
