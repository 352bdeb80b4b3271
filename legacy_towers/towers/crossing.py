"""One place in a model where the towers exchange a tensor: what each gave, and who waits for it."""
import contextlib
from typing import Any, Dict, Iterator, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.graph import replace_input
from legacy_towers.errors import TowerError
from legacy_towers.gradients.shares import scaled

LAYER = "lt.cross_tower_batch_norm"


class Crossing:
    """What N towers that train gave at one place, in order of towers, and the operations that read stand-ins there.

    Attributes:
      name: what messages call the place.
      kind: "stack", where each tower gets all tensors; "first", where each gets the first tower's.
      towers: the indices of the towers.
      turn: which tower's device stacks and sums, by position.
      given: the towers' tensors.
      readers: operations whose input 0 is a stand-in for what the towers get.
    """

    def __init__(self, name: str, kind: str, towers: Sequence[int], turn: int) -> None:
        self.name = name
        self.kind = kind
        self.towers = list(towers)
        self.turn = turn % len(self.towers)
        self.given: List[Any] = []
        self.readers: List[Any] = []
        # By position of the tower, an entry for each time that gradients came through since they were bound last.
        self._incoming: Dict[int, List[Any]] = {}  # tensors of the stack's shape
        self._returned: Dict[int, List[Any]] = {}  # operations whose input 0 is a stand-in for the gradient

    @property
    def has_gradients(self) -> bool:
        """Whether gradients came through that were not bound."""
        return bool(self._incoming)

    def give(self, tensor: Any) -> None:
        """Takes the next tower's tensor.

        Raises:
          TowerError: it is not like the first tower's.
        """
        expected = self.given[0] if self.given else tensor
        if expected.dtype != tensor.dtype or expected.shape.as_list() != tensor.shape.as_list():
            raise TowerError(
                "{} {!r} exchanges {} of shape {} in tower {}, {} of shape {} in tower {}".format(
                    LAYER,
                    self.name,
                    tensor.dtype.name,
                    tensor.shape,
                    self.towers[len(self.given)],
                    expected.dtype.name,
                    expected.shape,
                    self.towers[0],
                )
            )
        self.given.append(tensor)

    def send_back(self, position: int, of_stack: Any, returned: Any) -> None:
        """Notes a tower's gradient of its stack, and the operation that is to return its part of the sum."""
        self._incoming.setdefault(position, []).append(of_stack)
        self._returned.setdefault(position, []).append(returned)

    def bind_forward(self) -> None:
        """Gives each tower what the towers gave."""
        if self.has_gradients:
            raise TowerError(
                "gradients were computed through {} {!r} after the last bind_backward(): call it once more".format(
                    LAYER, self.name
                )
            )
        shared = self.given[0]
        if self.kind == "stack":
            with _beside(self.readers[self.turn], "stack_over_towers"):
                shared = tf.stack(self.given)
        for reader in self.readers:
            replace_input(reader, 0, shared)

    def bind_backward(self, weights: Optional[Sequence[Any]]) -> None:
        """Gives each tower the sum of the towers' gradients of what it gave; by what each weighs, None: all the same.

        Raises:
          TowerError: the gradients of some towers only came through.
        """
        if not self.has_gradients:
            return
        positions = range(len(self.towers))
        rounds = [len(self._incoming.get(position, ())) for position in positions]
        if len(set(rounds)) > 1:
            least, most = rounds.index(min(rounds)), rounds.index(max(rounds))
            raise TowerError(
                "the gradients of tower {} go through {} {!r} {} times, those of tower {} {} times: each tower's loss "
                "must depend on it".format(
                    self.towers[most], LAYER, self.name, max(rounds), self.towers[least], min(rounds)
                )
            )
        for number in range(rounds[0]):
            incoming = [self._incoming[position][number] for position in positions]
            returned = [self._returned[position][number] for position in positions]
            with _beside(returned[self.turn], "gradients_over_towers"):
                rows = _sums(incoming, weights)
            for operation, row in zip(returned, rows):
                replace_input(operation, 0, row)
        self._incoming, self._returned = {}, {}


def _sums(incoming: Sequence[Any], weights: Optional[Sequence[Any]]) -> List[Any]:
    """Returns for each tower k the sum over towers j of weights[j] * incoming[j][k], divided by weights[k]."""
    if weights is None:
        return list(tf.unstack(tf.add_n(list(incoming))))
    weighted = [scaled(gradient, weight) for gradient, weight in zip(incoming, weights)]
    rows = tf.unstack(tf.add_n(weighted))
    # A tower that counts nothing gives nothing, and gets nothing.
    return [tf.div_no_nan(row, tf.cast(weight, row.dtype)) for row, weight in zip(rows, weights)]


@contextlib.contextmanager
def _beside(operation: Any, scope: str) -> Iterator[None]:
    with tf.control_dependencies(None), tf.device(operation.device), tf.name_scope(scope):
        yield
