"""Where each op ran against where it was asked to: `placement(session, fetches)`, and the warning of a moved tower.

The module is not called `placement` because importing it would then hide the function `lt.placement`.
"""
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.session import config_of
from legacy_towers.devices import canonical, matches, short_name
from legacy_towers.errors import ArgumentError
from legacy_towers.names import tower_of
from legacy_towers.tables import format_table

_PRINTED_STRAYS = 10


class PlacedOp(NamedTuple):
    """One op of the graph that a run executed."""

    name: str
    type: str  # as it ran: an op that grappler folded is a Const
    asked: str  # the device that the graph asks for, e.g. "/device:GPU:0"; "" if none
    got: str  # where it ran, e.g. "/job:localhost/replica:0/task:0/device:CPU:0"
    tower: Optional[int]  # None outside the towers
    is_stray: bool  # whether it ran elsewhere than asked; an op that asked for no device never is a stray


class MovedTower(NamedTuple):
    """A tower that ran wholly elsewhere than it was asked to."""

    tower: int
    asked: str
    got: List[str]  # where its ops ran, the most used device first

    def __str__(self) -> str:
        return "tower {} was asked on {} but ran wholly on {}".format(
            self.tower, short_name(self.asked), " and ".join(short_name(each) for each in self.got)
        )


class Placement:
    """What one run placed where; print it.

    It shows the ops that ran, after TensorFlow optimized the graph: what it folded, fused or pruned away is missing
    (all that is computed from constants alone, for one), and of equal ops that it merged one shows. So the counts are
    of what ran, not of what was built, and a tower without any op here was not placed at all.

    Attributes:
      rows: the ops that ran and are in the graph under the same name.
      added: type -> count of ops that TensorFlow added for the run: sends and receives between devices, arguments,
        what grappler made, and the bodies of functions. The graph asks no device for them, so none is a stray.
    """

    def __init__(self, rows: List[PlacedOp], added: Dict[str, int], devices: Optional[Sequence[str]] = None) -> None:
        self.rows = rows
        self.added = added
        self._devices = devices

    @property
    def strays(self) -> List[PlacedOp]:
        """The ops that ran on another device than the one asked for."""
        return [row for row in self.rows if row.is_stray]

    def by_tower(self) -> Dict[Optional[int], List[PlacedOp]]:
        """Returns the ops of each tower, in the order of the towers; last, under None, those outside all towers."""
        towers: Dict[Optional[int], List[PlacedOp]] = {}
        for row in sorted(self.rows, key=lambda row: (row.tower is None, row.tower)):
            towers.setdefault(row.tower, []).append(row)
        return towers

    def moved_towers(self) -> List[MovedTower]:
        """Returns the towers that ran wholly elsewhere: no op that asked for the tower's device got it.

        Where the towers' devices are not known, a tower's device is the one that most of its ops ask for: some ask for
        another, such as the reads of variables on a parameter server.
        """
        moved = []
        for tower, rows in self.by_tower().items():
            if tower is None:
                continue
            device = self._device_of(tower, rows)
            own = [row for row in rows if device and row.asked and matches(device, row.asked)]
            if own and all(row.is_stray for row in own):
                moved.append(MovedTower(tower, device, _most_frequent(row.got for row in own)))
        return moved

    def _device_of(self, tower: int, rows: List[PlacedOp]) -> str:
        if self._devices is not None and tower < len(self._devices):
            return canonical(self._devices[tower])
        asked = _most_frequent(row.asked for row in rows if row.asked)
        return asked[0] if asked else ""

    def __str__(self) -> str:
        return "\n\n".join(part for part in (self._summary(), self._table(), self._strays()) if part)

    def _summary(self) -> str:
        if not self.rows:
            return "no op of the graph ran as such; TensorFlow ran {} of its own: {}".format(
                sum(self.added.values()), self._added_kinds()
            )
        moved = [str(each) for each in self.moved_towers()]
        strays = len(self.strays)
        free = sum(not row.asked for row in self.rows)
        asked = len(self.rows) - free
        lines = [
            "{} ran: {} of the {} that asked for a device got it, {} asked for none".format(
                _count(len(self.rows), "op"), asked - strays, asked, free
            )
        ]
        if self.added:
            lines.append("{} more, added by TensorFlow: {}".format(sum(self.added.values()), self._added_kinds()))
        return "\n".join(lines + moved)

    def _added_kinds(self) -> str:
        kinds = sorted(self.added.items(), key=lambda kind: (-kind[1], kind[0]))
        listed = ", ".join("{} {}".format(count, kind.lstrip("_")) for kind, count in kinds[:4])
        return listed + (" and others" if len(kinds) > 4 else "")

    def _table(self) -> str:
        if not self.rows:
            return ""
        towers = self.by_tower()
        grouped = any(tower is not None for tower in towers)
        lines = []
        for tower, rows in towers.items():
            title = "shared" if tower is None else str(tower)
            for asked, got, count in _counted(rows):
                moved = "" if matches(asked, got) else " (moved)"
                lines.append([title, short_name(asked) or "any", short_name(got) + moved, count])
                title = ""
        header = ["tower", "asked for", "ran on", "ops"]
        first = 0 if grouped else 1
        return format_table(header[first:], [line[first:] for line in lines], "lllr"[first:])

    def _strays(self) -> str:
        # A tower that moved whole has been told in one line: single strays come first.
        moved = {each.tower for each in self.moved_towers()}
        strays = sorted(self.strays, key=lambda row: row.tower in moved)
        if not self.rows:
            return ""
        if not strays:
            return "no strays: every op that asked for a device got it"
        rows = [[row.name, row.type, short_name(row.asked), short_name(row.got)] for row in strays[:_PRINTED_STRAYS]]
        table = format_table(["stray op", "type", "asked for", "ran on"], rows)
        rest = len(strays) - _PRINTED_STRAYS
        return table if rest <= 0 else "{}\nand {} more: see .strays".format(table, rest)


