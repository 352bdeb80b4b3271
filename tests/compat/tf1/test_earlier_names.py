"""Names of TensorFlow 1.4 to 1.14 that 1.15 does not have, as looked up in the references of these versions."""
import pytest

from legacy_towers.compat.tf1 import earlier_names, known_names


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: nothing here needs TensorFlow."""


VERSIONS = {
    "tensorflow.contrib.gan": ("1.4", "1.14"),
    "tensorflow.contrib.gan.gan_model": ("1.4", "1.14"),
    "tensorflow.contrib.gan.cyclegan_model": ("1.8", "1.14"),
    "tensorflow.contrib.gan.estimator.GANEstimator": ("1.4", "1.14"),
    "tensorflow.contrib.lite.TocoConverter": ("1.12", "1.13"),
    "tensorflow.contrib.nccl.all_sum": ("1.4", "1.12"),
    "tensorflow.layers.Input": ("1.4", "1.4"),
    "tensorflow.data.experimental.filter_for_shard": ("1.13", "1.13"),
    # of 1.15, of 0.12 and of none
    "tensorflow.nn.relu": None,
    "tensorflow.contrib.slim.conv2d": None,
    "tensorflow.concat_v2": None,
    "tensorflow.contrib.gan.gan_modell": None,
}


@pytest.mark.parametrize("name", VERSIONS)
def test_versions_of(name):
    assert earlier_names.versions_of(name) == VERSIONS[name]


def test_names_are_not_those_of_1_15_and_versions_are_recorded_ones():
    names = earlier_names.names()
    assert len(names) > 3000
    assert [name for name in names if known_names.is_name_of_1_15(name)] == []
    for name in names:
        first, last = earlier_names.versions_of(name)
        assert earlier_names.VERSIONS.index(first) <= earlier_names.VERSIONS.index(last)
