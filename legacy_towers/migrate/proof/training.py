"""Compares the first training steps with the queues and with tf.data, from one checkpoint."""
import os
import tempfile
from typing import Any, List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.graph.meta_graphs import imported
from legacy_towers.graph.op_kinds import INPUT_OPS
from legacy_towers.graph.walk import ancestors
from legacy_towers.migrate.conversion import convert as conversion
from legacy_towers.migrate.conversion.plans import SAME_SEQUENCE
from legacy_towers.migrate.proof.initial_values import initializers_of, made_up_values
from legacy_towers.migrate.proof.recording import cpu_config, described_error
from legacy_towers.migrate.proof.sides import shapes_of
from legacy_towers.migrate.proof.values import DIFFERENT, NOT_COMPARED, PROVEN, TrainingProof
from legacy_towers.tensor_types import Graph
from legacy_towers.text.names import counted

_STOP_SECONDS = 10


class _Steps(NamedTuple):
    losses: List[List[Any]]
    variables: List[List[Any]]


def prove_training(
    meta: Any, losses: Sequence[Any] = (), train_op: Any = None, steps: int = 5, seconds: float = 60.0
) -> Optional[TrainingProof]:
    """Runs the first training steps of two copies of a graph, and compares losses and variables bit for bit.

    Args:
      meta: a MetaGraphDef whose random operations have seeds.
      losses: tensors or names; empty: those of the collection LOSSES.
      train_op: an operation or its name; None: those of the collection TRAIN_OP.
      steps: the number of steps.
      seconds: how long a step may take.

    Returns:
      A `TrainingProof`; None if the graph has no training operation.
    """
    graphs = [imported(meta)]
    found = [_train_ops(graphs[0], train_op)]
    if not found[0]:
        return None
    wanted = [_losses(graphs[0], losses)]
    names = tuple([each.op.name for each in wanted[0]] + ["trainable variables"])
    needed = ancestors(found[0] + wanted[0], graph=graphs[0])
    problem = _problem(graphs[0], needed)
    if problem is None:
        graphs.append(imported(meta))
        found.append(_train_ops(graphs[1], train_op))
        wanted.append(_losses(graphs[1], losses))
        plans = conversion.convert(graphs[1]).plans
        used = {shape.name for shape in shapes_of(graphs[0]) if _is_used(graphs[0], shape, needed)}
        others = [each for each in plans if each.name in used and each.promise != SAME_SEQUENCE]
        if not used:
            problem = "the training operation reads from no queue"
        elif others:
            # All reasons are those of the plan, which is printed too.
            first, *more = others[0].reasons
            problem = "{!r}: {}, since {}{}".format(
                others[0].name, others[0].promise, first,
                ", and for {}".format(counted(len(more), "other reason")) if more else "")
    if problem is not None:
        return TrainingProof(NOT_COMPARED, problem, 0, names)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "start")
        try:
            runs = [_run(*each, steps=steps, seconds=seconds, path=path) for each in zip(graphs, found, wanted)]
        except tf.errors.OpError as error:
            return TrainingProof(NOT_COMPARED, described_error(error), 0, names)
    return _compared(runs[0], runs[1], names)


def _compared(queue: _Steps, dataset: _Steps, names: Sequence[str]) -> TrainingProof:
    for number, (one, other) in enumerate(zip(queue.losses, dataset.losses)):
        for name, first, second in zip(names, one, other):
            if _bits(first) != _bits(second):
                return TrainingProof(DIFFERENT, "step {}: {!r} is {!r} with the queue, {!r} with tf.data".format(
                    number + 1, name, np.asarray(first).tolist(), np.asarray(second).tolist()
                ), number, tuple(names))
        if [_bits(each) for each in queue.variables[number]] != [_bits(each) for each in dataset.variables[number]]:
            return TrainingProof(
                DIFFERENT, "the trainable variables differ after step {}".format(number + 1), number, tuple(names)
            )
    if len(queue.losses) != len(dataset.losses):
        return TrainingProof(DIFFERENT, "the data ends after {} with the queue, after {} with tf.data".format(
            counted(len(queue.losses), "step"), len(dataset.losses)
        ), min(len(queue.losses), len(dataset.losses)), tuple(names))
    if not queue.losses:
        return TrainingProof(NOT_COMPARED, "the data ends before the first step", 0, tuple(names))
    return TrainingProof(PROVEN, "", len(queue.losses), tuple(names))


