"""Checks early that metrics can be served to Prometheus: the package is there and the port is free."""
import importlib.util
import socket
from typing import Optional

from legacy_towers.errors import ArgumentError, EnvironmentProblem


def check_port(option: str, port: Optional[int]) -> None:
    """Checks that a port can be served; None is not checked.

    Args:
      option: what names the port, for the error.

    Raises:
      ArgumentError: it is not a port, or it is in use.
      EnvironmentProblem: prometheus_client is not installed.
    """
    if port is None:
        return
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise ArgumentError(
            "{} is {!r}: a port is a number from 1 to 65535, or 0 for any free one".format(option, port)
        )
    if importlib.util.find_spec("prometheus_client") is None:
        raise EnvironmentProblem("{} needs prometheus_client, which is not installed: pip install "
                                 "prometheus_client".format(option))
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError as error:
            raise in_use(option, port, error) from None


def in_use(option: str, port: int, error: OSError) -> ArgumentError:
    """Returns the error for a port that can't be served."""
    return ArgumentError("{} is {}: the port can't be served ({}); choose another one".format(
        option, port, error.strerror or error
    ))
