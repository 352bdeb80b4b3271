"""Reads some epochs of an input pipeline in a copy of a session's graph, in a session of its own.

The program's session stays as it is. In the copy, what the program ran before its first read is run again, queues are
filled as its queue runners do, and what has no limit ends after some epochs. `session_recorder` loads this file by its
path, so it imports nothing of this package.

Private: TensorFlow's modules. Tried on 1.15 and 2.21.
"""
import sys
import threading
import time
from typing import Any, Dict, List, NamedTuple, Optional

EPOCHS = 2
MOST_SECONDS = 60.0
MOST_BATCHES = 100000
_MILLISECONDS_PER_READ = 30000
_READS = ("QueueDequeue", "ReaderRead", "IteratorGetNext", "CountUpTo")
# dataset -> the number of its input that counts repetitions
_COUNTS = {
    "RepeatDataset": 1, "ShuffleAndRepeatDataset": 4, "ShuffleAndRepeatDatasetV2": 4,
}
_BATCHES = (
    "BatchDatasetV2", "ParallelBatchDataset", "PaddedBatchDatasetV2", "MapAndBatchDataset", "MapAndBatchDatasetV2",
)
_TO_THE_END = {"QueueDequeueMany": "QueueDequeueUpTo", "QueueDequeueManyV2": "QueueDequeueUpToV2"}


class Runner(NamedTuple):
    """A queue runner, by the names of its operations."""

    enqueue: List[str]
    close: str
    in_turn: bool


class Earlier(NamedTuple):
    """A session run before the first read: the names of its operations, and what it was fed."""

    operations: List[str]
    feeds: Dict[str, Any]


class Epochs(NamedTuple):
    """What was read.

    Attributes:
      batches: for each read, the values.
      end: why it ended: "", the data ended; else an error, or that it took too long.
      endless: whether the data has no end in the program.
    """

    batches: List[Any]
    end: str
    endless: bool


def tensorflow_module(name: str) -> Any:
    """Returns a module of the TensorFlow that is imported: "framework.ops"."""
    for top in ("tensorflow_core", "tensorflow"):
        if top + ".python." + name in sys.modules:
            return sys.modules[top + ".python." + name]
    raise ImportError("tensorflow.python." + name)


def runner_of(runner: Any) -> Runner:
    """Returns the names of a QueueRunner's operations."""
    operations = getattr(runner, "operations_in_turn", None)
    # What tf.cond gives is a tensor.
    names = [getattr(each, "op", each).name for each in operations or runner.enqueue_ops]
    return Runner(names, runner.close_op.name, bool(operations))


def read_epochs(
    session: Any, run: Any, wanted: Any, earlier: List[Earlier], runners: List[Runner], described: Any, keep: bool
) -> Epochs:
    """Reads until the data ends, `EPOCHS` epochs where it has no limit.

    Args:
      session: the session of the program.
      run: TensorFlow's own `BaseSession.run`.
      wanted: what to fetch, a nested list of tensors of the session's graph.
      earlier: what the program ran before.
      runners: the queue runners that it started.
      described: a function of the fetched values that returns what is kept of them.
      keep: whether a last, smaller batch that would be dropped is read too.
    """
    sizes = [int(each.shape.dims[0].value) for each in _flat(wanted) if each.shape.ndims and each.shape.dims[0].value]
    found = Epochs([], "nothing was read", False)
    for epochs in (EPOCHS, max([8] + [2 * size for size in sizes])):
        found = _Copy(session, run, wanted, runners, epochs, keep).read(earlier, described)
        if found.batches or found.end:
            return found
    return found


def _flat(wanted: Any) -> List[Any]:
    return [tensor for components in wanted for tensors in components for tensor in tensors]


