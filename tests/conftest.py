"""Every test builds its own graph; logical CPU devices stand for the devices of towers."""
import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than a few seconds; CI runs these too")


@pytest.fixture(autouse=True)
def fresh_graph():
    from legacy_towers.compat import tf

    with tf.Graph().as_default() as graph:
        yield graph