def placement(session: Any, fetches: Any, feed_dict: Optional[Dict[Any, Any]] = None) -> Placement:
    """Runs `fetches` once and returns where each op ran, beside the device that it was asked on.

    It is a real run: a train op trains one step. In a MonitoredSession the hooks run with it, and feed it.

    Args:
      session: a tf.Session, or a MonitoredSession or its kin.
      fetches: what `Session.run` takes.
      feed_dict: what `Session.run` takes.

    Raises:
      ArgumentError: the session's config disables partition graphs.
    """
    if _partition_graphs_disabled(config_of(session)):
        raise ArgumentError(
            "the session's config sets experimental.disable_output_partition_graphs, and only they tell where ops "
            "run: make the session without it"
        )
    metadata = tf.RunMetadata()
    options = tf.RunOptions(output_partition_graphs=True)
    session.run(fetches, feed_dict, options=options, run_metadata=metadata)
    return placement_from(metadata, session.graph)


def placement_from(run_metadata: Any, graph: Any, devices: Optional[Sequence[str]] = None) -> Placement:
    """Returns the placement that a run's metadata tells.

    Args:
      run_metadata: a tf.RunMetadata, filled by a run with `tf.RunOptions(output_partition_graphs=True)`.
      graph: the tf.Graph that ran; it says which device each op asked for.
      devices: the devices of the towers, where they are known.

    Raises:
      ArgumentError: the metadata holds no partition graphs.
    """
    if not run_metadata.partition_graphs:
        raise ArgumentError(
            "the run metadata holds no partition graphs: run with options=tf.RunOptions(output_partition_graphs=True)"
        )
    asked = {op.name: op.device for op in graph.get_operations()}
    # Reading a device string takes longer than everything else here, and a graph has few different ones.
    known: Dict[Tuple[str, str], Tuple[str, bool]] = {}
    rows = []
    added: Dict[str, int] = {}
    for partition in run_metadata.partition_graphs:
        for node in partition.node:
            if node.name not in asked:
                added[node.op] = added.get(node.op, 0) + 1
                continue
            pair = asked[node.name], node.device
            if pair not in known:
                known[pair] = canonical(pair[0]), not matches(*pair)
            device, is_stray = known[pair]
            rows.append(PlacedOp(node.name, node.op, device, node.device, tower_of(node.name), is_stray))
    return Placement(rows, added, devices)


class PlacementWarningHook(tf.train.SessionRunHook):
    """Warns once, at the first run, of each tower that soft placement moved whole to another device.

    Without soft placement TensorFlow refuses to move anything, and the hook asks for nothing. With it, the first runs
    return their partition graphs until one has run a tower's ops; after that a step costs nothing more.

    Args:
      devices: one device string per tower; without them a tower's device is the one that most of its ops ask for.
    """

    # A first run may be of other things, such as reading the global step; but none of many may have towers at all.
    _MOST_RUNS = 10

    def __init__(self, devices: Optional[Sequence[str]] = None) -> None:
        self._devices = devices
        self._runs_left = self._MOST_RUNS

    def before_run(self, run_context: Any) -> Optional[Any]:
        if not self._runs_left:
            return None
        if self._runs_left == self._MOST_RUNS and not self._can_look(run_context.session):
            self._runs_left = 0
            return None
        return tf.train.SessionRunArgs(None, options=tf.RunOptions(output_partition_graphs=True))

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if not self._runs_left:
            return
        self._runs_left -= 1
        found = placement_from(run_values.run_metadata, run_context.session.graph, self._devices)
        if all(row.tower is None for row in found.rows):
            return
        self._runs_left = 0
        moved = found.moved_towers()
        if moved:
            warnings.warn(
                "{} (soft placement): ask for devices that exist, lt.devices.available() lists them".format(
                    "; ".join(str(each) for each in moved)
                ),
                stacklevel=2,
            )

    @staticmethod
    def _can_look(session: Any) -> bool:
        config = config_of(session)
        if config is None or not config.allow_soft_placement:
            return False
        if _partition_graphs_disabled(config):
            warnings.warn(
                "the session's config allows soft placement and sets experimental.disable_output_partition_graphs: "
                "whether a tower ran elsewhere than asked can't be seen",
                stacklevel=2,
            )
            return False
        return True


def _partition_graphs_disabled(config: Optional[Any]) -> bool:
    # The field is younger than TF 1.15, which always gives partition graphs.
    return config is not None and getattr(config.experimental, "disable_output_partition_graphs", False)


def _most_frequent(devices: Any) -> List[str]:
    counts: Dict[str, int] = {}
    for device in devices:
        counts[device] = counts.get(device, 0) + 1
    return sorted(counts, key=lambda device: -counts[device])


def _counted(rows: Sequence[PlacedOp]) -> List[Tuple[str, str, int]]:
    """Returns (asked, got, number of ops), the most frequent first; those that asked for no device last."""
    counts: Dict[Tuple[str, str], int] = {}
    for row in rows:
        counts[row.asked, row.got] = counts.get((row.asked, row.got), 0) + 1
    order = sorted(counts.items(), key=lambda item: (not item[0][0], -item[1], item[0]))
    return [(asked, got, count) for (asked, got), count in order]


def _count(number: int, noun: str) -> str:
    return "{} {}{}".format(number, noun, "" if number == 1 else "s")
