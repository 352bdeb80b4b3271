"""What TensorFlow's errors say, without the Python stacks that it puts around it."""
import re
from typing import Any


def plain_message(error: Any) -> str:
    """Returns the message of a tf.errors.OpError alone: one sentence where TensorFlow wrote one.

    TensorFlow 2 puts `Graph execution error: Detected at node ... defined at ... Node: 'name'` before it; all versions
    append the name of the node and, some of them, its stack. Where several ops failed the first one speaks. Tried on
    1.15, 2.13, 2.16 and 2.21.
    """
    message = str(error.message)
    if message.startswith("Graph execution error"):
        message = message.split("\nNode: ")[-1].split("\n", 1)[-1]
    message = re.sub(r"^\d+ root error\(s\) found\.\n\s*\(0\) [A-Za-z_ ]+: ", "", message)
    for appended in ("\n\t [[", "\n\nOriginal stack trace", "\n\nErrors may have originated"):
        message = message.split(appended)[0]
    return message.strip()
