"""What TensorFlow and Python say of themselves, kept out of what the command line prints, or put in its words."""
import contextlib
import sys
import warnings
from typing import Any, Iterator


def silence_deprecations() -> None:
    """Hides what TensorFlow and tf_keras say of the TF1 API's age: whoever runs a TF1 job knows."""
    from legacy_towers.compat import tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    warnings.filterwarnings("ignore", message=r"`tf\.(layers|nn\.rnn_cell)\.")
    warnings.filterwarnings("ignore", message=r"`tf\.\S+` is deprecated")


@contextlib.contextmanager
def plain_warnings(program: str) -> Iterator[None]:
    """Prints a UserWarning as one line for the user, without the place in the code; undoes all filters at the end."""
    with warnings.catch_warnings():
        standard = warnings.showwarning

        def show(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
            if file is None and issubclass(category, UserWarning):
                sys.stderr.write("{}: warning: {}\n".format(program, message))
            else:
                standard(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield
