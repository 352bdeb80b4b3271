"""What an input pipeline over `Examples` can promise to a run that resumes, and why."""
from typing import Any, Iterable, List, Mapping, Sequence, Set

from legacy_towers.compat import tf
from legacy_towers.data import Examples
from legacy_towers.graph.op_kinds import PYTHON_FUNCTION_OPS, RANDOM_OPS
from legacy_towers.graph.walk import ancestors
from legacy_towers.inputs.position import EXACT, ONCE, REFUSED, Promise
from legacy_towers.text.names import quoted

IN_ORDER = "the order of the data"
# What calls a function for several elements at a time.
_PARALLEL = ("Parallel", "MapAndBatch", "ExperimentalMapAndBatch", "LegacyParallel")


def refused(reason: str) -> Promise:
    """Returns the promise of a pipeline that begins again, for a reason that is a clause."""
    return Promise(REFUSED, reason)


def promise_for(examples: Examples, is_shuffled: bool) -> Promise:
    """Returns the promise of a pipeline whose order is a function of the seed and the epoch."""
    order = "the seed decides the order of each epoch" if is_shuffled else "the examples come in the order of the data"
    if examples.arrays is not None:
        return Promise(EXACT, order)
    if _is_generator(examples):
        order += _of_generator(examples)
    operations = _function_ops(examples)
    drawing = sorted({each.name for each in operations if each.op in RANDOM_OPS})
    if drawing:
        return Promise(ONCE, (
            "{}, but each run draws other random numbers in {} of a parse or map function: examples.map(function, "
            "with_seed=True) gives a seed for tf.random.stateless_uniform and others".format(order, quoted(drawing))
        ))
    python = sorted({each.name for each in operations if each.op in PYTHON_FUNCTION_OPS})
    if python and not _is_generator(examples):
        order += ", as long as the Python function {} returns the same for the same example".format(quoted(python))
    return Promise(EXACT, order)


def promise_for_dataset(initializers: Sequence[Any]) -> Promise:
    """Returns the promise of a pipeline over a caller's dataset, by the operations that it is made of.

    Args:
      initializers: of the iterators over it.
    """
    operations = ancestors(initializers)
    graph = initializers[0].graph
    functions = {each.signature.name: each.node_def for each in graph.as_graph_def().library.function}
    nodes = _called_nodes(functions, [operation.node_def for operation in operations])
    parallel = _called_nodes(functions, [
        each for each in nodes + [operation.node_def for operation in operations] if each.op.startswith(_PARALLEL)
    ])
    unseeded = sorted(each.name for each in operations if "Shuffle" in each.type and _has_no_seed(each))
    # With a seed, calls that come one after the other draw the same numbers in each run.
    varying = [each for each in nodes if each.op in RANDOM_OPS and not _is_seeded(each)]
    varying += [each for each in parallel if each.op in RANDOM_OPS]
    drawing = sorted({each.name for each in varying})
    shuffling = [each for each in nodes if "Shuffle" in each.op and each.op not in RANDOM_OPS]
    if unseeded or shuffling or any("Shuffle" in each.op for each in varying):
        return refused("your dataset shuffles by {}: give each shuffle() of it a seed, outside of map functions".format(
            quoted(unseeded) if unseeded else "a function"
        ))
    reason = "your dataset is read again, without the batches that were used"
    if drawing:
        return Promise(ONCE, "{}, but each run draws other random numbers in {} of a function of it".format(
            reason, quoted(drawing)
        ))
    if any(each.op in PYTHON_FUNCTION_OPS for each in nodes):
        reason += ", as long as its Python functions return the same again"
    return Promise(EXACT, reason)


def _has_no_seed(operation: Any) -> bool:
    """Returns whether a shuffling operation of tf.data draws its seed."""
    names = [argument.name for argument in operation.op_def.input_arg]
    seeds = [tensor for name, tensor in zip(names, operation.inputs) if name in ("seed", "seed2")]
    return all(tf.get_static_value(tensor) == 0 for tensor in seeds)


def _is_seeded(node: Any) -> bool:
    """Returns whether a random operation was built with a seed of its own or of its graph."""
    return any(node.attr[name].i != 0 for name in ("seed", "seed2") if name in node.attr)


def _called_nodes(functions: Mapping[str, Iterable[Any]], nodes: Iterable[Any]) -> List[Any]:
    """Returns the nodes of all functions that nodes call, directly or through others; `functions` has their nodes."""
    found: List[Any] = []
    seen: Set[str] = set()
    waiting = _callees(nodes)
    while waiting:
        name = waiting.pop()
        if name in functions and name not in seen:
            seen.add(name)
            found += functions[name]
            waiting += _callees(functions[name])
    return found


def _callees(nodes: Iterable[Any]) -> List[str]:
    return [value.func.name for node in nodes for value in node.attr.values() if value.HasField("func")]


def _of_generator(examples: Examples) -> str:
    log = examples.source.log
    if log is None:
        return (
            ", and the generator yields them again: a resumed run reads and skips those that were used; with iterators "
            "that report their position, from_generator(..., resumable=True), it does not"
        )
    return ", and the iterators report their position: a resumed run begins {}".format(
        "with its epoch" if log.whole_epochs else "there"
    )


def _is_generator(examples: Examples) -> bool:
    return not examples.source.can_be_sharded


def _function_ops(examples: Examples) -> List[Any]:
    """Returns the nodes of the functions of a dataset of the examples."""
    with tf.Graph().as_default() as graph, tf.device("/cpu:0"):
        examples.dataset(shuffle=False)
        return [node for function in graph.as_graph_def().library.function for node in function.node_def]
