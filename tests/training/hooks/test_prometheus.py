"""The page that Prometheus reads."""
import socket
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from measured_runs import build, run

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, EnvironmentProblem
from legacy_towers.training.hooks.prometheus import PrometheusHook
from legacy_towers.training.metrics import prometheus_port
from legacy_towers.training.metrics.prometheus_port import check_port

parser = pytest.importorskip("prometheus_client.parser")


def page(port):
    return urlopen("http://localhost:{}/metrics".format(port), timeout=20).read().decode("utf-8")


def samples(text):
    """Returns (name, labels) -> value, as Prometheus's own parser reads the page."""
    return {
        (sample.name.replace("legacy_towers_", "", 1), tuple(sorted(sample.labels.items()))): sample.value
        for family in parser.text_string_to_metric_families(text) for sample in family.samples
        if not sample.name.endswith("_created")
    }


class Scrape(tf.train.SessionRunHook):
    """Reads the page at the end of the loop, while it is served."""

    def __init__(self, of):
        self._of = of

    def end(self, session):
        self._of.on_evaluation(6, {"accuracy": 0.5})
        self._of.on_checkpoint(7, "run/model.ckpt-7")
        self.text = page(self._of.port)


def test_the_page_has_the_last_record_and_ends_with_the_session():
    with tf.Graph().as_default():
        step = build()
        hook = PrometheusHook(step, 0, every=3)
        scrape = Scrape(hook)
        run(step, 7, [scrape, hook])
    found = samples(scrape.text)
    saved = found.pop(("checkpoint_timestamp_seconds", ()))
    assert saved > 1e9 and found.pop(("examples_per_second", ())) > 0
    assert 0 <= found.pop(("input_wait_ratio", ())) <= 1
    assert found == {
        ("global_step", ()): 7, ("examples_total", ()): 36, ("loss", ()): 36, ("metric", (("metric", "x"),)): 6,
        ("learning_rate", (("objective", ""),)): 0.5, ("evaluation", (("metric", "accuracy"),)): 0.5,
        ("evaluation_step", ()): 6, ("checkpoint_step", ()): 7,
    }
    with pytest.raises(URLError):
        page(hook.port)


def test_a_port_in_use_is_an_error_before_the_session_and_leaves_no_server():
    with socket.socket() as other, tf.Graph().as_default():
        other.bind(("", 0))
        other.listen(1)
        port = other.getsockname()[1]
        message = r"^the port for Prometheus is {}: the port can't be served \(Address already in use\)".format(port)
        with pytest.raises(ArgumentError, match=message):
            PrometheusHook(build(), port)
    with tf.Graph().as_default():
        hook = PrometheusHook(build(), 0)
        hook.begin()
        with hook, pytest.raises(ArgumentError, match="the port can't be served"):
            check_port("--prometheus-port", hook.port)
        check_port("--prometheus-port", hook.port)  # free again


def test_a_missing_package_is_an_error_that_names_it(monkeypatch):
    monkeypatch.setattr(prometheus_port.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EnvironmentProblem, match="^--prometheus-port needs prometheus_client, which is not installed"):
        check_port("--prometheus-port", 9090)
    with pytest.raises(ArgumentError, match="^--prometheus-port is 70000: a port is a number from 1 to 65535"):
        check_port("--prometheus-port", 70000)


def test_a_failed_run_can_close_the_server():
    with tf.Graph().as_default():
        step = build(steps=2)
        with PrometheusHook(step, 0) as hook:
            with pytest.raises(ZeroDivisionError):
                run(step, 2, [hook, Failing()])
            assert "global_step" in page(hook.port)
        with pytest.raises(URLError):
            page(hook.port)


class Failing(tf.train.SessionRunHook):
    def after_run(self, run_context, run_values):
        raise ZeroDivisionError

