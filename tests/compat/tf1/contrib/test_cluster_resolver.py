"""tf.contrib.cluster_resolver without TPUs."""
import pytest

from legacy_towers.compat.tf1 import tree

resolvers = tree.module("tensorflow.contrib.cluster_resolver")


@pytest.mark.parametrize("name", ["", "local"])
def test_tpu_resolver_of_the_local_machine(name):
    resolver = resolvers.TPUClusterResolver(name, zone=None, project=None)
    assert resolver.master() == name
    assert resolver.get_master() == name
    assert resolver.cluster_spec() is None
    assert isinstance(resolver, resolvers.ClusterResolver)


def test_tpu_run_config_accepts_a_local_resolver(tmp_path):
    tpu = tree.module("tensorflow.contrib.tpu")
    config = tpu.RunConfig(cluster=resolvers.TPUClusterResolver(""), model_dir=str(tmp_path))
    assert config.master == ""
    assert config.is_chief
