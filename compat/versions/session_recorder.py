"""Runs a Python program and records what its sessions read from queues and iterators.

    python session_recorder.py FILE fixed|plain read|parsed script train.py --flags
    python session_recorder.py FILE fixed|plain read|parsed module project.train --flags
    python session_recorder.py FILE fixed|plain read|parsed installed legacy_towers run train.py --flags

It is a program of its own, which imports nothing of this package: a Python with plain TensorFlow 1.15 runs it too. What
the program computes does not change: the tensors that its runs read are fetched beside those that it fetches. Each line
of FILE is an object in JSON:

    {"reads": [READ, ...], "computed": [hash, ...], "values": ["0.25", ...]}   a session run that reads, and what it
                                                                               fetches
    {"pipeline": 0, "places": [["train.py", 7]], "static": [["float32", "(4, 3)"]], "shuffling": false,
     "shuffled": true, "single": false}
                                       what is read for the first time: the lines that made it, its static shapes,
                                       whether one of its queues shuffles, whether anything does, and whether it is
                                       single examples
    {"epochs": 0, "batches": [[READ, ...], ...], "end": "", "endless": true, "kept": false}
                                       all that pipeline 0 gives in some epochs
    {"changed": NAME}                  what had to be changed to fix the order, or can't be recorded
    {"files": [PATH, ...]}             the files of the modules that the program imported
    {"tensorflow": "1.15.5"}

    READ: {"whole": hash, "rows": [hash, ...], "parts": [[hash, ...], ...], "components": [hash, ...],
           "described": ["int64[4]"], "shown": ["[1 2]"]}    a row is an example, its parts are its components

"fixed" fixes the order of examples and random numbers, "same numbers" lets random operations draw the same ones for
each example besides: see fixed_order.py. "read" records what operations read, "parsed" what is computed from it without
variables: a parse in the graph and one in `Dataset.map` then give the same.

Private: TensorFlow's modules, `BaseSession.run`, `_FetchHandler`, `QueueRunner.create_threads`. Tried on 1.15 and 2.21.
"""
import importlib.abc
import importlib.util
import json
import os
import runpy
import sys
import threading
import weakref
from typing import Any, Dict, List, NamedTuple, Optional, Set


