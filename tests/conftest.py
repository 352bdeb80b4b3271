"""Every test builds its own graph; logical CPU devices stand for the devices of towers."""
import signal

import pytest


def pytest_configure(config):
    # A shell's script starts what runs in the background with Ctrl-C ignored; tests send it, to themselves and others.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "slow: takes more than a few seconds; CI runs these too")
    config.addinivalue_line("markers", "alone: measures times, so nothing else may run beside it")
    config.addinivalue_line("markers", "needs_layers: uses tf.layers; skipped, with the reason, where it can't work")


def pytest_sessionfinish(session, exitstatus):
    # tox runs the tests in two parts; where some were asked for, there may be none for one of the parts.
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.option.markexpr == "alone":
        session.exitstatus = pytest.ExitCode.OK


def pytest_runtest_setup(item):
    if item.get_closest_marker("needs_layers") is None:
        return
    from legacy_towers.compat import keras, tf, versions

    problem = keras.problem(versions.parse(tf.__version__))
    if problem is not None:
        pytest.skip(problem)


@pytest.fixture(autouse=True)
def fresh_graph():
    from legacy_towers.compat import tf

    with tf.Graph().as_default() as graph:
        yield graph
