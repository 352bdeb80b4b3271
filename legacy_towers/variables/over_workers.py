"""The strategies of a cluster's workers, by the names that they have in one process."""
from typing import Any, Optional, Sequence

from legacy_towers.cluster.parameter_servers import server_devices
from legacy_towers.cluster.value import Cluster
from legacy_towers.specs.strategies import parse_strategy
from legacy_towers.variables import Asynchronous, Balanced, ParameterServer, Partitioned, Strategy
from legacy_towers.variables.named import as_strategy


def strategy_over_workers(value: Any, devices: Sequence[str], cluster: Optional[Cluster]) -> Strategy:
    """Returns a strategy unchanged, or creates one from a spec: what it places is on the parameter servers.

        parameter_server     the first server        asynchronous            its variables as by default
        balanced             all of them, by bytes   asynchronous+balanced   all of them, by bytes
        partitioned:1MiB     parts over all of them

    Args:
      value: a strategy, a spec or None: "parameter_server", or "balanced" over several servers.
      devices: one device string per tower: what a cluster without parameter servers, and one process, place it on.
      cluster: None for one process.

    Raises:
      ArgumentError: `value` is none of these.
    """
    if cluster is None or not cluster.parameter_servers or isinstance(value, Strategy):
        return as_strategy(value, devices)
    servers = server_devices(cluster)
    default = Balanced(servers) if len(servers) > 1 else ParameterServer(servers[0])
    if value is None:
        return default
    strategy = as_strategy(value, servers)
    calls = parse_strategy(value)
    if "device" not in calls[-1].options and calls[-1].name == "parameter_server":
        # The device that the name has in one process is the host's.
        inner: Strategy = ParameterServer(servers[0])
        for call in reversed(calls[:-1]):
            inner = Asynchronous(inner) if call.name == "asynchronous" else Partitioned(inner, **dict(call.options))
        return inner
    return Asynchronous(default) if len(calls) == 1 and calls[0].name == "asynchronous" else strategy
