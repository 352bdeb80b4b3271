"""tf.contrib.cluster_resolver, which is tf.distribute.cluster_resolver now."""
from typing import Any, Optional

from legacy_towers.compat import tf

_resolvers = tf.distribute.cluster_resolver

ClusterResolver = _resolvers.ClusterResolver
GCEClusterResolver = _resolvers.GCEClusterResolver
KubernetesClusterResolver = _resolvers.KubernetesClusterResolver
SimpleClusterResolver = _resolvers.SimpleClusterResolver
SlurmClusterResolver = _resolvers.SlurmClusterResolver
TFConfigClusterResolver = _resolvers.TFConfigClusterResolver
UnionClusterResolver = _resolvers.UnionResolver


class TPUClusterResolver(_resolvers.TPUClusterResolver):  # type: ignore[name-defined]
    """Finds a TPU by its name; the names "" and "local" stand for this machine, as scripts say with use_tpu=False."""

    def __init__(self, tpu: Optional[str] = None, *arguments: Any, **options: Any) -> None:
        self._here = tpu if tpu in ("", "local") else None
        super().__init__("local" if self._here is not None else tpu, *arguments, **options)

    def master(self, *arguments: Any, **options: Any) -> Any:
        """Returns the target of sessions."""
        return super().master(*arguments, **options) if self._here is None else self._here

    def get_master(self) -> Any:
        """Returns the target of sessions."""
        return self.master()

    def cluster_spec(self) -> Any:
        """Returns the machines of the TPU, None for this one."""
        return super().cluster_spec() if self._here is None else None


__all__ = [
    "ClusterResolver",
    "GCEClusterResolver",
    "KubernetesClusterResolver",
    "SimpleClusterResolver",
    "SlurmClusterResolver",
    "TFConfigClusterResolver",
    "TPUClusterResolver",
    "UnionClusterResolver",
]
