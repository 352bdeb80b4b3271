"""Which variables a tower uses: the ones that all share, or copies of its own."""
from typing import Any, Dict, List


class TowerVariables:
    """Tells for each variable by its plain name which one each tower uses in its place.

    A variable with a plain name is what `tf.global_variables()` has and what a checkpoint holds. Where towers share
    variables, every tower uses it itself.
    """

    def __init__(self, towers: int) -> None:
        self.towers = towers
        self._own: Dict[str, List[Any]] = {}  # plain name -> one variable per tower

    def own(self, tower: int, variable: Any) -> Any:
        """Returns what tower number `tower` uses in place of `variable`: the variable itself where it is shared."""
        copies = self._own.get(str(variable.op.name))
        return variable if copies is None else copies[tower]

    def copies_of(self, variable: Any) -> List[Any]:
        """Returns one variable per tower; [] where `variable` is shared."""
        return list(self._own.get(str(variable.op.name), []))
