"""Starts the tf.train.Server of this process, reachable under its own address only."""
from typing import Any, List, Optional

from legacy_towers.cluster.addresses import (
    Address,
    check_port_is_free,
    is_local,
    is_loopback,
    parse_address,
    resolve,
)
from legacy_towers.cluster.listeners import can_restrict, restrict
from legacy_towers.cluster.value import Cluster
from legacy_towers.cluster.worker_config import of_server
from legacy_towers.compat import tf
from legacy_towers.errors import ClusterError
from legacy_towers.tensor_types import ConfigProto


def start_server(cluster: Cluster, config: Optional[ConfigProto] = None, allow_any_interface: bool = False) -> Any:
    """Returns the started tf.train.Server of this process.

    A server can't be stopped: it ends with the process. Anyone who reaches its port can run any operation in it.

    Args:
      cluster: the tasks, and which of them this process is.
      config: the devices of the server, such as `lt.session_config(logical_cpus=2)`; its device filters are those of
        sessions, not of the server.
      allow_any_interface: whether the server may be reached under all addresses of this machine; else packets to
        others than its own are dropped, which only Linux can.

    Raises:
      ClusterError: a host doesn't resolve, the address is not one of this machine, the port is in use, or the server
        can't be restricted to its address.
    """
    where = str(cluster.task)
    own = parse_address(cluster.address, where)
    ips = own_addresses(cluster, allow_any_interface)
    check_port_is_free(own, where)
    try:
        server = tf.train.Server(
            cluster.to_cluster_spec(), job_name=cluster.task_type, task_index=cluster.task_index,
            config=None if config is None else of_server(config), start=False,
        )
    except tf.errors.OpError as error:
        # Another process can have taken the port since it was checked.
        check_port_is_free(own, where)
        raise ClusterError("{} can't start its server on {}: {}".format(where, own, error)) from None
    if not allow_any_interface:
        # Before `start`, so that until then no request is answered; after it, for who connected in between.
        restrict(own.port, ips)
        server.start()
        restrict(own.port, ips)
    else:
        server.start()
    return server


def own_addresses(cluster: Cluster, allow_any_interface: bool) -> List[str]:
    """Returns the IP addresses of this machine under which the task is to be reached.

    Raises:
      ClusterError: a host of the cluster doesn't resolve, or none of the own addresses is one of this machine, or only
        this machine could reach it while others must.
    """
    for task in cluster.connected_tasks:
        address = parse_address(cluster.address_of(task), str(task))
        if address.is_wildcard:
            raise ClusterError(
                "{} has the address {}, all interfaces of its machine, to which no other task can connect: give the "
                "machine's name or address".format(task, address)
            )
    found = {task: resolve(parse_address(cluster.address_of(task), str(task)), str(task))
             for task in cluster.connected_tasks}
    own = parse_address(cluster.address, str(cluster.task))
    if allow_any_interface:
        return found[cluster.task]
    if not can_restrict():
        raise ClusterError(
            "TensorFlow's server listens on all interfaces of a machine, whatever its address, and only Linux can "
            "restrict it to {}: give --allow-any-interface (allow_any_interface=True) if nobody else can connect "
            "in the network".format(own)
        )
    local = [ip for ip in found[cluster.task] if is_local(ip)]
    if not local:
        raise ClusterError(
            "this process is {} at {}{}, which is not an address of this machine: start each task on its own machine, "
            "or give --allow-any-interface (allow_any_interface=True) if packets to it are redirected to this "
            "machine".format(cluster.task, own, _resolved(own, found[cluster.task]))
        )
    others = [task for task, ips in found.items() if not all(is_loopback(ip) for ip in ips)]
    if others and all(is_loopback(ip) for ip in local):
        raise ClusterError(
            "{} is at {}{}, where only this machine can reach it, and {} at {} can't: give its address in the network, "
            "or correct /etc/hosts".format(
                cluster.task, own, _resolved(own, local), others[0], cluster.address_of(others[0])
            )
        )
    return local


def _resolved(address: Address, ips: List[str]) -> str:
    """Returns what the name of a host stands for, such as " (10.0.0.1)"; "" for an IP address."""
    return "" if ips == [address.host] else " ({})".format(", ".join(ips))
