"""Changes to a built graph and its operations, by TensorFlow's private API."""
import contextlib
import sys
import threading
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional

# How far above itself `_current_run` looks for the call of the session.
_MOST_FRAMES = 12


def run_after(operation: Any, before: Any) -> None:
    """Adds the operation `before` as a control input of the existing `operation`.

    Neither may be in a loop, and no session may have run `operation` yet: the session would not see the change.
    """
    # Private: tf.control_dependencies reaches new operations only. Tried on 1.15 and 2.21.
    operation._add_control_input(before)


def is_in_control_flow(operation: Any) -> bool:
    """Returns whether `operation` was made inside a tf.cond or tf.while_loop of control flow version 1."""
    # Private: nothing public reports it. Tried on 1.15 and 2.21.
    return operation._get_control_flow_context() is not None


def is_in_loop(operation: Any) -> bool:
    """Returns whether `operation` was made inside a tf.while_loop of control flow version 1."""
    # Private: nothing public reports it. Tried on 1.15 and 2.21.
    context = operation._get_control_flow_context()
    return context is not None and context.GetWhileContext() is not None


@contextlib.contextmanager
def unfinalized(graph: Any) -> Iterator[None]:
    """Lets operations be added to a finalized graph until the context ends."""
    was_finalized = graph.finalized
    # Private: a graph can't be unfinalized in public. Tried on 1.15 and 2.21.
    graph._unsafe_unfinalize()
    try:
        yield
    finally:
        if was_finalized:
            graph.finalize()


@contextlib.contextmanager
def extending(graph: Any) -> Iterator[None]:
    """Lets operations be added to a graph, finalized or not, while other threads export it.

    TensorFlow's exports fail on operations that another thread is about to add, such as that of a Supervisor's saver.
    """
    # Private: exports hold this reentrant lock. Tried on 1.15 and 2.21.
    with graph._lock, unfinalized(graph):
        yield


def replace_input(operation: Any, index: int, tensor: Any) -> None:
    """Replaces input number `index` of the existing `operation` with `tensor`.

    `tensor` must have the dtype and shape of that input and may not depend on `operation`. No session may have run
    `operation` yet: the session would not see the change.

    Raises:
      ValueError: the dtypes differ, or the shapes are incompatible.
    """
    before = operation.inputs[index]
    if before.dtype != tensor.dtype or not before.shape.is_compatible_with(tensor.shape):
        raise ValueError(
            "input {} of {!r} has dtype {} and shape {}, but {!r} has dtype {} and shape {}".format(
                index, operation.name, before.dtype.name, before.shape, tensor.name, tensor.dtype.name, tensor.shape
            )
        )
    # Private; it checks neither dtype nor shape. Tried on 1.15 and 2.21.
    operation._update_input(index, tensor)


def replace_control_input(before: Any, after: Any) -> None:
    """Lets the operations that run after `before`, by control inputs, run after `after` instead.

    No session may have run them yet: it would not see the change.
    """
    for operation in before.graph.get_operations():
        controls = list(operation.control_inputs)
        if before in controls:
            # Private: tf.control_dependencies reaches new operations only. Tried on 1.15 and 2.21.
            operation._remove_all_control_inputs()
            operation._add_control_inputs([after if each is before else each for each in controls])


