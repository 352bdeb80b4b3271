"""What `tf.train.Optimizer`s keep to themselves."""
from typing import Any


def learning_rate_of(optimizer: Any, graph: Any) -> Any:
    """Returns the learning rate of an optimizer that has applied gradients: a tensor or a number; None if unknown.

    For an optimizer that wraps another, such as `tf.train.SyncReplicasOptimizer`, it is that of the wrapped one. A rate
    that is a function is unknown where it was called inside a `tf.cond`, as a loss scale does.

    Args:
      graph: the graph in which a session could fetch it.
    """
    # Private: no public name gives it. `_learning_rate` or `_lr` in the optimizers of tf.train, and, once they have
    # applied gradients, the tensor that is made of it. Tried on 1.15 and 2.21.
    for given, converted in (("_learning_rate", "_learning_rate_tensor"), ("_lr", "_lr_t")):
        rate = getattr(optimizer, given, None)
        if callable(rate) and not hasattr(rate, "dtype"):
            rate = getattr(optimizer, converted, None)
            if rate is not None and (rate.graph is not graph or not graph.is_fetchable(rate)):
                return None
        if rate is not None:
            return rate
    for name in ("_opt", "_optimizer"):
        wrapped = getattr(optimizer, name, None)
        if wrapped is not None:
            return learning_rate_of(wrapped, graph)
    return None
