"""Fixes the order of examples in a Python program, and its random numbers, so that two versions of it can be compared.

`patches(note)` has a function for each module of TensorFlow that is changed when the program imports it; `note(name)`
is called once for each change that mattered. `session_recorder` loads this file by its path, so it imports nothing of
this package.

Private: TensorFlow's modules, `script_ops._internal_py_func` and `QueueRunner._run`, `_enqueue_ops`,
`_runs_per_session`. Tried on 1.15 and 2.21.
"""
import importlib
import random
import sys
import threading
from typing import Any, Callable, Dict, List

SHUFFLING_QUEUES = "queues do not shuffle"
SHUFFLED_LISTS = "lists of files are not shuffled"
SHUFFLED_DATASETS = "datasets do not shuffle"
THREADS = "one thread runs each operation that fills a queue"
TURNS = "operations that fill one queue take turns"
BUCKETS = "batches of several buckets come in any order"
SEEDS = "random operations have fixed seeds"
PYTHON_NUMBERS = "Python functions draw random numbers"
SAME_NUMBERS = "random operations draw the same numbers for each example"
# By this seed, a uniform number between 0 and 1 is below a half: images are flipped.
_SEED = [3, 0]
_STATELESS = {
    "random_uniform": "stateless_random_uniform",
    "random_standard_normal": "stateless_random_normal",
    "truncated_normal": "stateless_truncated_normal",
    "random_uniform_int": "stateless_random_uniform_int",
    "multinomial": "stateless_multinomial",
}
_BATCHES = ("QueueDequeueMany", "QueueDequeueUpTo")
# functions of these operations -> their arguments behind which the seed of the stateless operation comes
_BEHIND = {"multinomial": 2}


def patches(note: Callable[[str], None], same_numbers: bool = False) -> Dict[str, Callable[[Any], None]]:
    """Returns module of TensorFlow -> a function that changes it; seeds Python's and numpy's random numbers.

    Args:
      note: called with the name of each change that mattered.
      same_numbers: whether a random operation, and a Python function of tf.py_func, draws the same numbers in each run
        of it: where several operations compute examples in any order, which example gets which numbers is a race.
    """
    random.seed(1)
    try:
        import numpy
    except ImportError:  # TensorFlow will not be imported either
        pass
    else:
        numpy.random.seed(1)
    fixed = _Fixed(note, same_numbers)
    drawn = {
        "python.ops.gen_random_ops": fixed.gen_random_ops,
        "python.ops.gen_image_ops": fixed.gen_image_ops,
    }
    return {
        **(drawn if same_numbers else {}),
        "python.client.session": fixed.session,
        "python.ops.data_flow_ops": fixed.data_flow_ops,
        "python.ops.random_ops": fixed.random_ops,
        "python.ops.script_ops": fixed.script_ops,
        "python.data.ops.dataset_ops": fixed.dataset_ops,
        "python.data.experimental.ops.shuffle_ops": fixed.shuffle_ops,
        "python.framework.random_seed": fixed.random_seed,
        "python.training.queue_runner_impl": fixed.queue_runner_impl,
    }


