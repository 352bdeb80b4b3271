"""Addresses for the servers of a test's cluster, which no other process is given meanwhile."""
import contextlib
import socket


@contextlib.contextmanager
def held(count):
    """Gives `count` addresses "localhost:PORT" on which the test's servers can listen while the context lasts.

    A port that was asked for and let go again may be given to anybody before the server listens on it: the tests run
    two at a time, and each connection takes a port. So the sockets stay bound. They do not listen, and have
    SO_REUSEADDR, as gRPC's have: by that the system lets one other socket listen there, but gives the port to none
    that asks for any free one.
    """
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(contextlib.closing(socket.socket())) for _ in range(count)]
        for each in sockets:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            each.bind(("localhost", 0))
        yield ["localhost:{}".format(each.getsockname()[1]) for each in sockets]
