"""The messages of TensorFlow's errors, without the Python stacks that TensorFlow adds."""
import re
import traceback
from typing import Any


def plain_message(error: Any) -> str:
    """Returns the message of a tf.errors.OpError without node names and stacks, usually one sentence.

    TensorFlow 2 puts `Graph execution error: Detected at node ... defined at ... Node: 'name'` before it. All versions
    append the name of the node, and some its stack. If several ops failed, the message of the first is returned. Tried
    on 1.15, 2.13, 2.16 and 2.21.
    """
    message = str(error.message)
    if message.startswith("Graph execution error"):
        message = message.split("\nNode: ")[-1].split("\n", 1)[-1]
    message = re.sub(r"^\d+ root error\(s\) found\.\n\s*\(0\) [A-Za-z_ ]+: ", "", message)
    for appended in ("\n\t [[", "\n\nOriginal stack trace", "\n\nErrors may have originated"):
        message = message.split(appended)[0]
    return message.strip()


def with_operation(error: Any, graph: Any) -> Any:
    """Returns `error`, a tf.errors.OpError of a session's callable, with its `op` and the stack where that was made.

    `Session.run` adds both to its errors; a callable of `Session.make_callable` does not. Tried on 1.15 and 2.21.

    Args:
      error: the error; returned as it is if it has an `op` or its message names no operation of the graph.
      graph: the session's graph.
    """
    named = re.search(r"\[\[\{\{node ([^}]+)\}\}", str(error.message))
    if error.op is not None or named is None:
        return error
    try:
        operation = graph.get_operation_by_name(named.group(1))
    except KeyError:  # TensorFlow made it when it optimized the graph
        return error
    stack = "".join(traceback.format_list([tuple(frame)[:4] for frame in operation.traceback or ()]))
    message = "{}\n\nOriginal stack trace for {!r}:\n{}".format(error.message, operation.name, stack)
    return type(error)(operation.node_def, operation, message)
