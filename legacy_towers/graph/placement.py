"""Compares the device on which each op ran with the one that it requested, and warns of moved towers.

The module is not called `placement` because importing it would then hide the function `lt.placement`.
"""
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.session import config_of
from legacy_towers.devices import canonical, matches, short_name
from legacy_towers.errors import ArgumentError
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.names import tower_of
from legacy_towers.text.terminal import FILE, Layout, printed_layout

_PRINTED_STRAYS = 10


@documented_fields
class PlacedOp(NamedTuple):
    """One op of the graph that a run executed.

    Attributes:
      name: its name in the graph.
      type: its type as it ran: an op that grappler folded is a Const.
      asked: the device that the graph requests, e.g. "/device:GPU:0"; "" if none.
      got: where it ran, e.g. "/job:localhost/replica:0/task:0/device:CPU:0".
      tower: the index of its tower; None outside the towers.
      is_stray: whether it ran on another device than the requested one; False for an op that requested none.
    """

    name: str
    type: str
    asked: str
    got: str
    tower: Optional[int]
    is_stray: bool


@documented_fields
class MovedTower(NamedTuple):
    """A tower of which no op ran on the device that it requested.

    Attributes:
      tower: its index.
      asked: the device that its ops requested.
      got: where its ops ran, the most used device first.
    """

    tower: int
    asked: str
    got: List[str]

    def __str__(self) -> str:
        return "tower {} requested {} but ran entirely on {}".format(
            self.tower, short_name(self.asked), " and ".join(short_name(each) for each in self.got)
        )


class Placement:
    """The devices on which one run placed its ops; can be printed.

    It shows the ops that ran after TensorFlow optimized the graph: ops that were folded, fused or pruned are missing
    (such as all that are computed from constants alone), and of equal ops that were merged one remains. The counts are
    of the ops that ran, not of those that were built; a tower without any op here was not placed at all.

    Attributes:
      rows: the ops that ran and are in the graph under the same name.
      added: type -> count of ops that TensorFlow added for the run: sends and receives between devices, arguments,
        what grappler made, and the bodies of functions. The graph requests no device for them, so none is a stray.
    """

    def __init__(self, rows: List[PlacedOp], added: Dict[str, int], devices: Optional[Sequence[str]] = None) -> None:
        self.rows = rows
        self.added = added
        self._devices = devices

    @property
    def strays(self) -> List[PlacedOp]:
        """The ops that ran on another device than the requested one."""
        return [row for row in self.rows if row.is_stray]

    def by_tower(self) -> Dict[Optional[int], List[PlacedOp]]:
        """Returns the ops of each tower, in the order of the towers; last, under None, those outside all towers."""
        towers: Dict[Optional[int], List[PlacedOp]] = {}
        for row in sorted(self.rows, key=lambda row: (row.tower is None, row.tower)):
            towers.setdefault(row.tower, []).append(row)
        return towers

    def moved_towers(self) -> List[MovedTower]:
        """Returns the towers that ran entirely elsewhere: no op that requested the tower's device ran there.

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
        return self.as_text(printed_layout())

    def as_text(self, layout: Layout = FILE) -> str:
        """Returns the summary and the tables, laid out for a terminal or, by default, for a file."""
        return "\n\n".join(part for part in (self._summary(), self._table(layout), self._strays(layout)) if part)

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

    def _table(self, layout: Layout) -> str:
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
        return layout.table(header[first:], [line[first:] for line in lines], "lllr"[first:])

    def _strays(self, layout: Layout) -> str:
        # The summary has a line for each moved tower, so that single strays come first.
        moved = {each.tower for each in self.moved_towers()}
        strays = sorted(self.strays, key=lambda row: row.tower in moved)
        if not self.rows:
            return ""
        if not strays:
            return "no strays: every op that asked for a device got it"
        rows = [[row.name, row.type, short_name(row.asked), short_name(row.got)] for row in strays[:_PRINTED_STRAYS]]
        table = layout.table(["stray op", "type", "asked for", "ran on"], rows)
        rest = len(strays) - _PRINTED_STRAYS
        return table if rest <= 0 else "{}\nand {} more: see .strays".format(table, rest)


def placement(session: Any, fetches: Any, feed_dict: Optional[Dict[Any, Any]] = None) -> Placement:
    """Runs `fetches` once and returns where each op ran and which device it requested.

    The run has its usual effects: a train op trains one step. In a MonitoredSession its hooks run and feed the step.

    Args:
      session: a tf.Session, or a session of tf.train.MonitoredSession.
      fetches: the fetches of `Session.run`.
      feed_dict: the feed_dict of `Session.run`.

    Raises:
      ArgumentError: the session's config disables partition graphs.
    """
    if _partition_graphs_disabled(config_of(session)):
        raise ArgumentError(
            "the session's config sets experimental.disable_output_partition_graphs, and only these graphs "
            "record where ops run: create the session without it"
        )
    metadata = tf.RunMetadata()
    options = tf.RunOptions(output_partition_graphs=True)
    session.run(fetches, feed_dict, options=options, run_metadata=metadata)
    return placement_from(metadata, session.graph)


def placement_from(run_metadata: Any, graph: Any, devices: Optional[Sequence[str]] = None) -> Placement:
    """Returns the placement that a run's metadata records.

    Args:
      run_metadata: a tf.RunMetadata, filled by a run with `tf.RunOptions(output_partition_graphs=True)`.

    Raises:
      ArgumentError: the metadata holds no partition graphs.
    """
    if not run_metadata.partition_graphs:
        raise ArgumentError(
            "the run metadata holds no partition graphs: run with options=tf.RunOptions(output_partition_graphs=True)"
        )
    asked = {op.name: op.device for op in graph.get_operations()}
    # Cached: parsing a device string is the slowest part of this function, and a graph has few different ones.
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

    Without soft placement TensorFlow moves no op, and the hook requests nothing. With it, the first runs return their
    partition graphs until one has run a tower's ops; later steps cost nothing.

    Args:
      devices: one device string per tower; without them a tower's device is the one that most of its ops ask for.
    """

    # The first runs may run no tower, such as one that reads the global step; after this many none is expected.
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
    """Returns (asked, got, number of ops), the most frequent first; those that requested no device last."""
    counts: Dict[Tuple[str, str], int] = {}
    for row in rows:
        counts[row.asked, row.got] = counts.get((row.asked, row.got), 0) + 1
    order = sorted(counts.items(), key=lambda item: (not item[0][0], -item[1], item[0]))
    return [(asked, got, count) for (asked, got), count in order]


def _count(number: int, noun: str) -> str:
    return "{} {}{}".format(number, noun, "" if number == 1 else "s")
