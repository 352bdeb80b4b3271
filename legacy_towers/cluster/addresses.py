"""Addresses of tasks, "host:port": their syntax, what their host resolves to, and whether this machine can use them."""
import contextlib
import errno
import ipaddress
import re
import socket
from typing import Any, List, NamedTuple

from legacy_towers.errors import ClusterError

_CONNECT_SECONDS = 1.0
_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.%\w]+\]|[^\[\]:/\s]+):(\d{1,5})$")


class Address(NamedTuple):
    """Where a server listens.

    Attributes:
      host: a name, an IPv4 address, or an IPv6 address without brackets.
      port: 1 to 65535.
    """

    host: str
    port: int

    @property
    def is_wildcard(self) -> bool:
        """Whether the host means all interfaces of a machine, as 0.0.0.0 and [::] do."""
        try:
            return ipaddress.ip_address(self.host).is_unspecified
        except ValueError:
            return self.host == "*"

    def __str__(self) -> str:
        return ("[{}]:{}" if ":" in self.host else "{}:{}").format(self.host, self.port)


def parse_address(text: str, where: str) -> Address:
    """Returns the address that `text` is, with its host in lower case.

    Args:
      where: what the address is of, for messages, such as "TF_CONFIG: worker:1".

    Raises:
      ClusterError: it is not "host:port".
    """
    match = _ADDRESS.match(text) if isinstance(text, str) else None
    if match is None or not 0 < int(match.group(2)) < 65536:
        raise ClusterError(
            "{} has the address {!r}: it must be a host and a port from 1 to 65535, such as 'node1:2222' or "
            "'[fe80::1]:2222'".format(where, text)
        )
    host, percent, interface = match.group(1).strip("[]").partition("%")
    # Case does not matter in names of hosts, but in those of network interfaces.
    return Address(host.lower() + percent + interface, int(match.group(2)))


def resolve(address: Address, where: str) -> List[str]:
    """Returns the IP addresses of a host, without duplicates.

    Raises:
      ClusterError: the host does not resolve.
    """
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ClusterError(
            "{} is at {}, and the host {!r} does not resolve on this machine ({}): correct its name, add it to "
            "/etc/hosts, or give its IP address".format(where, address, address.host, _reason(error))
        ) from None
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def is_local(ip: str) -> bool:
    """Returns whether an IP address is one of this machine's."""
    with contextlib.closing(_socket_for(ip)) as tried:
        try:
            tried.bind((ip, 0))
        except OSError:
            return False
    return True


def is_loopback(ip: str) -> bool:
    """Returns whether an IP address can be reached from its own machine only, as 127.0.0.1."""
    return ipaddress.ip_address(ip.split("%")[0]).is_loopback


def check_port_is_free(address: Address, where: str) -> None:
    """Raises ClusterError if another socket of this machine listens on the port.

    TensorFlow's servers listen on IPv4 and IPv6: a port that is used on either is in use.
    """
    for family, ip in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
        try:
            tried = socket.socket(family, socket.SOCK_STREAM)
        except OSError:  # this machine has no IPv6
            continue
        with contextlib.closing(tried):
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                tried.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                tried.bind((ip, address.port))
                tried.listen(1)
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    raise port_in_use(address, where) from None
                if error.errno in (errno.EACCES, errno.EPERM):
                    raise ClusterError(
                        "{} is to listen on {}, and this user may not listen on port {}: choose one from 1024 "
                        "on".format(where, address, address.port)
                    ) from None
                if error.errno != errno.EADDRNOTAVAIL:
                    raise


def port_in_use(address: Address, where: str) -> ClusterError:
    """Returns the error for a port on which something listens already."""
    return ClusterError(
        "{} is to listen on {}, and port {} of this machine is in use: end what listens there (`ss -ltnp` lists it; is "
        "it an earlier run?), or choose another port".format(where, address, address.port)
    )


def _socket_for(ip: str) -> socket.socket:
    return socket.socket(socket.AF_INET6 if ":" in ip else socket.AF_INET, socket.SOCK_STREAM)


def _reason(error: Any) -> str:
    return str(getattr(error, "strerror", None) or error)


def is_refused(text: str) -> bool:
    """Returns whether nothing listens at an address "host:port" of a machine that can be reached.

    A process that is stopped, or that has no time to answer, still listens; one that has ended does not.
    """
    address = parse_address(text, "a task")
    try:
        socket.create_connection((address.host, address.port), _CONNECT_SECONDS).close()
    except ConnectionRefusedError:
        return True
    except OSError:  # it does not resolve, or can't be reached in time
        return False
    return False