class _Fixed:
    """Each method changes the module of TensorFlow that it is named for."""

    def __init__(self, note: Callable[[str], None], same_numbers: bool) -> None:
        self._note = note
        self._same_numbers = same_numbers
        self._lock = threading.Lock()

    def session(self, module: Any) -> None:
        """Switches the graph optimizer off: it rewrites the arithmetic of a session, but not that of a dataset."""
        make = module.BaseSession.__init__

        def plain(session: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:
            chosen = module.config_pb2.ConfigProto()
            if config is not None:
                chosen.CopyFrom(config)
            chosen.graph_options.rewrite_options.disable_meta_optimizer = True
            make(session, target, graph, chosen)

        module.BaseSession.__init__ = plain

    def data_flow_ops(self, module: Any) -> None:
        note = self._note

        def make(queue: Any, capacity: Any, min_after_dequeue: Any, dtypes: Any, shapes: Any = None, names: Any = None,
                 seed: Any = None, shared_name: Any = None, name: str = "random_shuffle_queue") -> None:
            note(SHUFFLING_QUEUES)
            fifo = module.FIFOQueue(capacity, dtypes, shapes, names, shared_name, name)
            module.QueueBase.__init__(queue, fifo.dtypes, fifo.shapes, fifo.names, fifo.queue_ref)

        module.RandomShuffleQueue.__init__ = make

    def random_ops(self, module: Any) -> None:
        def random_shuffle(value: Any, seed: Any = None, name: Any = None) -> Any:
            found = module.ops.convert_to_tensor(value, name=name)
            if not found.shape.ndims or found.shape.dims[0].value != 1:  # one file has one order
                self._note(SHUFFLED_LISTS)
            return found

        module.random_shuffle = random_shuffle

    def script_ops(self, module: Any) -> None:
        """Notes whether Python functions draw random numbers, and lets them draw the same ones in each call."""
        make = module._internal_py_func

        def drawing(function: Any) -> Any:
            def call(*arguments: Any) -> Any:
                before = _numbers()
                if not self._same_numbers:
                    found = function(*arguments)
                    if _numbers() != before:
                        self._note(PYTHON_NUMBERS)
                    return found
                # A function that waits for another one must not stop it for ever.
                is_alone = self._lock.acquire(timeout=10)
                state, numpy_state = random.getstate(), _numpy_random().get_state()
                try:
                    random.seed(1)
                    _numpy_random().seed(1)
                    seeded = _numbers()
                    found = function(*arguments)
                    if _numbers() != seeded:
                        self._note(SAME_NUMBERS)
                    return found
                finally:
                    random.setstate(state)
                    _numpy_random().set_state(numpy_state)
                    if is_alone:
                        self._lock.release()

            return call

        def py_func(func: Any, *arguments: Any, **keywords: Any) -> Any:
            is_plain = not keywords.get("eager") and not keywords.get("is_grad_func")
            return make(drawing(func) if is_plain else func, *arguments, **keywords)

        module._internal_py_func = py_func

    def gen_random_ops(self, module: Any) -> None:
        def same(stateless: str, behind: int) -> Any:
            def draw(*arguments: Any, **keywords: Any) -> Any:
                self._note(SAME_NUMBERS)
                for name in ("seed", "seed2"):
                    keywords.pop(name, None)
                found = getattr(_operations("gen_stateless_random_ops"), stateless)
                return found(*(arguments[:behind] + (_SEED,) + arguments[behind:]), **keywords)

            return draw

        for name, stateless in _STATELESS.items():
            setattr(module, name, same(stateless, _BEHIND.get(name, 1)))

    def gen_image_ops(self, module: Any) -> None:
        """Lets tf.image.sample_distorted_bounding_box give the middle of the image."""

        def middle(image_size: Any, bounding_boxes: Any, *arguments: Any, **keywords: Any) -> Any:
            self._note(SAME_NUMBERS)
            tensors = _operations("array_ops")
            size = tensors.unstack(image_size, 3)
            zero, all_of_them = size[0] * 0, size[0] * 0 - 1
            return (
                tensors.stack([size[0] // 4, size[1] // 4, zero]),
                tensors.stack([size[0] // 2, size[1] // 2, all_of_them]),
                tensors.constant([[[0.25, 0.25, 0.75, 0.75]]]),
            )

        module.sample_distorted_bounding_box = module.sample_distorted_bounding_box_v2 = middle

    def dataset_ops(self, module: Any) -> None:
        def shuffle(dataset: Any, *arguments: Any, **keywords: Any) -> Any:
            self._note(SHUFFLED_DATASETS)
            return dataset

        def one_at_a_time(method: Any, kept: int) -> Any:
            """The functions of datasets run one after the other: they may draw random numbers."""

            def call(dataset: Any, function: Any, *arguments: Any, **keywords: Any) -> Any:
                keywords = {name: each for name, each in keywords.items() if name in ("cycle_length", "block_length")}
                return method(dataset, function, *arguments[:kept], **keywords)

            return call

        for dataset in (module.DatasetV2, module.DatasetV1):
            dataset.shuffle = shuffle
            dataset.map = one_at_a_time(dataset.map, 0)
            dataset.interleave = one_at_a_time(dataset.interleave, 2)
        module.DatasetV1.map_with_legacy_function = one_at_a_time(module.DatasetV1.map_with_legacy_function, 0)

    def shuffle_ops(self, module: Any) -> None:
        def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Any:
            self._note(SHUFFLED_DATASETS)
            return lambda dataset: dataset.repeat(count)

        module.shuffle_and_repeat = shuffle_and_repeat

    def random_seed(self, module: Any) -> None:
        get_seed = module.get_seed

        def fixed(op_seed: Any) -> Any:
            if op_seed is not None:
                return get_seed(op_seed)
            self._note(SEEDS)
            return 1, 1

        module.get_seed = fixed

    def queue_runner_impl(self, module: Any) -> None:
        make, run = module.QueueRunner.__init__, module.QueueRunner._run
        ended = module.errors.OutOfRangeError

        def one_thread(runner: Any, queue: Any = None, enqueue_ops: Any = None, *more: Any, **keywords: Any) -> None:
            if enqueue_ops is not None and len(set(enqueue_ops)) < len(enqueue_ops):
                self._note(THREADS)
                enqueue_ops = list(dict.fromkeys(enqueue_ops))
            make(runner, queue, enqueue_ops, *more, **keywords)
            runner.operations_in_turn = list(runner.enqueue_ops)
            if _are_of_buckets(runner.enqueue_ops):
                # A turn would wait for an empty bucket while the others are full.
                self._note(BUCKETS)
                runner.operations_in_turn = []
            if len(runner.operations_in_turn) > 1:
                self._note(TURNS)
                runner._enqueue_ops = runner.operations_in_turn[:1]

        def run_in_turn(runner: Any, sess: Any, enqueue_op: Any, coord: Any = None) -> None:
            if len(runner.operations_in_turn) > 1:
                sess = _InTurn(sess, runner.operations_in_turn, ended)
                runner._runs_per_session[sess] = 1
            run(runner, sess, enqueue_op, coord)

        module.QueueRunner.__init__ = one_thread
        module.QueueRunner._run = run_in_turn


def _are_of_buckets(operations: Any) -> bool:
    """Returns whether each operation puts a batch of another queue into the queue that all of them fill."""
    taken = []
    for each in operations:
        batches = {tensor.op for tensor in getattr(each, "op", each).inputs if tensor.op.type.startswith(_BATCHES)}
        if len(batches) != 1:
            return False
        taken.append(batches.pop().inputs[0])
    return len({id(each) for each in taken}) == len(taken) > 1


def _numpy_random() -> Any:
    return sys.modules["numpy"].random  # TensorFlow has imported it


def _numbers() -> Any:
    """Returns the state of the random numbers of Python and of numpy."""
    state = _numpy_random().get_state()
    return random.getstate(), state[1].tobytes(), state[2:]


def _operations(name: str) -> Any:
    """Returns a module of operations of the TensorFlow that is imported: "array_ops"."""
    top = "tensorflow_core" if "tensorflow_core.python" in sys.modules else "tensorflow"
    return importlib.import_module("{}.python.ops.{}".format(top, name))


class _InTurn:
    """A session for a queue runner's thread, in which each call runs the next of several operations."""

    def __init__(self, session: Any, operations: List[Any], ended: Any) -> None:
        self._session, self._operations, self._ended = session, operations, ended

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def make_callable(self, operation: Any) -> Any:
        waiting = [self._session.make_callable(each) for each in self._operations]

        def call() -> None:
            while True:
                chosen = waiting.pop(0)
                try:
                    chosen()
                except self._ended:
                    if not waiting:
                        waiting.append(chosen)
                        raise
                else:
                    waiting.append(chosen)
                    return

        return call