def _run(graph: Graph, train_ops: Any, losses: Any, steps: int, seconds: float, path: str) -> _Steps:
    """Runs some steps; the first run saves the checkpoint `path`, later ones restore it."""
    found = _Steps([], [])
    with graph.as_default():
        # Made before the session: these add operations.
        saver = tf.train.Saver(tf.global_variables())
        initializers = [tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()]
        initializers += initializers_of(graph, ancestors(train_ops, graph=graph))
        made_up = made_up_values(initializers)
        coordinator = tf.train.Coordinator()
        options = tf.RunOptions(timeout_in_ms=int(seconds * 1000))
        with tf.Session(graph=graph, config=cpu_config()) as session:
            session.run(initializers, made_up)
            if tf.train.checkpoint_exists(path):
                saver.restore(session, path)
            else:
                saver.save(session, path, write_meta_graph=False)
            threads = tf.train.start_queue_runners(session, coordinator)
            try:
                for _ in range(steps):
                    values = session.run([losses, train_ops], options=options)[0]
                    found.losses.append(values)
                    found.variables.append(session.run(tf.trainable_variables()))
            except tf.errors.OutOfRangeError:
                pass  # the end of the data
            finally:
                coordinator.request_stop()
            try:
                coordinator.join(threads, stop_grace_period_secs=_STOP_SECONDS, ignore_live_threads=True)
            except tf.errors.OutOfRangeError:
                pass  # the end of what a thread reads
    return found


def _problem(graph: Graph, needed: Any) -> Optional[str]:
    for operation in sorted(needed, key=lambda each: each.name):
        if operation.type in ("Placeholder", "PlaceholderV2"):
            return "the training operation is fed: {!r}".format(operation.name)
    reads = [shape for shape in shapes_of(graph) if _is_used(graph, shape, needed)]
    for shape in reads:
        if shape.filled:
            return "Python code fills {!r}".format(shape.filled[0])
        if len(shape.reads) > 1:
            return "{} operations read from {!r} in a step, in any order".format(len(shape.reads), shape.name)
    known = {name for shape in reads for name in shape.read_names}
    other = sorted(
        each.name for each in needed
        if each.type in INPUT_OPS and each.name not in known and not _is_of_queues(each)
    )
    return "it reads from {!r}, too".format(other[0]) if other else None


def _is_of_queues(operation: Any) -> bool:
    """Returns whether an input operation is one of queues and readers, which the conversion knows."""
    return operation.type.startswith(("QueueDequeue", "ReaderRead"))


def _is_used(graph: Graph, shape: Any, needed: Any) -> bool:
    return any(graph.get_operation_by_name(name) in needed for name in shape.read_names)


def _train_ops(graph: Graph, train_op: Any) -> List[Any]:
    if train_op is not None:
        name = getattr(train_op, "name", train_op)
        return [graph.as_graph_element(name, allow_tensor=True, allow_operation=True)]
    return list(graph.get_collection(tf.GraphKeys.TRAIN_OP))


def _losses(graph: Graph, losses: Sequence[Any]) -> List[Any]:
    return [_tensor(graph, each) for each in losses] or graph.get_collection(tf.GraphKeys.LOSSES)


def _tensor(graph: Graph, loss: Any) -> Any:
    name = getattr(loss, "name", loss)
    return graph.get_tensor_by_name(name if ":" in name else name + ":0")


def _bits(value: Any) -> Any:
    array = np.asarray(value)
    return array.dtype.str, array.shape, array.tobytes()