def _beside(name: str) -> Any:
    """Loads a file of this folder."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
    spec = importlib.util.spec_from_file_location("legacy_towers_" + name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


batched_reads, epoch_reader, fixed_order, read_values, recorded_tensors = (_beside(name) for name in (
    "batched_reads", "epoch_reader", "fixed_order", "read_values", "recorded_tensors"))

TOPS = ("tensorflow_core", "tensorflow")
NOT_FETCHED = "can't be fetched"
# Python's folder and that of the recorder: their files, and those of installed packages, are not the program's.
_NOT_OF_PROGRAM = tuple(
    os.path.dirname(path) + os.path.sep for path in (os.__file__, os.path.abspath(__file__))
)


class _Wanted(NamedTuple):
    """What a session run reads.

    Attributes:
      reads: for each group of tensors, the operations that read.
      tensors: for each group, its components: a tensor, or the three of a sparse one.
      batched: for each group, whether it is a batch; None if it can't be told.
      comparable: what is fetched and computed from it.
    """

    reads: List[List[Any]]
    tensors: List[List[List[Any]]]
    batched: List[Optional[bool]]
    comparable: List[Any]

    def described(self, values: Any) -> Any:
        """Returns what is kept of the values of `tensors`."""
        return [read_values.described(*pair) for pair in zip(values, self.batched)]


class _Program(NamedTuple):
    """What the program did in one graph.

    Attributes:
      wanted: a `_Wanted` by the fetches of a session run.
      earlier: the session runs before the first that reads.
      runners: the queue runners that were started.
      pipelines: the names of what was read -> the number of the pipeline.
      fed: whether a session run fills a queue.
    """

    wanted: Dict[Any, Any]
    earlier: List[Any]
    runners: List[Any]
    pipelines: Dict[Any, int]
    fed: List[bool]


class Recorder:
    """Writes what sessions read to a file.

    Args:
      path: the file.
      is_parsed: whether examples are recorded after their parse, not as they are read.
    """

    def __init__(self, path: str, is_parsed: bool) -> None:
        self._is_parsed = is_parsed
        self._file = open(path, "w", encoding="utf-8")
        self._lock = threading.Lock()
        self._programs: Any = weakref.WeakKeyDictionary()
        self._count = 0
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

    def write_files(self) -> None:
        """Writes which files were imported."""
        found = {_file_of(each) for each in list(sys.modules.values())}
        paths = {os.path.abspath(each) for each in found if isinstance(each, str)}
        self.write({"files": sorted(each for each in paths if _is_of_program(each))})

    def patch_session(self, module: Any) -> None:
        run = module.BaseSession.run
        handler_of = module._FetchHandler

        def recorded(session: Any, fetches: Any, feed_dict: Any = None, options: Any = None,
                     run_metadata: Any = None) -> Any:
            targets, feeds = _fetched(session.graph, handler_of, fetches, feed_dict)
            program = self._program_of(session.graph)
            wanted = self._wanted_of(program, session.graph, targets, feeds)
            if not wanted.tensors:
                operations = [getattr(each, "op", each) for each in targets]
                # Queue runners close the queues of this session, not those of a copy.
                if operations and not program.pipelines and not any("QueueClose" in each.type for each in operations):
                    program.earlier.append(epoch_reader.Earlier([each.name for each in operations], feeds))
                return run(session, fetches, feed_dict, options, run_metadata)
            self._read_pipeline(session, run, program, wanted)
            found, values, computed = run(
                session, [fetches, wanted.tensors, wanted.comparable], feed_dict, options, run_metadata)
            self.write({
                "reads": wanted.described(values),
                "computed": [read_values.digest_of(each) for each in computed],
                "values": [read_values.shown((each,)) for each in computed],
            })
            return found

        module.BaseSession.run = recorded

    def patch_runners(self, module: Any) -> None:
        create = module.QueueRunner.create_threads

        def create_threads(runner: Any, *arguments: Any, **keywords: Any) -> Any:
            program = self._program_of(runner.close_op.graph)
            if runner not in program.runners:
                program.runners.append(runner)
            return create(runner, *arguments, **keywords)

        module.QueueRunner.create_threads = create_threads

    def patch_version(self, module: Any) -> None:
        self.write({"tensorflow": module.VERSION})

    def _program_of(self, graph: Any) -> _Program:
        with self._lock:
            if graph not in self._programs:
                self._programs[graph] = _Program({}, [], [], {}, [])
            found: _Program = self._programs[graph]
            return found

    def _wanted_of(self, program: _Program, graph: Any, targets: Any, feeds: Any) -> _Wanted:
        key = (graph.version, tuple(each.name for each in targets), tuple(sorted(feeds)))
        if key not in program.wanted:
            found = self._read_by(program, graph, targets, set(feeds))
            reads = [read for read, _ in found]
            groups = [([read], components) for read, components in found]
            if self._is_parsed:
                groups = [(group, self._fetchable(graph, [[each] for each in tensors]))
                          for group, tensors in recorded_tensors.parsed_examples(reads, targets, set(feeds))]
            groups = [each for each in groups if each[1]]
            batched = [_is_batched(group) for group, _ in groups]
            comparable = [each for each in targets if recorded_tensors.is_comparable(each, set(reads))]
            program.wanted[key] = _Wanted(
                [group for group, _ in groups], [tensors for _, tensors in groups], batched, comparable)
        wanted: _Wanted = program.wanted[key]
        return wanted

    def _fetchable(self, graph: Any, components: List[List[Any]]) -> List[List[Any]]:
        """Returns the components that can be fetched, and notes the others."""
        found = []
        for tensors in components:
            if all(graph.is_fetchable(each) and each.dtype.name not in ("variant", "resource") for each in tensors):
                found.append(tensors)
            else:
                self.note("{!r} {}".format(tensors[0].name, NOT_FETCHED))
        return found

    def _read_pipeline(self, session: Any, run: Any, program: _Program, wanted: _Wanted) -> None:
        """Writes what is read for the first time, and what it gives in some epochs."""
        names = tuple(each.name for components in wanted.tensors for tensors in components for each in tensors)
        if names in program.pipelines:
            return
        number = program.pipelines[names] = self._count
        self._count += 1
        reads = [each for group in wanted.reads for each in group]
        self.write({
            "pipeline": number,
            "places": sorted({place for each in reads for place in _places(each)}),
            "static": [sorted([recorded_tensors.dtype_name(tensors[-1 if len(tensors) == 1 else 1]),
                               str(tensors[0].shape)] for tensors in components) for components in wanted.tensors],
            "shuffling": any(recorded_tensors.is_shuffled(each) for each in reads),
            "shuffled": any(recorded_tensors.is_shuffled(each, of_lists=True) or batched_reads.is_shuffled(each)
                            for each in reads),
            "single": any(is_batched is False for is_batched in wanted.batched),
        })
        self.write_files()
        if program.fed:
            self.write({"epochs": number, "batches": [], "end": "session.run fills a queue",
                        "endless": False, "kept": False})
            return
        runners = [epoch_reader.runner_of(each) for each in program.runners]
        for kept in (False, True):
            try:
                found = epoch_reader.read_epochs(
                    session, run, wanted.tensors, program.earlier, runners, wanted.described, kept,
                )
            except Exception as error:  # what TensorFlow raises for a graph that can't be copied
                reason = "the graph can't be copied: {}: {}".format(type(error).__name__, error)
                found = epoch_reader.Epochs([], reason, False)
            self.write({"epochs": number, "batches": found.batches, "end": found.end, "endless": found.endless,
                        "kept": kept})
            if found.end:
                break

    def _read_by(self, program: _Program, graph: Any, targets: Any, fed: Set[str]) -> Any:
        operations = [getattr(each, "op", each) for each in targets if each.name not in fed]
        seen = set(operations)
        waiting = list(seen)
        reads = []
        while waiting:
            operation = waiting.pop()
            if operation.type.startswith("QueueEnqueue"):
                program.fed.append(True)
                return []  # it fills a queue: the model reads what is taken from that
            if recorded_tensors.is_read(operation):
                reads.append(operation)
            before = [each.op for each in operation.inputs if each.name not in fed]
            for each in before + list(operation.control_inputs):
                if each not in seen:
                    seen.add(each)
                    waiting.append(each)
        fetched = {each.name for each in targets}
        wanted = []
        for operation in sorted(reads, key=lambda each: each.name):
            outputs = [each for each in operation.outputs
                       if each.name in fetched or any(user in seen for user in each.consumers())]
            components = [recorded_tensors.components_of(each, seen) for each in outputs]
            if not self._is_parsed:
                components = self._fetchable(graph, components)
            if components:
                wanted.append((operation, components))
        return wanted


def _fetched(graph: Any, handler_of: Any, fetches: Any, feed_dict: Any) -> Any:
    """Returns what a session run fetches, and its feeds by the names of tensors."""
    try:
        handler = handler_of(graph, fetches, {})
        # Since 2.x the handler gives references to tensors.
        tensors = [each.deref() if hasattr(each, "deref") else each for each in handler.fetches()]
        feeds = {graph.as_graph_element(each).name: value for each, value in (feed_dict or {}).items()
                 if hasattr(each, "op") or isinstance(each, str)}
    except (AttributeError, KeyError, RuntimeError, TypeError, ValueError):
        return [], {}  # TensorFlow's own run says what is wrong
    return tensors + list(handler.targets()), feeds


def _is_batched(reads: List[Any]) -> Optional[bool]:
    found = {batched_reads.is_batched(each) for each in reads}
    return found.pop() if len(found) == 1 else None


def _places(operation: Any) -> Any:
    """Returns the lines of the program in which an operation was made: (path, line)."""
    found = []
    for frame in operation.traceback or ():
        path = getattr(frame, "filename", None) or frame[0]
        line = getattr(frame, "lineno", None) or frame[1]
        if _is_of_program(os.path.abspath(path)):
            found.append((os.path.abspath(path), line))
    return found


def _file_of(module: Any) -> Any:
    """Returns the file of a module in sys.modules; None for a module of a class of TensorFlow.

    One of those is TensorFlow 1.15's `tensorflow.contrib`: the first look at an attribute imports it, in a second.
    """
    is_of_tensorflow = type(module).__module__.partition(".")[0] in TOPS
    return None if is_of_tensorflow else getattr(module, "__file__", None)


def _is_of_program(path: str) -> bool:
    """Whether a file belongs neither to Python, nor to an installed library, nor to the recorder."""
    return os.path.sep + "site-packages" + os.path.sep not in path and not path.startswith(_NOT_OF_PROGRAM)


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
        if top not in TOPS or rest not in self._patches:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None and finder is not self else None
            if spec is not None and spec.loader is not None:
                _run_after(spec.loader, self._patches.pop(rest))
                return spec
        return None


def patch_modules(patches: List[Dict[str, Any]]) -> None:
    """Changes modules of TensorFlow, now or when the program imports them.

    Args:
      patches: the name of the module, below `tensorflow`, -> a function that changes it; the first ones first.
    """
    together: Dict[str, List[Any]] = {}
    for each in patches:
        for name, patch in each.items():
            together.setdefault(name, []).append(patch)

    def all_of(chosen: List[Any]) -> Any:
        return lambda module: [patch(module) for patch in chosen]

    waiting = {}
    for name, chosen in together.items():
        loaded = [sys.modules[top + "." + name] for top in TOPS if top + "." + name in sys.modules]
        if loaded:
            all_of(chosen)(loaded[0])
        else:
            waiting[name] = all_of(chosen)
    sys.meta_path.insert(0, PatchFinder(waiting))


def main(path: str, order: str, what: str, kind: str, name: str, *arguments: str) -> None:
    """Runs a script or a module with arguments; records to `path`."""
    recorder = Recorder(path, what == "parsed")
    patches = [{
        "python.client.session": recorder.patch_session,
        "python.training.queue_runner_impl": recorder.patch_runners,
        "python.framework.versions": recorder.patch_version,
    }]
    if order in ("fixed", "same numbers"):
        patches.insert(0, fixed_order.patches(recorder.note, order == "same numbers"))
    patch_modules(patches)
    sys.argv = [name] + list(arguments)
    # As for a program that Python starts itself. An installed module is not looked for in the working directory.
    sys.path[:1] = {"script": [os.path.dirname(os.path.abspath(name))], "module": [""], "installed": []}[kind]
    try:
        if kind == "script":
            runpy.run_path(name, run_name="__main__")
        else:
            runpy.run_module(name, run_name="__main__", alter_sys=True)
    finally:
        recorder.write_files()


if __name__ == "__main__":
    main(*sys.argv[1:])
