"""Machines with slow links on this one: network namespaces, rates by tc, latency by a program between them.

    with Links(3, bandwidth=12.5e6, latency=0.01) as links:       # bytes per second, seconds one way
        subprocess.run(links.inside(0) + ["python", "client.py", links.address(1)])

    machine 0 --- tbf ---> switch ---> relay ---> switch --- tbf ---> machine 1

Each machine is a namespace with a pair of virtual interfaces, whose two ends have a token bucket filter each: one for
what the machine sends, one for what it receives. The switch is a namespace too; where there is a latency, it routes
each packet through a TUN device, and the relay, this file as a program, writes it back after that time, or drops it.
`links.cut(1)` and `links.join(1)` take machine 1 off the network and back. Needs root, Linux, `ip` and `tc`; not the
kernel module netem.
"""
import argparse
import collections
import fcntl
import os
import random
import select
import struct
import subprocess
import sys
import time

MTU = 9000  # fewer packets for the relay than with 1500
BURST = 2 * MTU  # bytes that may pass at once
QUEUE = 64 << 20  # bytes that wait for a link: none is dropped
# Only the links limit a connection. One that paused keeps its window, as networks of data centres are configured. BBR,
# the default of some machines, paces what follows a pause: 66 kB took 36 ms more than the latency of 100 ms. A
# connection has at most its buffer on the way: 4 MB, the default, are 168 Mbit/s at 100 ms.
SYSTEM = (
    ("tcp_slow_start_after_idle", 0), ("tcp_congestion_control", "reno"), ("tcp_wmem", "4096 16777216 67108864"),
    ("tcp_rmem", "4096 16777216 67108864"),
)
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000


class Links:
    """A context manager: `machines` namespaces, whose links have a bandwidth and a latency.

    Attributes:
      machines: how many.
    """

    def __init__(self, machines, bandwidth, latency=0.0, dropped=0.0):
        """
        Args:
          bandwidth: of each link, in bytes per second.
          latency: one way, in seconds.
          dropped: the share of the packets that get lost.
        """
        if os.geteuid() != 0:
            raise SystemExit("emulated links are network namespaces: run this as root")
        self.machines = machines
        self._bandwidth, self._latency, self._dropped = bandwidth, latency, dropped
        self._name = "lt{}".format(os.getpid())
        self._relay = None

    def address(self, machine):
        """Returns the IP address of a machine."""
        return "10.77.{}.1".format(machine)

    def inside(self, machine):
        """Returns the words that run what follows them on a machine."""
        return ["ip", "netns", "exec", self._namespace(machine)]

    def sent(self, machine):
        """Returns how many bytes a machine has sent and received."""
        found = self._output(machine, "cat", "/sys/class/net/lan/statistics/tx_bytes",
                             "/sys/class/net/lan/statistics/rx_bytes")
        return sum(int(line) for line in found.split())

    def cut(self, machine):
        """Takes a machine off the network; connections stay open, and nothing refuses a new one."""
        self._run("switch", "ip link set to{} down".format(machine))

    def join(self, machine):
        """Takes it back."""
        self._run("switch", "ip link set to{} up".format(machine))

    def _namespace(self, machine):
        return "{}-{}".format(self._name, machine)

    def _output(self, machine, *words):
        return subprocess.check_output(self.inside(machine) + list(words), universal_newlines=True)

    def _run(self, machine, text):
        subprocess.check_call(self.inside(machine) + text.split())

    def __enter__(self):
        try:
            self._create()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _create(self):
        for machine in ["switch"] + list(range(self.machines)):
            subprocess.check_call(["ip", "netns", "add", self._namespace(machine)])
            self._run(machine, "ip link set lo up")
            for name, value in SYSTEM:
                subprocess.check_call(self.inside(machine) + ["sysctl", "-qw", "net.ipv4.{}={}".format(name, value)])
        self._run("switch", "sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 "
                            "net.ipv4.conf.default.rp_filter=0")
        for machine in range(self.machines):
            self._run("switch", "ip link add to{0} mtu {1} type veth peer name lan mtu {1} netns {2}".format(
                machine, MTU, self._namespace(machine)
            ))
            self._run("switch", "ip addr add 10.77.{0}.254/24 dev to{0}".format(machine))
            self._run("switch", "ip link set to{} up".format(machine))
            self._run(machine, "ip addr add {}/24 dev lan".format(self.address(machine)))
            self._run(machine, "ip link set lan up")
            self._run(machine, "ip route add default via 10.77.{}.254".format(machine))
            for where, device in (("switch", "to{}".format(machine)), (machine, "lan")):
                self._run(where, "tc qdisc add dev {} root tbf rate {}bit burst {} limit {}".format(
                    device, int(8 * self._bandwidth), BURST, QUEUE
                ))
        if self._latency or self._dropped:
            self._delay()

    def _delay(self):
        self._relay = subprocess.Popen(
            self.inside("switch") + [sys.executable, os.path.abspath(__file__), "--relay", repr(self._latency),
                                     "--dropped", repr(self._dropped)],
            stdout=subprocess.PIPE,
        )
        if self._relay.stdout.readline() != b"ready\n":
            raise RuntimeError("the relay ended")
        self._run("switch", "ip link set delay mtu {} txqueuelen 100000".format(MTU))
        self._run("switch", "ip link set delay up")
        self._run("switch", "ip route add default dev delay table 100")
        for machine in range(self.machines):
            self._run("switch", "ip rule add iif to{} lookup 100".format(machine))

    def __exit__(self, *error):
        if self._relay is not None:
            self._relay.kill()
            self._relay.wait()
        for machine in ["switch"] + list(range(self.machines)):
            subprocess.call(["ip", "netns", "del", self._namespace(machine)], stderr=subprocess.DEVNULL)


def relay(seconds, dropped):
    """Writes each packet back that it reads from the TUN device "delay", `seconds` later, without end, or drops it."""
    chance = random.Random(0)
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH", b"delay", _IFF_TUN | _IFF_NO_PI))
    print("ready", flush=True)
    waiting = collections.deque()
    while True:
        left = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        readable, _, _ = select.select([device], [], [], left)
        now = time.monotonic()
        while readable:
            try:
                packet = os.read(device, 65536)
                if chance.random() >= dropped:
                    waiting.append((now + seconds, packet))
            except BlockingIOError:
                break
        while waiting and waiting[0][0] <= time.monotonic():
            try:
                os.write(device, waiting.popleft()[1])
            except OSError:  # nobody is there yet
                pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--relay", type=float, required=True)
    parser.add_argument("--dropped", type=float, default=0.0)
    options = parser.parse_args()
    relay(options.relay, options.dropped)
