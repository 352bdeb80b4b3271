"""Runs a Python program and records what its sessions read from queues and iterators.

    python session_recorder.py FILE fixed|plain script train.py --flags
    python session_recorder.py FILE fixed|plain module legacy_towers run train.py --flags

It is a program of its own, which imports nothing of this package: a Python with plain TensorFlow 1.15 runs it too. What
the program computes does not change: the tensors that its runs read are fetched beside those that it fetches. FILE gets
one line of JSON for each `session.run` that reads:

    {"reads": [{"whole": hash, "rows": [hash, ...], "components": [hash, ...],
                "described": ["int64[4]"], "shown": ["[1 2 3 4]"]}]}

"fixed" switches shuffling off, lets one thread run each operation that fills a queue, and gives random operations
without a seed a fixed one; {"changed": NAME} is a line for each of these that was used.

Private: TensorFlow's modules, `BaseSession.run` and `_FetchHandler`. Tried on 1.15 and 2.21.
"""
import hashlib
import importlib.abc
import json
import os
import runpy
import sys
import threading
from typing import Any, Dict, List, Set

_READS = ("QueueDequeue", "ReaderRead", "IteratorGetNext")
_SPARSE = ("TakeManySparseFromTensorsMap", "DeserializeSparse", "DeserializeManySparse")
_UNCHANGED = ("Squeeze", "Reshape", "Identity", "ExpandDims")
_MOST_CHARACTERS = 60


