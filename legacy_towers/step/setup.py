"""What all parts of a step share while it is built."""
from typing import Any, List, NamedTuple, Optional, Sequence

from legacy_towers.gradients.base import Reduction
from legacy_towers.inputs.base import TowerBatches
from legacy_towers.towers.exchange import TowerExchange
from legacy_towers.towers.replicate import Tower
from legacy_towers.variables import Strategy
from legacy_towers.variables.copies import TowerVariables


class Setup(NamedTuple):
    """The towers and the choices that hold for each part.

    Attributes:
      towers: all of them.
      training: those that train.
      validating: the others.
      batches: of the way in.
      strategy: where variables live and how they are updated.
      reduction: how the towers' gradients meet.
      global_step: the global step variable.
      counts: one scalar tensor per training tower, its true examples; None where batches are always full.
      shares: what each training tower counts in a mean; None: all the same.
      on_missing: what a missing gradient means.
      update_ops: whose update ops run: "first", "all", "mean" or "own".
      moving_averages: the `tf.train.ExponentialMovingAverage`; None without.
      after: tensors that must be computed before a variable is written.
      regularization_losses: of the graph.
      exchange: connects towers whose layers exchange tensors, such as `lt.cross_tower_batch_norm`.
      host: a CPU of the machine that the step runs on.
    """

    towers: List[Tower]
    training: List[Tower]
    validating: List[Tower]
    batches: TowerBatches
    strategy: Strategy
    reduction: Reduction
    global_step: Any
    counts: Optional[List[Any]]
    shares: Optional[List[Any]]
    on_missing: str
    update_ops: str
    moving_averages: Optional[Any]
    after: Sequence[Any]
    regularization_losses: List[Any]
    exchange: TowerExchange
    host: str

    @property
    def variables(self) -> TowerVariables:
        """Which variable each tower uses."""
        return self.towers[0].variables
