"""tf.contrib.cluster_resolver, now tf.distribute.cluster_resolver."""
from typing import Any, Optional

from legacy_towers.compat.versions import tf

_resolvers = tf.distribute.cluster_resolver

ClusterResolver = _resolvers.ClusterResolver
GCEClusterResolver = _resolvers.GCEClusterResolver
KubernetesClusterResolver = _resolvers.KubernetesClusterResolver
SimpleClusterResolver = _resolvers.SimpleClusterResolver
SlurmClusterResolver = _resolvers.SlurmClusterResolver
TFConfigClusterResolver = _resolvers.TFConfigClusterResolver
UnionClusterResolver = _resolvers.UnionResolver


class TPUClusterResolver(_resolvers.TPUClusterResolver):  # type: ignore[name-defined]
    """Resolves the address of a TPU.

    Args:
      tpu: the name of the TPU; "" or "local" (which scripts pass with use_tpu=False) is the local machine.
    """

    def __init__(self, tpu: Optional[str] = None, *arguments: Any, **options: Any) -> None:
        self._local_target = tpu if tpu in ("", "local") else None
        super().__init__("local" if self._local_target is not None else tpu, *arguments, **options)

    def master(self, *arguments: Any, **options: Any) -> Any:
        """Returns the session target."""
        return super().master(*arguments, **options) if self._local_target is None else self._local_target

    def get_master(self) -> Any:
        """Returns the session target."""
        return self.master()

    def cluster_spec(self) -> Any:
        """Returns the ClusterSpec of the TPU, or None for the local machine."""
        return super().cluster_spec() if self._local_target is None else None


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
