"""Jobs and networks of known costs, and links that send message by message, for the tests of predictions."""
import heapq
import itertools

from legacy_towers.scaling.values import JobCosts, Message, Network, RuntimeCosts, VariableCosts

NO_COSTS = RuntimeCosts(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, "2.21.0")
RUNTIME = RuntimeCosts(3e-4, 2e-4, 1.2e-9, 2e-3, 2e-3, 3e-4, 1.6e-4, 2.5e-10, 5e-10, "2.21.0")
SLOW, FAST = Network(10e6, 1e-4, 1e9), Network(3e9, 5e-5, 1e9)


def job(sizes, ready=None, compute=0.1, update=0.0, cpu=0.0, towers=1):
    ready = ready or [1.0] * len(sizes)
    variables = [
        VariableCosts("v{}".format(number), size, size, size, size, when)
        for number, (size, when) in enumerate(zip(sizes, ready))
    ]
    return JobCosts(towers, 32 * towers, compute, update, cpu, variables, [
        Message(size, when) for size, when in zip(sizes, ready)
    ])


class Links:
    """One outgoing link per machine, which sends what is given to it in the order in which it was given."""

    def __init__(self, network):
        self.network = network
        self.free = {}
        self.events = []
        self._number = itertools.count()

    def at(self, time, action):
        heapq.heappush(self.events, (time, next(self._number), action))

    def send(self, time, machine, size, arrived):
        free = max(time, self.free.get(machine, 0.0)) + size / self.network.bandwidth
        self.free[machine] = free
        self.at(free + self.network.latency, arrived)

    def run(self):
        last = 0.0
        while self.events:
            last, _, action = heapq.heappop(self.events)
            action(last)
        return last
