"""The contexts of towers in TensorFlow 1.8 to 1.12: get_tower_context, get_cross_tower_context, TowerContext."""
from typing import Any, Callable, Optional

from legacy_towers.compat.tf1.contrib.distribute.tower_methods import TowerMethods
from legacy_towers.compat.tf1.contrib.private import strategies
from legacy_towers.compat.versions import tf


class _StrategyView(TowerMethods):
    """A strategy of TensorFlow itself, such as the default strategy, with the methods of towers too."""

    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_strategy"], name)

    def __eq__(self, other: Any) -> bool:
        return self._strategy is getattr(other, "_strategy", other)

    def __hash__(self) -> int:
        return hash(self._strategy)

    def _reduce_to_tensor(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        return self._strategy.reduce(reduce_op, value, axis)


def with_tower_methods(strategy: Any) -> Any:
    """Returns `strategy`, or a view of it if it lacks the methods of towers."""
    return strategy if isinstance(strategy, TowerMethods) else _StrategyView(strategy)


class TowerContext:
    """The context of one tower, inside of `call_for_each_tower`, or of the only one outside of all strategies.

    Args:
      distribution_strategy: the strategy.
      tower_id: the number of the tower.
    """

    def __init__(self, distribution_strategy: Any, tower_id: int) -> None:
        strategy = getattr(distribution_strategy, "_strategy", distribution_strategy)
        self._replica_context = tf.distribute.ReplicaContext(strategy, tower_id)

    @classmethod
    def of(cls, replica_context: Any) -> "TowerContext":
        """Returns the view of a tf.distribute.ReplicaContext."""
        context = cls.__new__(cls)
        context._replica_context = replica_context
        return context

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_replica_context"], name)

    def __eq__(self, other: Any) -> bool:
        return self._replica_context is getattr(other, "_replica_context", other)

    def __hash__(self) -> int:
        return hash(self._replica_context)

    def __enter__(self) -> "TowerContext":
        self._replica_context.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._replica_context.__exit__(*error)

    def merge_call(self, merge_fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls `merge_fn(strategy, ...)` once for all towers, which wait for each other; returns its result.

        Args:
          merge_fn: the function; its arguments are per-tower values.
          *args: this tower's arguments.
          **kwargs: this tower's keyword arguments.
        """

        def merge(strategy: Any, *merged: Any, **named: Any) -> Any:
            return merge_fn(with_tower_methods(strategy), *merged, **named)

        return self._replica_context.merge_call(merge, args=args, kwargs=kwargs)

    def tower_local_var_scope(self, reduce_method: str) -> Any:
        """Returns a scope of tower-local variables, see `TowerMethods.tower_local_var_scope`."""
        return self.distribution_strategy.tower_local_var_scope(reduce_method)

    @property
    def tower_id(self) -> int:
        """The number of the tower."""
        number = self._replica_context.replica_id_in_sync_group
        known = tf.get_static_value(number) if isinstance(number, tf.Tensor) else number
        return int(known)

    @property
    def num_towers(self) -> int:
        return int(self._replica_context.num_replicas_in_sync)

    @property
    def is_single_tower(self) -> bool:
        return self.num_towers == 1

    @property
    def distribution_strategy(self) -> Any:
        return with_tower_methods(self._replica_context.strategy)

    @property
    def device(self) -> str:
        """The device of the tower."""
        devices = self._replica_context.strategy.extended.worker_devices
        return str(devices[self.tower_id])


def get_tower_context() -> Optional[TowerContext]:
    """Returns the context of the current tower; None in a strategy's scope outside of `call_for_each_tower`."""
    context = tf.distribute.get_replica_context()
    return None if context is None else TowerContext.of(context)


def get_replica_context() -> Any:
    """Returns the tf.distribute.ReplicaContext of the current replica, None in a strategy's scope outside of them."""
    context = tf.distribute.get_replica_context()
    if context is not None:
        context.distribution_strategy = context.strategy  # its name in TensorFlow 1.13
    return context


def get_cross_tower_context() -> Any:
    """Returns the strategy in its scope outside of `call_for_each_tower`, else None."""
    strategy = strategies.get_cross_replica_context()
    return None if strategy is None else with_tower_methods(strategy)


def get_distribution_strategy() -> Any:
    """Returns the strategy whose scope is entered, or the default strategy of one tower."""
    return with_tower_methods(tf.distribute.get_strategy())


def require_tower_context(tower_ctx: Any) -> None:
    """Raises RuntimeError if `tower_ctx` is not the context of the current tower."""
    strategies.require_replica_context(getattr(tower_ctx, "_replica_context", tower_ctx))


def increment_var(v: Any, amount: Any = 1) -> Any:
    """Returns an operation that adds `amount` to `v`, for all towers at once."""

    def merge(strategy: Any, variable: Any) -> Any:
        return strategy.group(strategy.update(variable, lambda each: each.assign_add(amount)))

    context = get_tower_context()
    if context is None:
        return merge(get_cross_tower_context(), v)
    return context.merge_call(merge, v)
