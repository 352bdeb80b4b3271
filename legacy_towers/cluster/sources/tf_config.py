"""TF_CONFIG, which Kubeflow's TFJob, Vertex AI and users of tf.estimator set.

    {"cluster": {"chief": ["h0:2222"], "worker": ["h1:2222"]}, "task": {"type": "worker", "index": 0}}
"""
import json
from typing import Any, Mapping

from legacy_towers.cluster.sources.registry import Options, source
from legacy_towers.cluster.validation import cluster_of
from legacy_towers.cluster.value import Cluster
from legacy_towers.errors import ClusterError

NAME = "TF_CONFIG"


def _is_present(environ: Mapping[str, str], options: Options) -> bool:
    return bool(environ.get(NAME, "").strip())


@source(1, NAME, "TF_CONFIG", _is_present)
def read(environ: Mapping[str, str], options: Options) -> Cluster:
    """Returns the cluster of TF_CONFIG.

    Raises:
      ClusterError: it is not JSON, has no cluster or task, or contradicts itself.
    """
    text = environ[NAME]
    try:
        config = json.loads(text)
    except ValueError as error:
        raise ClusterError("TF_CONFIG is not JSON ({}): {!r}".format(error, text)) from None
    if not isinstance(config, dict):
        raise ClusterError("TF_CONFIG is {!r}: an object with 'cluster' and 'task' is needed".format(text))
    if "sparseCluster" in config:
        raise ClusterError(
            "TF_CONFIG has 'sparseCluster', which names only a part of the cluster: turn off enableDynamicWorker in "
            "the TFJob"
        )
    cluster, task = _part(config, "cluster"), _part(config, "task")
    for key in ("type", "index"):
        if key not in task:
            raise ClusterError("TF_CONFIG has no {0!r} in 'task': the job and the index of this process are "
                               "needed".format(key))
    index = task["index"]
    # Some launchers write the index as a string.
    index = int(index) if isinstance(index, str) and index.isdigit() else index
    return cluster_of(cluster, task["type"], index, NAME, [(NAME, json.dumps(config, sort_keys=True))])


def _part(config: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = config.get(key)
    if not isinstance(part, dict) or not part:
        raise ClusterError("TF_CONFIG has no {!r}: {}".format(
            key, "job -> addresses is needed" if key == "cluster" else "the type and index of this process are needed"
        ))
    return part
