"""Free ports of this machine, which stay reserved until the servers of a cluster listen on them."""
import contextlib
import socket
from typing import Iterator, List


@contextlib.contextmanager
def reserved_addresses(count: int) -> Iterator[List[str]]:
    """Yields `count` addresses "127.0.0.1:PORT" on which other processes can listen while the context lasts.

    The sockets stay bound: a port that was found free and released could go to another process before the server
    listens. They do not listen, and have SO_REUSEADDR, as the sockets of gRPC, which therefore can.
    """
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(contextlib.closing(socket.socket())) for _ in range(count)]
        for each in sockets:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            each.bind(("127.0.0.1", 0))
        yield ["127.0.0.1:{}".format(each.getsockname()[1]) for each in sockets]
