"""The module inspect with the functions that tensorflow.python.util.tf_inspect replaces."""
import functools
import inspect
import types

# Private: tried on 1.15 and 2.21. It reads functools.partial, callable objects and TensorFlow's decorators.
from tensorflow.python.util import tf_inspect


@functools.lru_cache(maxsize=None)
def module() -> types.ModuleType:
    """Returns inspect with `getargspec`, which Python 3.11 removed; `getfullargspec` gives the same."""
    found = types.ModuleType("inspect")
    found.__dict__.update({name: value for name, value in vars(inspect).items() if not name.startswith("__")})
    found.__dict__.update(getargspec=tf_inspect.getargspec, getfullargspec=tf_inspect.getargspec)
    return found
