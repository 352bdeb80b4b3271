"""Restricts a server of this process to one address of its machine.

TensorFlow's server listens on all interfaces, whatever address its ClusterSpec has: "grpc://127.0.0.1:2222" listens on
[::]:2222 too. Seen on 1.15.5 and 2.21: localhost, 127.0.0.1, 127.0.0.2, [::1], the machine's name, 0.0.0.0, [::], and
even a name that does not resolve. TensorFlow has no option for it. On Linux a program of the kernel's packet filter,
attached to the listening socket, drops packets to any other address; a process may attach one to its own sockets
without root rights.
"""
import ctypes
import os
import socket
import struct
import sys
from typing import Dict, List, NamedTuple, Sequence, Tuple

from legacy_towers.errors import ClusterError

_SO_ATTACH_FILTER = 26
_LOAD_WORD, _LOAD_HALF, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x28, 0x15, 0x06
_PROTOCOL = 0xFFFFF000  # SKF_AD_OFF + SKF_AD_PROTOCOL
_NETWORK_HEADER = 0xFFF00000  # SKF_NET_OFF
_IPV4, _IPV6 = 0x0800, 0x86DD
_DESTINATION = {_IPV4: 16, _IPV6: 24}  # its offset in the header
_KEEP, _DROP = 0xFFFFFFFF, 0
_LISTENS = "0A"


class TcpSocket(NamedTuple):
    """A TCP socket of this process.

    Attributes:
      descriptor: the number of the open file.
      port: its local port.
      listens: whether it accepts connections; else it is one.
    """

    descriptor: int
    port: int
    listens: bool


def restrict(port: int, addresses: Sequence[str]) -> None:
    """Drops all packets to the server on `port` of this process that are not sent to one of the IP `addresses`.

    Connections that exist already are restricted too.

    Raises:
      ClusterError: this system can't, or no socket of this process listens on the port.
    """
    sockets = [each for each in tcp_sockets() if each.port == port]
    if not any(each.listens for each in sockets):
        raise ClusterError(
            "no socket of this process is found that listens on port {}, so that the server can't be restricted to "
            "{}. With --allow-any-interface (allow_any_interface=True) it is not restricted".format(
                port, ", ".join(addresses))
        )
    program = filter_program(addresses)
    for each in sockets:
        _attach(each.descriptor, program)


def can_restrict() -> bool:
    """Returns whether this system has the packet filter that `restrict` uses."""
    return sys.platform.startswith("linux") and os.path.exists("/proc/self/net/tcp")


def tcp_sockets() -> List[TcpSocket]:
    """Returns the TCP sockets of this process."""
    by_inode: Dict[str, Tuple[int, bool]] = {}
    for name in ("tcp", "tcp6"):
        path = "/proc/self/net/" + name
        if not os.path.exists(path):  # this machine has no IPv6
            continue
        with open(path) as table:
            for line in table.readlines()[1:]:
                fields = line.split()
                by_inode[fields[9]] = (int(fields[1].rpartition(":")[2], 16), fields[3] == _LISTENS)
    found = []
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink("/proc/self/fd/" + descriptor)
        except OSError:  # closed since it was listed
            continue
        inode = target[len("socket:["):-1] if target.startswith("socket:[") else ""
        if inode in by_inode:
            found.append(TcpSocket(int(descriptor), *by_inode[inode]))
    return found


def filter_program(addresses: Sequence[str]) -> bytes:
    """Returns the program, in classic BPF, that keeps packets to one of the IP addresses and drops all others.

        the protocol is IPv4?  the destination is a?  keep  is b?  keep ...  drop
        the protocol is IPv6?  the 4 words of the destination are those of c?  keep ...  drop
        drop
    """
    program: List[Tuple[int, int, int, int]] = []
    for protocol, family in ((_IPV4, socket.AF_INET), (_IPV6, socket.AF_INET6)):
        blocks: List[Tuple[int, int, int, int]] = []
        for address in addresses:
            if (":" in address) == (family == socket.AF_INET6):
                packed = socket.inet_pton(family, address.partition("%")[0])
                blocks += _keep_if_sent_to(struct.unpack("!{}I".format(len(packed) // 4), packed), protocol)
        blocks.append((_RETURN, 0, 0, _DROP))
        program += [(_LOAD_HALF, 0, 0, _PROTOCOL), (_JUMP_IF_EQUAL, 0, len(blocks), protocol)] + blocks
    program.append((_RETURN, 0, 0, _DROP))
    return b"".join(struct.pack("HBBI", *each) for each in program)


def _keep_if_sent_to(words: Sequence[int], protocol: int) -> List[Tuple[int, int, int, int]]:
    block = []
    for position, word in enumerate(words):
        after = 2 * (len(words) - 1 - position) + 1  # to the end of this block
        block.append((_LOAD_WORD, 0, 0, _NETWORK_HEADER + _DESTINATION[protocol] + 4 * position))
        block.append((_JUMP_IF_EQUAL, 0, after, word))
    return block + [(_RETURN, 0, 0, _KEEP)]


def _attach(descriptor: int, program: bytes) -> None:
    buffer = ctypes.create_string_buffer(program, len(program))
    value = struct.pack("HP", len(program) // 8, ctypes.addressof(buffer))
    try:
        duplicate = socket.socket(fileno=os.dup(descriptor))
    except OSError:  # closed since it was listed
        return
    with duplicate:
        try:
            duplicate.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, value)
        except OSError as error:
            raise ClusterError(
                "the server can't be restricted to its address ({}). With --allow-any-interface "
                "(allow_any_interface=True) it is not restricted".format(error.strerror)
            ) from None
