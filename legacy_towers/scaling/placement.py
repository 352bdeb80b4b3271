"""Where the variables of a job are, over a number of parameter servers, as the strategies place them."""
from typing import List, NamedTuple, Sequence

from legacy_towers.scaling.values import VariableCosts


class ServerLoad(NamedTuple):
    """What one worker reads from one parameter server, and sends to it, in each step.

    Attributes:
      variables: the variables, or the parts of them, in order of creation.
    """

    variables: List[VariableCosts]

    @property
    def read_bytes(self) -> float:
        """What one tower reads."""
        return sum(each.read_bytes for each in self.variables)

    @property
    def index_bytes(self) -> float:
        """The indices that one tower sends to read rows."""
        return sum(each.index_bytes for each in self.variables)

    @property
    def sent_bytes(self) -> float:
        """The gradients that one worker sends."""
        return sum(each.sent_bytes for each in self.variables)

    @property
    def tower_sent_bytes(self) -> float:
        """The gradients that one tower sends that trains asynchronously."""
        return sum(each.tower_sent_bytes for each in self.variables)


def on_servers(variables: Sequence[VariableCosts], servers: int, max_part_bytes: float = 0) -> List[ServerLoad]:
    """Returns the load of each server: each variable goes to the one with the fewest bytes so far.

    So does `lt.variables.Balanced`, in order of creation, and with one server `ParameterServer`. These
    need the operations of a graph; tests/scaling/test_placement.py compares them with this.

    Args:
      max_part_bytes: larger variables are split into equal parts first, where `lt.variables.Partitioned` splits
        between rows; 0: none is.
    """
    placed: List[List[VariableCosts]] = [[] for _ in range(servers)]
    filled = [0.0] * servers
    for variable in variables:
        count = max(1, int(-(-variable.bytes // max_part_bytes))) if max_part_bytes else 1
        for _ in range(count):
            part = variable._replace(
                bytes=variable.bytes / count, read_bytes=variable.read_bytes / count,
                sent_bytes=variable.sent_bytes / count, tower_sent_bytes=variable.tower_sent_bytes / count,
                index_bytes=variable.index_bytes / count,
            )
            server = filled.index(min(filled))
            placed[server].append(part)
            filled[server] += part.bytes
    return [ServerLoad(each) for each in placed]


def has_lookups(loads: Sequence[ServerLoad]) -> bool:
    """Returns whether rows are read by indices, which a worker sends first."""
    return any(load.index_bytes for load in loads)