class _Copy:
    def __init__(
        self, session: Any, run: Any, wanted: Any, runners: List[Runner], epochs: int, keep: bool
    ) -> None:
        self._run, self._runners = run, runners
        self._errors = tensorflow_module("framework.errors_impl")
        config = tensorflow_module("client.session").config_pb2
        self._options = config.RunOptions(timeout_in_ms=_MILLISECONDS_PER_READ)
        graph = session.graph
        self._limits = {
            name: epochs for runner in runners for name in runner.enqueue
            if not _reads_something(graph.get_operation_by_name(name))
        }
        definition = graph.as_graph_def()
        scopes = [definition.node] + [each.node_def for each in definition.library.function]
        changed = [_limit_epochs(nodes, epochs, in_function=number > 0) for number, nodes in enumerate(scopes)]
        self._endless = bool(self._limits) or any(changed)
        if keep:
            _keep_remainders(scopes, {each.op.name for each in _flat(wanted)})
        self._graph = tensorflow_module("framework.ops").Graph()
        with self._graph.as_default():
            tensorflow_module("framework.importer").import_graph_def(definition, name="")
            self._wanted = [[[self._graph.get_tensor_by_name(each.name) for each in tensors] for tensors in components]
                            for components in wanted]
            self._session = tensorflow_module("client.session").Session(graph=self._graph, config=session._config)
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._problem = ""
        self._threads: List[threading.Thread] = []

    def read(self, earlier: List[Earlier], described: Any) -> Epochs:
        batches: List[Any] = []
        end: Optional[str] = None
        start = time.time()
        try:
            for each in earlier:
                self._run(self._session, [self._operation(name) for name in each.operations], each.feeds)
            for runner in self._runners:
                self._start(runner)
            while end is None:
                batches.append(described(self._run(self._session, self._wanted, None, self._options)))
                if time.time() - start > MOST_SECONDS or len(batches) >= MOST_BATCHES:
                    end = "it was read for {:g} seconds".format(time.time() - start)
        except self._errors.OutOfRangeError:
            end = self._problem
        except Exception as error:  # whatever the program's own operations raise
            end = self._problem or _first_line(error)
        finally:
            self._stopped.set()
            self._session.close()
            for thread in self._threads:
                thread.join(10.0)
        return Epochs(batches, end or "", self._endless)

    def _operation(self, name: str) -> Any:
        return self._graph.get_operation_by_name(name)

    def _start(self, runner: Runner) -> None:
        groups = [runner.enqueue] if runner.in_turn else [[name] for name in runner.enqueue]
        remaining = [len(groups)]
        for group in groups:
            thread = threading.Thread(target=self._fill, args=(group, runner.close, remaining))
            thread.daemon = True
            self._threads.append(thread)
            thread.start()

    def _fill(self, names: List[str], close: str, remaining: List[int]) -> None:
        waiting = list(names)
        try:
            while waiting and not self._stopped.is_set():
                name = waiting.pop(0)
                if self._may_run(name):
                    try:
                        self._run(self._session, self._operation(name))
                        waiting.append(name)
                    except (self._errors.OutOfRangeError, self._errors.CancelledError):
                        pass  # its input ended
        except Exception as error:  # what an operation of the program raises
            if not self._stopped.is_set():
                self._problem = self._problem or _first_line(error)
        with self._lock:
            remaining[0] -= 1
            is_last = remaining[0] == 0
        if (is_last or self._problem) and not self._stopped.is_set():
            try:
                self._run(self._session, self._operation(close))
            except (RuntimeError, self._errors.OpError) as error:  # the session was closed meanwhile
                del error

    def _may_run(self, name: str) -> bool:
        with self._lock:
            if name not in self._limits:
                return True
            self._limits[name] -= 1
            return self._limits[name] >= 0


def _reads_something(operation: Any) -> bool:
    seen, waiting = {operation}, [operation]
    while waiting:
        each = waiting.pop()
        if each.type.startswith(_READS):
            return True
        for before in [tensor.op for tensor in each.inputs] + list(each.control_inputs):
            if before not in seen:
                seen.add(before)
                waiting.append(before)
    return False


def _limit_epochs(nodes: Any, epochs: int, in_function: bool) -> int:
    """Lets datasets that repeat for ever repeat `epochs` times; returns their number."""
    changed = 0
    by_name = {node.name: node for node in nodes}
    for node in list(nodes):
        if node.op in _COUNTS:
            count = by_name.get(node.input[_COUNTS[node.op]].split(":")[0])
            if count is not None and count.op == "Const" and _value(count) == -1:
                _replace_constant(nodes, node, _COUNTS[node.op], count, epochs, in_function)
                changed += 1
    return changed


def _keep_remainders(scopes: Any, reads: Any) -> None:
    """Lets queues and datasets give a last, smaller batch."""
    for number, nodes in enumerate(scopes):
        by_name = {node.name: node for node in nodes}
        for node in list(nodes):
            if number == 0 and node.name in reads:
                node.op = _TO_THE_END.get(node.op, node.op)
            for shape in node.attr["output_shapes"].list.shape if "output_shapes" in node.attr else ():
                shape.Clear()
                shape.unknown_rank = True
            if node.op in _BATCHES:
                inputs = [each for each in node.input if not each.startswith("^")]
                drop = by_name.get(inputs[-1].split(":")[0])
                if drop is not None and drop.op == "Const" and _value(drop):
                    _replace_constant(nodes, node, len(inputs) - 1, drop, False, number > 0)


def _value(constant: Any) -> Any:
    return tensorflow_module("framework.tensor_util").MakeNdarray(constant.attr["value"].tensor).item()


def _replace_constant(nodes: Any, node: Any, index: int, constant: Any, value: Any, in_function: bool) -> None:
    added = nodes.add()
    added.CopyFrom(constant)
    added.name = "{}_of_{}".format(constant.name, node.name).replace("/", "_")
    make = tensorflow_module("framework.tensor_util").make_tensor_proto
    added.attr["value"].tensor.CopyFrom(make(value, dtype=constant.attr["dtype"].type, shape=[]))
    node.input[index] = added.name + (":output:0" if in_function else "")


def _first_line(error: Any) -> str:
    text = str(getattr(error, "message", None) or error).strip() or type(error).__name__
    return "{}: {}".format(type(error).__name__, text.splitlines()[0][:200])
