"""Serves the state of training to Prometheus, over HTTP."""
import socketserver
import threading
import time
from typing import Any, Mapping, Optional
from wsgiref import simple_server

from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import Session
from legacy_towers.training.callbacks import Callback
from legacy_towers.training.hooks.measuring import Measures, MeasuringHook
from legacy_towers.training.metrics.prometheus_port import check_port, in_use

_OPTION = "the port for Prometheus"


class PrometheusHook(MeasuringHook, Callback):
    """Serves metrics on http://HOST:PORT/metrics, from the start of the session to its end.

        legacy_towers_global_step                      legacy_towers_checkpoint_step
        legacy_towers_examples_total                   legacy_towers_checkpoint_timestamp_seconds
        legacy_towers_loss                             legacy_towers_evaluation{metric="accuracy"}
        legacy_towers_metric{metric="accuracy"}        legacy_towers_evaluation_step
        legacy_towers_learning_rate{objective=""}      legacy_towers_examples_per_second
        legacy_towers_input_wait_ratio                 legacy_towers_skipped_records

    The step and the skipped records, which are there if bad ones are skipped, are those of the moment; the others are
    of the last record. Evaluations and checkpoints are known where the hook is also among the callbacks, which
    `lt.training.session` sees to.

    The server has its own registry. It ends in `end`, or in `close` after an error; the hook is a context manager that
    closes it.

    Args:
      step: the train step, of the default graph.
      port: the TCP port; 0: any free one.
      every: global steps between two records.
      address: the address to listen on; "": all of the machine's.

    Attributes:
      port: the port that is served; that of the argument before the session starts.

    Raises:
      ArgumentError: an argument is out of range, or the port is in use.
      EnvironmentProblem: prometheus_client is not installed.
    """

    def __init__(self, step: TrainStep, port: int, every: int = 10, address: str = "") -> None:
        super().__init__(step, every)
        check_port(_OPTION, port)
        import prometheus_client  # not at the top: an extra

        self.port = port
        self._address = address
        self._server: Optional[Any] = None
        self._recorded: Optional[int] = None
        self._registry = registry = prometheus_client.CollectorRegistry()

        def gauge(name: str, text: str, *labels: str) -> Any:
            return prometheus_client.Gauge("legacy_towers_" + name, text, labels, registry=registry)

        gauge("global_step", "The global step.").set_function(lambda: self._step)
        self._examples = prometheus_client.Counter(
            "legacy_towers_examples", "Examples that this run has trained on.", registry=registry
        )
        self._loss = gauge("loss", "The loss over all towers.")
        self._metric = gauge("metric", "The mean of a metric over all towers.", "metric")
        self._learning_rate = gauge("learning_rate", "The learning rate.", "objective")
        self._speed = gauge("examples_per_second", "Examples per second of all towers.")
        self._input_wait = gauge("input_wait_ratio", "The share of the time in which steps wait for input.")
        if step.input.skipped is not None:
            gauge("skipped_records", "Bad records that this run has skipped.").set_function(
                lambda skipped=step.input.skipped: skipped.count
            )
        self._evaluation = gauge("evaluation", "The last evaluation.", "metric")
        self._evaluation_step = gauge("evaluation_step", "The global step of the last evaluation.")
        self._checkpoint_step = gauge("checkpoint_step", "The global step of the last checkpoint of this run.")
        self._checkpoint_time = gauge("checkpoint_timestamp_seconds", "When the last checkpoint was complete.")

    def __enter__(self) -> "PrometheusHook":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def begin(self) -> None:
        super().begin()
        if self._server is not None:
            return
        import prometheus_client

        application = prometheus_client.make_wsgi_app(self._registry)
        try:
            self._server = simple_server.make_server(
                self._address, self.port, application, server_class=_Server, handler_class=_Handler
            )
        except OSError as error:
            raise in_use(_OPTION, self.port, error) from error
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.1,), name="prometheus", daemon=True).start()

    def record(self, measures: Measures, values: Mapping[str, Any]) -> None:
        if self._recorded is not None and self._examples_per_step is not None:
            self._examples.inc((measures.step - self._recorded) * self._examples_per_step)
        self._recorded = measures.step
        self._loss.set(measures.loss)
        for name, value in measures.metrics.items():
            self._metric.labels(name).set(value)
        for name, rate in measures.learning_rates.items():
            self._learning_rate.labels(name).set(rate)
        if measures.examples_per_second is not None:
            self._speed.set(measures.examples_per_second)
        if measures.input_wait is not None:
            self._input_wait.set(measures.input_wait)

    def after_create_session(self, session: Session, coord: Any) -> None:
        super().after_create_session(session, coord)
        self._recorded = self._step

    def on_evaluation(self, step: int, metrics: Mapping[str, float]) -> None:
        """Takes an evaluation."""
        self._evaluation_step.set(step)
        for name in metrics:
            self._evaluation.labels(name).set(metrics[name])

    def on_checkpoint(self, step: int, path: str) -> None:
        """Takes a checkpoint that is complete."""
        self._checkpoint_step.set(step)
        self._checkpoint_time.set(time.time())

    def end(self, session: Session) -> None:
        self.close()

    def close(self) -> None:
        """Ends the server; nothing if there is none."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()


class _Server(socketserver.ThreadingMixIn, simple_server.WSGIServer):
    """Answers each request in a thread of its own, so that a slow one stops no other."""

    daemon_threads = True


class _Handler(simple_server.WSGIRequestHandler):
    """Logs no requests."""

    def log_message(self, format: str, *arguments: Any) -> None:
        pass

    def address_string(self) -> str:
        return str(self.client_address[0])  # the base class can ask a name server
