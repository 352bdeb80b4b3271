"""tf.contrib.cluster_resolver, by its names of 1.15."""
import pytest

from legacy_towers.oldtf import tree

resolvers = tree.module("tensorflow.contrib.cluster_resolver")


@pytest.mark.parametrize("name", ["", "local"])
def test_without_a_tpu_the_resolver_is_of_this_machine(name):
    resolver = resolvers.TPUClusterResolver(name, zone=None, project=None)
    assert resolver.master() == name
    assert resolver.get_master() == name
    assert resolver.cluster_spec() is None
    assert isinstance(resolver, resolvers.ClusterResolver)


def test_a_run_config_takes_it(tmp_path):
    tpu = tree.module("tensorflow.contrib.tpu")
    config = tpu.RunConfig(cluster=resolvers.TPUClusterResolver(""), model_dir=str(tmp_path))
    assert config.master == ""
    assert config.is_chief
