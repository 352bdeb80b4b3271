"""Functions that run a step without what `Session.run` does in each call: parsing fetches and checking fed values."""
from typing import Any, Callable, Iterator, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.versions.session import fed_callable
from legacy_towers.tensor_types import Operation, Session, Tensor


def step_callable(
    session: Session, train_op: Operation, fetches: Any, feeds: Sequence[Tensor]
) -> Optional[Callable[..., Any]]:
    """Returns a function of one array per fed tensor that runs `train_op` and returns the values of `fetches`.

    Args:
      fetches: tensors and operations, in any structure of lists, tuples and dicts; or None.
      feeds: the tensors that are fed; each array must have exactly its tensor's dtype.

    Returns:
      The function; None if such a step needs `Session.run`: see `fed_callable`, and for fetches that are fed
      themselves.
    """
    if not feeds:
        run = session.make_callable([train_op, [] if fetches is None else fetches])
        return (lambda: _nothing(run())) if fetches is None else (lambda: run()[1])
    leaves = _leaves(fetches)
    tensors = [leaf for leaf in leaves if isinstance(leaf, tf.Tensor)]
    if any(tensor is fed for tensor in tensors for fed in feeds):
        return None
    if any(tensor.op.type.startswith("GetSessionHandle") for tensor in tensors):  # Session.run returns an object for it
        return None
    operations = [train_op] + [leaf for leaf in leaves if isinstance(leaf, tf.Operation)]
    call = fed_callable(session, tensors, operations, feeds)
    if call is None:
        return None
    if fetches is None:
        return lambda *arrays: _nothing(call(*arrays))
    if isinstance(fetches, tf.Tensor):
        return lambda *arrays: call(*arrays)[0]
    return lambda *arrays: _filled(fetches, iter(call(*arrays)))


def _nothing(_: Any) -> None:
    """Drops the values of a run that fetches nothing for the caller."""


def _leaves(fetches: Any) -> List[Any]:
    if isinstance(fetches, (list, tuple)):
        return [leaf for part in fetches for leaf in _leaves(part)]
    if isinstance(fetches, dict):
        return [leaf for part in fetches.values() for leaf in _leaves(part)]
    return [fetches]


def _filled(fetches: Any, values: Iterator[Any]) -> Any:
    if isinstance(fetches, (list, tuple)):
        return type(fetches)(_filled(part, values) for part in fetches)
    if isinstance(fetches, dict):
        return {key: _filled(part, values) for key, part in fetches.items()}
    return next(values) if isinstance(fetches, tf.Tensor) else None
