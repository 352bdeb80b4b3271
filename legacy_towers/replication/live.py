"""Replicates a training step of a graph that a program has built, or of a MetaGraph file."""
from typing import Any, Dict, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import extending
from legacy_towers.compat.versions.redirection import Redirection
from legacy_towers.errors import ArgumentError
from legacy_towers.graph.meta_graphs import imported, meta_graph_of
from legacy_towers.graph.op_kinds import PLACEHOLDER_OPS
from legacy_towers.graph.walk import ancestors
from legacy_towers.replication.check import Comparison, compare, values_before
from legacy_towers.replication.plan import ReplicationPlan, plan_of
from legacy_towers.replication.refusal import refuse
from legacy_towers.replication.sparse_feeds import expanded
from legacy_towers.replication.step import GLOBAL, KEEPS, ReplicatedStep, trains
from legacy_towers.tensor_types import Fetches, Graph, Session, Tensor


class Replicated:
    """A training step on several towers.

    Args:
      step: the step.
      elements: the tensors and operations that it fetches.

    Attributes:
      graph: its graph.
      plan: what was decided, a `ReplicationPlan`; `print(plan)` shows it.
    """

    def __init__(self, step: ReplicatedStep, elements: Sequence[Any]) -> None:
        self._step = step
        self._elements = list(elements)
        self._redirection = Redirection.of(step.graph)
        self._replaced: Dict[str, Any] = {}
        self._replace(elements)
        self.graph: Graph = step.graph
        self.plan: ReplicationPlan = plan_of(step)

    def run(self, session: Session, fetches: Fetches, feed_dict: Optional[Dict[Any, Any]] = None) -> Any:
        """Runs a training step on the towers; returns what `session.run(fetches, feed_dict)` returns.

        Raises:
          NotReplicable: towers can't compute something that is fetched.
        """
        self._replace(elements_of(self.graph, fetches))
        with self._redirection.replacing(self._replaced):
            return session.run(fetches, feed_dict)

    def compare(self, session: Session, feed_dict: Optional[Dict[Any, Any]] = None) -> Comparison:
        """Runs one batch through the graph and through its towers, and compares the gradients.

        Nothing is trained, and no random number is drawn from the graph's generators. Where the step reads its examples
        from a queue or an iterator, pass values for what it reads in `feed_dict`.

        Raises:
          NotReplicable: they differ by more than the bounds: 1e-5 of the largest value of a gradient in float32, 1e-12
            in float64, 1e-2 in float16 and bfloat16.
          ArgumentError: `feed_dict` lacks a tensor that holds examples.
        """
        feeds, _ = expanded(self.graph, feed_dict or {})
        missing = [each.name for each in self._step.examples.tensors if each not in feeds]
        if missing:
            raise ArgumentError("pass a value for {!r} in feed_dict".format(missing[0]))
        result = compare(self._step, values_before(self._step, session, self.pairs()), feeds, self.pairs())
        self.plan = self.plan._replace(comparison=str(result))
        return result

    def pairs(self) -> Sequence[Tuple[Tensor, Tensor]]:
        """Returns (tensor that the step fetches, what takes its place)."""
        return [(each, self._replaced[each.name]) for each in self._elements
                if not isinstance(each, tf.Operation) and each.name in self._replaced]

    def _replace(self, elements: Sequence[Any]) -> None:
        new = [each for each in elements if each.name not in self._replaced]
        if new:
            with extending(self._step.graph):
                self._replaced.update(self._step.replaced(new))


def replicate_graph(
    fetches: Fetches,
    devices: Sequence[str],
    keep: str = GLOBAL,
    graph: Any = None,
    feeds: Optional[Sequence[Any]] = None,
) -> Replicated:
    """Replicates the training step of a graph that was built for one device.

    The part from the examples to the gradients is copied for each tower; the gradients are reduced, and everything
    after them (clipping, the optimizer, averages, the global step, summaries) runs once. Operations are only added:
    evaluations, checkpoints and names stay as they are.

    Args:
      fetches: what a training step fetches, the train op included; tensors, operations or names.
      devices: the device of each tower, such as `lt.devices.cpus(2)`.
      keep: "global": the batch of the graph is split among the towers, so that the numbers stay. "per-tower": each
        tower reads a batch of its own from the graph's queue or iterator.
      graph: the graph; None: the default graph. The path of a MetaGraph file: it is imported into a new graph, see
        `Replicated.graph`.
      feeds: the tensors and sparse tensors that a step feeds with examples; None: all its placeholders whose first
        dimension is unknown.

    Returns:
      A `Replicated`: `replicated.run(session, [train_op, loss], feed_dict)` trains on the towers.

    Raises:
      NotReplicable: the graph can't be replicated; the message names the operation and its line.
      ArgumentError: `keep` is unknown, there is no device, or `graph` is not a MetaGraph.
    """
    if keep not in KEEPS:
        raise ArgumentError("keep must be 'global' or 'per-tower', got {!r}".format(keep))
    if isinstance(devices, str) or not devices:
        raise ArgumentError("devices must be a list of device strings, such as lt.devices.cpus(2), got {!r}".format(
            devices))
    if isinstance(graph, str):
        graph = imported(meta_graph_of(graph), clear_devices=False)
    graph = tf.get_default_graph() if graph is None else graph
    elements = elements_of(graph, fetches)
    operations = [getattr(each, "op", each) for each in elements]
    if not trains(operations, graph):
        refuse("no operation that it fetches changes a variable by a gradient")
    if feeds is None:
        given = [each.outputs[0] for each in ancestors(operations, graph=graph)
                 if each.type in PLACEHOLDER_OPS and each.outputs[0].shape.ndims]
    else:
        given = list(feeds)
    tensors, sparse = expanded(graph, {each: None for each in given})
    with extending(graph):
        step = ReplicatedStep(graph, operations, tensors, devices, keep, sparse)
        return Replicated(step, elements)


def elements_of(graph: Graph, fetches: Fetches) -> Sequence[Any]:
    """Returns the tensors and operations of anything that `session.run` fetches."""
    flat = tf.nest.flatten(fetches, expand_composites=True)
    return [graph.as_graph_element(each) for each in flat if each is not None]
