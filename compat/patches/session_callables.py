"""A wrapper of the callables by which Keras runs its functions, in `fit()`, `evaluate()` and `predict()`.

Keras neither calls `Session.run` nor `Session.make_callable`. `_make_callable_from_options` is private; tried on 1.15
and 2.21.
"""
import contextlib
from typing import Any, Callable, Iterator

from tensorflow.python.client import session as session_module

# (the callable, session, its CallableOptions) -> the callable to use.
Around = Callable[[Callable[..., Any], Any, Any], Callable[..., Any]]


@contextlib.contextmanager
def through(around: Around) -> Iterator[None]:
    """Wraps the callables that are made while the context lasts in `around`."""
    base = session_module.BaseSession
    before = base._make_callable_from_options

    def make(self: Any, callable_options: Any) -> Callable[..., Any]:
        return around(before(self, callable_options), self, callable_options)

    base._make_callable_from_options = make
    try:
        yield
    finally:
        base._make_callable_from_options = before
