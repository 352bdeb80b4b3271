"""Addresses for the servers of a test's cluster, reserved while the test runs."""
import contextlib
import socket


@contextlib.contextmanager
def held(count):
    """Yields `count` addresses "localhost:PORT" on which the test's servers can listen while the context lasts.

    If a free port were requested and released, another process could get it before the server listens: tests run two
    at a time, and each connection takes a port. So the sockets stay bound. They do not listen, and have SO_REUSEADDR,
    as gRPC's sockets have, so that another socket can listen on the port, but the system does not return it as free.
    """
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(contextlib.closing(socket.socket())) for _ in range(count)]
        for each in sockets:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            each.bind(("localhost", 0))
        yield ["localhost:{}".format(each.getsockname()[1]) for each in sockets]