class Recorder:
    """Writes what sessions read to a file."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "w", encoding="utf-8")
        self._lock = threading.Lock()
        self._wanted: Dict[Any, Any] = {}
        self._noted: Set[str] = set()
        self._process = os.getpid()

    def write(self, line: Any) -> None:
        with self._lock:
            if os.getpid() == self._process:  # not a process that the program forks
                self._file.write(json.dumps(line) + "\n")
                self._file.flush()

    def note(self, name: str) -> None:
        """Writes once that something was changed, or could not be recorded."""
        if name not in self._noted:
            self._noted.add(name)
            self.write({"changed": name})

    def patch_session(self, module: Any) -> None:
        run = module.BaseSession.run
        handler_of = module._FetchHandler

        def recorded(session: Any, fetches: Any, feed_dict: Any = None, options: Any = None,
                     run_metadata: Any = None) -> Any:
            wanted = self._wanted_of(session.graph, handler_of, fetches, feed_dict)
            if not wanted:
                return run(session, fetches, feed_dict, options, run_metadata)
            found, values = run(session, [fetches, wanted], feed_dict, options, run_metadata)
            self.write({"reads": [_described(each) for each in values]})
            return found

        module.BaseSession.run = recorded

    def _wanted_of(self, graph: Any, handler_of: Any, fetches: Any, feed_dict: Any) -> Any:
        try:
            handler = handler_of(graph, fetches, {})
            # Since 2.x the handler gives references to tensors.
            tensors = [each.deref() if hasattr(each, "deref") else each for each in handler.fetches()]
            targets = tensors + list(handler.targets())
            fed = {graph.as_graph_element(each).name for each in feed_dict or () if hasattr(each, "op")
                   or isinstance(each, str)}
        except (KeyError, RuntimeError, TypeError, ValueError):
            return []  # TensorFlow's own run says what is wrong
        key = (id(graph), graph.version, tuple(each.name for each in targets), tuple(sorted(fed)))
        if key not in self._wanted:
            self._wanted[key] = self._read_by(graph, targets, fed)
        return self._wanted[key]

    def _read_by(self, graph: Any, targets: Any, fed: Set[str]) -> Any:
        operations = [getattr(each, "op", each) for each in targets if each.name not in fed]
        seen = set(operations)
        waiting = list(operations)
        reads = []
        while waiting:
            operation = waiting.pop()
            if operation.type.startswith("QueueEnqueue"):
                return []  # it fills a queue: the model reads what is taken from that
            if operation.type.startswith(_READS):
                reads.append(operation)
            before = [each.op for each in operation.inputs if each.name not in fed]
            for each in before + list(operation.control_inputs):
                if each not in seen:
                    seen.add(each)
                    waiting.append(each)
        fetched = {each.name for each in targets}
        wanted = []
        for operation in sorted(reads, key=lambda each: each.name):
            components = []
            for output in operation.outputs:
                if output.name in fetched or any(user in seen for user in output.consumers()):
                    tensors = _components(output, seen)
                    if all(graph.is_fetchable(each) and each.dtype.name not in ("variant", "resource")
                           for each in tensors):
                        components.append(tensors)
                    else:
                        self.note("{!r} can't be fetched".format(output.name))
            if components:
                wanted.append(components)
        return wanted


def _components(output: Any, seen: Any) -> List[Any]:
    """Returns a tensor; indices, values and shape of the sparse tensor that it stands for."""
    waiting = [output]
    while waiting:
        for user in waiting.pop().consumers():
            if user.type in _SPARSE and user in seen:
                return list(user.outputs)
            if user.type in _UNCHANGED and user in seen:
                waiting += list(user.outputs)
    return [output]


def _described(read: Any) -> Any:
    components = sorted((_hash(*each), _kind(each), _shown(each), number) for number, each in enumerate(read))
    lengths = {_length(each) for each in read}
    rows = [[each[0] for each in components]]
    if len(lengths) == 1 and None not in lengths:
        rows = [sorted(_hash(*_row(each, row)) for each in read) for row in range(lengths.pop())]
    return {
        "whole": _hash_of_hashes(each[0] for each in components),
        "rows": [_hash_of_hashes(row) for row in rows],
        "components": [each[0] for each in components],
        "described": [each[1] for each in components],
        "shown": [each[2] for each in components],
    }


def _length(component: Any) -> Any:
    import numpy

    if len(component) == 3:
        return int(component[2][0])
    shape = numpy.shape(component[0])
    return shape[0] if shape else None


def _row(component: Any, row: int) -> Any:
    if len(component) == 3:
        chosen = component[0][:, 0] == row
        return component[0][chosen][:, 1:], component[1][chosen]
    return (component[0][row],)


def _hash(*parts: Any) -> str:
    import numpy

    digest = hashlib.sha1()
    for part in parts:
        array = numpy.asarray(part)
        text = array.dtype == object or array.dtype.kind in "SU"
        digest.update("{}{}".format("string" if text else array.dtype.str, array.shape).encode())
        if text:
            for each in array.ravel().tolist():
                data = each if isinstance(each, bytes) else str(each).encode()
                digest.update(b"%d:" % len(data) + data)
        else:
            digest.update(numpy.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def _hash_of_hashes(hashes: Any) -> str:
    return hashlib.sha1(" ".join(hashes).encode()).hexdigest()[:16]


def _kind(component: Any) -> str:
    import numpy

    array = numpy.asarray(component[1] if len(component) == 3 else component[0])
    name = "string" if array.dtype == object or array.dtype.kind in "SU" else array.dtype.name
    return "sparse {}".format(name) if len(component) == 3 else "{}{}".format(name, list(array.shape))


def _shown(component: Any) -> str:
    import numpy

    array = numpy.asarray(component[1] if len(component) == 3 else component[0])
    text = " ".join(numpy.array2string(array, threshold=8, edgeitems=3).split())
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 3] + "..."


class _Fixed:
    """Fixes the order of examples: each method changes the module of TensorFlow that it is named for."""

    def __init__(self, recorder: Recorder) -> None:
        self._note = recorder.note

    def data_flow_ops(self, module: Any) -> None:
        note = self._note

        def make(queue: Any, capacity: Any, min_after_dequeue: Any, dtypes: Any, shapes: Any = None, names: Any = None,
                 seed: Any = None, shared_name: Any = None, name: str = "random_shuffle_queue") -> None:
            note("queues do not shuffle")
            fifo = module.FIFOQueue(capacity, dtypes, shapes, names, shared_name, name)
            module.QueueBase.__init__(queue, fifo.dtypes, fifo.shapes, fifo.names, fifo.queue_ref)

        module.RandomShuffleQueue.__init__ = make

    def random_ops(self, module: Any) -> None:
        def random_shuffle(value: Any, seed: Any = None, name: Any = None) -> Any:
            self._note("lists of files are not shuffled")
            return module.ops.convert_to_tensor(value, name=name)

        module.random_shuffle = random_shuffle

    def dataset_ops(self, module: Any) -> None:
        def shuffle(dataset: Any, *arguments: Any, **keywords: Any) -> Any:
            self._note("datasets do not shuffle")
            return dataset

        module.DatasetV2.shuffle = module.DatasetV1.shuffle = shuffle

    def shuffle_ops(self, module: Any) -> None:
        def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Any:
            self._note("datasets do not shuffle")
            return lambda dataset: dataset.repeat(count)

        module.shuffle_and_repeat = shuffle_and_repeat

    def random_seed(self, module: Any) -> None:
        get_seed = module.get_seed

        def fixed(op_seed: Any) -> Any:
            if op_seed is not None:
                return get_seed(op_seed)
            self._note("random operations have fixed seeds")
            return 1, 1

        module.get_seed = fixed

    def queue_runner_impl(self, module: Any) -> None:
        start = module.QueueRunner.__init__

        def one_thread(runner: Any, queue: Any = None, enqueue_ops: Any = None, *more: Any, **keywords: Any) -> None:
            if enqueue_ops is not None and len(set(enqueue_ops)) < len(enqueue_ops):
                self._note("one thread runs each operation that fills a queue")
                enqueue_ops = list(dict.fromkeys(enqueue_ops))
            start(runner, queue, enqueue_ops, *more, **keywords)

        module.QueueRunner.__init__ = one_thread


def _run_after(loader: Any, patch: Any) -> None:
    """Lets a loader call `patch(module)` when it has executed a module."""
    execute = loader.exec_module

    def patched(module: Any) -> None:
        execute(module)
        patch(module)

    loader.exec_module = patched


class PatchFinder(importlib.abc.MetaPathFinder):
    """Changes modules of TensorFlow when the program imports them."""

    def __init__(self, patches: Dict[str, Any]) -> None:
        self._patches = dict(patches)

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        top, _, rest = name.partition(".")
        if top not in ("tensorflow", "tensorflow_core") or rest not in self._patches:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None and finder is not self else None
            if spec is not None and spec.loader is not None:
                _run_after(spec.loader, self._patches.pop(rest))
                return spec
        return None


def main(path: str, order: str, kind: str, name: str, *arguments: str) -> None:
    """Runs a script or a module with arguments; records to `path`."""
    recorder = Recorder(path)
    patches = {"python.client.session": recorder.patch_session}
    if order == "fixed":
        fixed = _Fixed(recorder)
        patches.update({
            "python.ops.data_flow_ops": fixed.data_flow_ops,
            "python.ops.random_ops": fixed.random_ops,
            "python.data.ops.dataset_ops": fixed.dataset_ops,
            "python.data.experimental.ops.shuffle_ops": fixed.shuffle_ops,
            "python.framework.random_seed": fixed.random_seed,
            "python.training.queue_runner_impl": fixed.queue_runner_impl,
        })
    sys.meta_path.insert(0, PatchFinder(patches))
    sys.argv = [name] + list(arguments)
    # As for a program that Python starts itself.
    sys.path[0] = os.path.dirname(os.path.abspath(name)) if kind == "script" else ""
    if kind == "script":
        runpy.run_path(name, run_name="__main__")
    else:
        runpy.run_module(name, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