def redirect(graph: Any, replaced: Dict[Any, Any]) -> None:
    """Lets sessions fetch and feed other tensors in place of those that are asked for.

    Args:
      graph: their graph.
      replaced: tensor -> the one in its place. Its name, its operation and the name of that are redirected too.
    """
    tensors = {old.name: new for old, new in replaced.items()}
    operations = {old.op.name: new.op for old, new in replaced.items()}
    find = graph.as_graph_element

    def as_graph_element(obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        found = find(obj, allow_tensor, allow_operation)
        return (operations if hasattr(found, "node_def") else tensors).get(found.name, found)

    # Sessions, their callables and graph.get_tensor_by_name look up by it. Tried on 1.15 and 2.21.
    graph.as_graph_element = as_graph_element


class Redirection:
    """Lets single runs of a session fetch other tensors and operations than those that are asked for.

    Args:
      graph: the graph of the session.
    """

    def __init__(self, graph: Any) -> None:
        self._of_thread = threading.local()
        find = graph.as_graph_element

        def as_graph_element(obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
            found = find(obj, allow_tensor, allow_operation)
            replaced = getattr(self._of_thread, "replaced", None)
            return found if replaced is None else replaced.get(found.name, found)

        # Sessions look up by it what they fetch and feed. Tried on 1.15 and 2.21.
        graph.as_graph_element = as_graph_element

    @contextlib.contextmanager
    def replacing(self, replaced: Dict[str, Any]) -> Iterator[None]:
        """Replaces what this thread fetches until the context ends.

        Args:
          replaced: name of a tensor or of an operation -> the tensor or operation in its place.
        """
        self._of_thread.replaced = replaced
        try:
            yield
        finally:
            self._of_thread.replaced = None


def loops_of(operation: Any) -> List[Any]:
    """Returns the names of the tf.while_loops of control flow version 1 around `operation`, the outermost first."""
    # Private: nothing public reports it. Tried on 1.15 and 2.21.
    context = operation._get_control_flow_context()
    found: List[Any] = []
    while context is not None:
        if context.IsWhileContext():
            found.insert(0, context.name)
        context = context.outer_context
    return found


def conditions_of(operation: Any) -> List[Any]:
    """Returns the predicates of the tf.conds of control flow version 1 around `operation`, the innermost first."""
    # Private: nothing public reports it. Tried on 1.15 and 2.21.
    context = operation._get_control_flow_context()
    found: List[Any] = []
    while context is not None:
        if context.IsCondContext():
            found.append(context.pred)
        context = context.outer_context
    return found


class Run(NamedTuple):
    """A call of `Session.run` as TensorFlow has prepared it, or of `Session.make_callable`.

    Attributes:
      fetched: the operations whose outputs are fetched, or that are run; of a callable, its fetches as they are given.
      fed: the operations of the tensors that are fed.
      makes_callable: whether it is a call of `make_callable`. What that returns, without feeds, runs later and is not
        seen then; with feeds it calls `Session.run`.
    """

    fetched: Any
    fed: List[Any]
    makes_callable: bool = False


def before_each_run(graph: Any, check: Callable[[Callable[[], Optional[Run]]], None]) -> None:
    """Calls `check` before each `Session.run` and `make_callable` of `graph`; its error takes the place of the call.

    `check` gets a function that returns the run, since looking at it takes a few microseconds; it returns None where a
    session is extended for another reason.
    """
    # Private: a session enters this context in each run, before it calls the runtime. Tried on 1.15 and 2.21.
    lock = graph._session_run_lock

    def checked() -> Any:
        check(_current_run)
        return lock()

    graph._session_run_lock = checked


def _current_run() -> Optional[Run]:
    """Returns the run that has led to this call, from the frames of `BaseSession._do_run` and `make_callable`."""
    frame: Any = sys._getframe(1)
    # check, checked, _extend_graph, make_callable; or _run_fn, _do_call, _do_run; and the frames of `check` itself.
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return None
        if frame.f_code.co_name == "_do_run" and "target_list" in frame.f_locals:
            given = frame.f_locals
            fetched = [getattr(each, "op", each) for each in list(given["target_list"]) + list(given["fetch_list"])]
            # Fed tensors are keys themselves on 1.15, and references to them on 2.21.
            fed = [each.deref() if hasattr(each, "deref") else each for each in given["feed_dict"]]
            return Run(fetched, [each.op for each in fed])
        if frame.f_code.co_name == "make_callable" and "accept_options" in frame.f_locals:
            return Run(frame.f_locals["fetches"], [], makes_callable=True)
        frame = frame.f_back
    return None


def explain_finalized(graph: Any, explain: Callable[[], Exception]) -> None:
    """Raises `explain()` in place of the error of a finalized graph to which something is added."""
    # Private: whatever adds to a graph calls this first. Tried on 1.15 and 2.21.
    check = graph._check_not_finalized

    def checked() -> None:
        try:
            check()
        except RuntimeError as error:
            raise explain() from error

    graph._check_not_finalized = checked


def explain_refusal(graph: Any, explain: Callable[[Exception], Optional[Exception]]) -> None:
    """Raises `explain(error)` in place of the error with which a session refuses the operations of `graph`.

    A local session places all operations in its first run, before a MonitoredSession calls its hooks: an operation on a
    device that does not exist is an error there. Where `explain` returns None, TensorFlow's error is raised.
    """
    # Private: a session takes over a graph's operations inside this context. Tried on 1.15 and 2.21.
    lock = graph._session_run_lock

    @contextlib.contextmanager
    def explained() -> Iterator[None]:
        with lock():
            try:
                yield
            except Exception as error:
                explanation = explain(error)
                if explanation is None:
                    raise
                raise explanation from error

    graph._session_run_lock = explained
