"""What a run records besides checkpoints: summaries, metrics.jsonl, Prometheus, traces."""
from typing import NamedTuple, Optional

from legacy_towers.errors import ArgumentError
from legacy_towers.specs.grammar import checked
from legacy_towers.specs.step_numbers import parse_steps
from legacy_towers.training.metrics.prometheus_port import check_port


class MetricsOptions(NamedTuple):
    """What a run records besides checkpoints.

    Attributes:
      summary_every: global steps between two summaries for TensorBoard; 0: none.
      metrics_every: global steps between two lines of metrics.jsonl; 0: none.
      prometheus_port: the port on which metrics are served; None: none.
      trace: the file for the Chrome trace of a step; None: none.
      trace_steps: the global steps that are traced, each into a file of its own, such as "100,200" or "100:103"; None:
        the tenth step of a run, into `trace` itself.
    """

    summary_every: int = 100
    metrics_every: int = 100
    prometheus_port: Optional[int] = None
    trace: Optional[str] = None
    trace_steps: Optional[str] = None

    def checked(self, trace_is_known: bool = True) -> "MetricsOptions":
        """Returns the options.

        Args:
          trace_is_known: whether steps without a file are an error.

        Raises:
          ArgumentError: a value is out of range, or steps are given without a file; the message names the option of the
            command line.
          EnvironmentProblem: prometheus_client is needed and not installed.
        """
        for option, every in (("--summary-every", self.summary_every), ("--metrics-every", self.metrics_every)):
            if isinstance(every, bool) or not isinstance(every, int) or every < 0:
                raise ArgumentError("{} is {!r}: a number of steps is needed, or 0 for none".format(option, every))
        check_port("--prometheus-port", self.prometheus_port)
        if self.trace_steps is not None:
            checked(parse_steps, self.trace_steps, "--trace-steps")
            if self.trace is None and trace_is_known:
                raise ArgumentError("--trace-steps has no effect without --trace FILE")
        return self
