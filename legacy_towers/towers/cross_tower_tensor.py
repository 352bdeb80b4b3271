"""One tensor that each tower passes to all towers, such as the moments of its batch."""
import contextlib
from typing import Dict, Iterator, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import replace_input
from legacy_towers.errors import TowerError
from legacy_towers.gradients.tower_weights import weighted
from legacy_towers.tensor_types import Operation, Tensor

LAYER = "lt.cross_tower_batch_norm"


class CrossTowerTensor:
    """The tensors that N training towers pass in at one layer, and the operations by which they take the result.

        inputs    x_0  x_1  x_2       one per tower, in the order of towers
        result    [x_0, x_1, x_2]     "stack": all of them, shape [towers] + shape of x; "first": x_0
        readers   r_0  r_1  r_2       one per tower; input 0 of each is a stand-in until `connect`

    Attributes:
      name: the layer's name, for messages.
      kind: "stack", where each tower takes all inputs; "first", where each takes the first tower's.
      towers: the indices of the towers.
      computed_by: the position of the tower on whose device inputs are stacked and gradients are summed.
      inputs: the towers' tensors.
      readers: operations whose input 0 is a stand-in for the result.
    """

    def __init__(self, name: str, kind: str, towers: Sequence[int], number: int) -> None:
        """
        Args:
          kind: "stack" or "first".
          number: how many tensors of this kind there are before it; by it, towers take turns in computing.
        """
        self.name = name
        self.kind = kind
        self.towers = list(towers)
        self.computed_by = number % len(self.towers)
        self.inputs: List[Tensor] = []
        self.readers: List[Operation] = []
        # By position of the tower, an entry for each time that gradients were computed since they were last connected.
        self._result_gradients: Dict[int, List[Tensor]] = {}  # of the result's shape
        self._input_gradients: Dict[int, List[Operation]] = {}  # operations whose input 0 is a stand-in

    @property
    def has_open_gradients(self) -> bool:
        """Whether gradients were computed that are not connected yet."""
        return bool(self._result_gradients)

    def add_input(self, tensor: Tensor) -> None:
        """Adds the next tower's tensor.

        Raises:
          TowerError: its dtype or shape differs from the first tower's.
        """
        expected = self.inputs[0] if self.inputs else tensor
        if expected.dtype != tensor.dtype or expected.shape.as_list() != tensor.shape.as_list():
            raise TowerError(
                "{} {!r} exchanges {} of shape {} in tower {}, {} of shape {} in tower {}".format(
                    LAYER,
                    self.name,
                    tensor.dtype.name,
                    tensor.shape,
                    self.towers[len(self.inputs)],
                    expected.dtype.name,
                    expected.shape,
                    self.towers[0],
                )
            )
        self.inputs.append(tensor)

    def add_gradient(self, position: int, of_result: Tensor, of_input: Operation) -> None:
        """Adds a tower's gradient of the result, and the operation that returns the gradient of the tower's input."""
        self._result_gradients.setdefault(position, []).append(of_result)
        self._input_gradients.setdefault(position, []).append(of_input)

    def connect(self) -> None:
        """Gives each reader the result in place of its stand-in.

        Raises:
          TowerError: gradients were computed that are not connected.
        """
        if self.has_open_gradients:
            raise TowerError(
                "gradients were computed through {} {!r} outside of `with cross_tower.gradients():`".format(
                    LAYER, self.name
                )
            )
        result = self.inputs[0]
        if self.kind == "stack":
            with _beside(self.readers[self.computed_by], "stack_over_towers"):
                result = tf.stack(self.inputs)
        for reader in self.readers:
            replace_input(reader, 0, result)

    def connect_gradients(self, weights: Optional[Sequence[Tensor]]) -> None:
        """Gives each tower the gradient of its input: the sum over the gradients that all towers have of it.

        Args:
          weights: of the towers; None: all weigh the same.

        Raises:
          TowerError: only some towers have gradients.
        """
        if not self.has_open_gradients:
            return
        positions = range(len(self.towers))
        times = [len(self._result_gradients.get(position, ())) for position in positions]
        if len(set(times)) > 1:
            least, most = times.index(min(times)), times.index(max(times))
            raise TowerError(
                "the gradients of tower {} go through {} {!r} {} times, those of tower {} {} times: each tower's loss "
                "must depend on it".format(
                    self.towers[most], LAYER, self.name, max(times), self.towers[least], min(times)
                )
            )
        for number in range(times[0]):
            of_results = [self._result_gradients[position][number] for position in positions]
            of_inputs = [self._input_gradients[position][number] for position in positions]
            with _beside(of_inputs[self.computed_by], "gradients_over_towers"):
                rows = _sums(of_results, weights)
            for operation, row in zip(of_inputs, rows):
                replace_input(operation, 0, row)
        self._result_gradients, self._input_gradients = {}, {}


def _sums(of_results: Sequence[Tensor], weights: Optional[Sequence[Tensor]]) -> List[Tensor]:
    """Returns for each tower k the sum over towers j of weights[j] * of_results[j][k], divided by weights[k]."""
    if weights is None:
        return list(tf.unstack(tf.add_n(list(of_results))))
    weighted_results = [weighted(gradient, weight) for gradient, weight in zip(of_results, weights)]
    rows = tf.unstack(tf.add_n(weighted_results))
    # A tower of weight 0 contributes nothing, and its gradient is 0.
    return [tf.div_no_nan(row, tf.cast(weight, row.dtype)) for row, weight in zip(rows, weights)]


@contextlib.contextmanager
def _beside(operation: Operation, scope: str) -> Iterator[None]:
    with tf.control_dependencies(None), tf.device(operation.device), tf.name_scope(scope):
        yield
