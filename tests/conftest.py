"""Every test builds its own graph; towers are on logical CPU devices."""
import gc
import importlib.util
import os
import signal

import pytest


def pytest_configure(config):
    # Shells start background processes with SIGINT ignored; tests send it to themselves and to other processes.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "slow: takes more than a few seconds; CI runs these too")
    config.addinivalue_line("markers", "alone: measures times, so that nothing else may run at the same time")
    config.addinivalue_line("markers", "recorded: compares with a recording of TensorFlow 1.15")
    config.addinivalue_line("markers", "needs_gan: uses tensorflow_gan; skipped where it is not installed")
    config.addinivalue_line("markers", "needs_layers: uses tf.layers; skipped, with the reason, where it can't work")


def pytest_ignore_collect(collection_path, config):
    """Leaves out the files without tests marked `alone` if only those run: importing all files takes half a minute."""
    if config.option.markexpr == "alone" and collection_path.name.startswith("test_"):
        if collection_path.is_file() and "mark.alone" not in collection_path.read_text(encoding="utf-8"):
            return True
    return None


def pytest_collection_modifyitems(config, items):
    """On TensorFlow 1.15 keeps the first case of each test that compares with a recording of it.

    There TensorFlow would be compared with itself: a wrong recording fails on other versions too. To run all cases, set
    LEGACY_TOWERS_ALL_RECORDINGS=1.
    """
    marked = [item for item in items if item.get_closest_marker("recorded") is not None]
    if not marked or "LEGACY_TOWERS_ALL_RECORDINGS" in os.environ:
        return
    from tf1_cases import recorded_cases

    if not recorded_cases.is_1_15():
        return
    firsts = {(item.fspath, item.originalname): item for item in reversed(marked)}
    left_out = set(marked) - set(firsts.values())
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish(session):
    """Excludes the objects that imports created from garbage collection, which would visit them in each test."""
    if session.items and not session.config.option.collectonly:
        from legacy_towers.compat import tf

        assert tf.__version__  # this imports TensorFlow
        gc.collect()
        gc.freeze()
        gc.set_threshold(50000, 20, 20)


def pytest_sessionfinish(session, exitstatus):
    # tox runs the tests in two parts; if some tests are selected, one part may have none.
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.option.markexpr == "alone":
        session.exitstatus = pytest.ExitCode.OK


def pytest_runtest_setup(item):
    if item.get_closest_marker("needs_gan") is not None and importlib.util.find_spec("tensorflow_gan") is None:
        pytest.skip("pip install --no-deps tensorflow-gan==2.1.0")
    if item.get_closest_marker("needs_layers") is None:
        return
    from legacy_towers.compat import tf
    from legacy_towers.compat.versions import keras, supported

    problem = keras.problem(supported.parse(tf.__version__))
    if problem is not None:
        pytest.skip(problem)


@pytest.fixture(autouse=True)
def same_environment():
    """Restores the environment variables: a command that is run in this process sets TF_CPP_MIN_LOG_LEVEL."""
    before = dict(os.environ)
    yield
    for name in set(os.environ) - set(before):
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture(autouse=True)
def fresh_graph():
    from legacy_towers.compat import tf

    with tf.Graph().as_default() as graph:
        yield graph
    # One that a script left open, as many do, would run the Keras models of later tests.
    left = tf.get_default_session()
    if isinstance(left, tf.InteractiveSession):
        left.close()
