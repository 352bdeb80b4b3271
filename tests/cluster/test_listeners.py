"""A listening socket is restricted to one address by the packet filter, without TensorFlow."""
import contextlib
import socket
import sys

import pytest

from legacy_towers.cluster.listeners import restrict
from legacy_towers.errors import ClusterError

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the packet filter is Linux's")


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


@contextlib.contextmanager
def listening():
    """Yields the port of a socket that listens on all interfaces, as those of TensorFlow's servers do."""
    family, ip = (socket.AF_INET6, "::") if socket.has_ipv6 else (socket.AF_INET, "0.0.0.0")
    with contextlib.closing(socket.socket(family)) as listener:
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind((ip, 0))
        listener.listen(8)
        yield listener.getsockname()[1]


def connects(ip, port):
    with contextlib.closing(socket.socket(socket.AF_INET6 if ":" in ip else socket.AF_INET)) as client:
        client.settimeout(0.3)
        try:
            client.connect((ip, port))
        except OSError:
            return False
        return True


@pytest.mark.parametrize("allowed, reached, dropped", [
    (["127.0.0.1"], ["127.0.0.1"], ["127.0.0.2", "::1"]),
    (["127.0.0.2", "127.0.0.3"], ["127.0.0.2", "127.0.0.3"], ["127.0.0.1"]),
    (["::1"], ["::1"], ["127.0.0.1"]),
    (["127.0.0.1", "::1"], ["127.0.0.1", "::1"], ["127.0.0.2"]),
], ids=["IPv4", "two addresses", "IPv6", "both"])
def test_restrict_drops_what_is_sent_to_other_addresses(allowed, reached, dropped):
    with listening() as port:
        before = [ip for ip in reached + dropped if connects(ip, port)]
        if not set(allowed) <= set(before):
            pytest.skip("this machine has no IPv6")
        restrict(port, allowed)
        assert [ip for ip in before if connects(ip, port)] == [ip for ip in before if ip in reached]


def test_restrict_needs_a_server_of_this_process():
    with listening() as port:
        pass
    with pytest.raises(ClusterError, match="no socket of this process is found that listens on port {}".format(port)):
        restrict(port, ["127.0.0.1"])
