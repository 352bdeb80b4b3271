"""Examines a MetaGraph file, without running it."""
from typing import List, Sequence

from legacy_towers.compat import tf
from legacy_towers.doctor.examine import Finding, examine
from legacy_towers.errors import UserError
from legacy_towers.text.messages import first_line


def examine_file(path: str, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> List[Finding]:
    """Returns what the checks find in the MetaGraph at `path`; those that need session runs find nothing.

    Raises:
      UserError: the file can't be imported, or a code is that of no check.
    """
    with tf.Graph().as_default() as graph:
        try:
            tf.train.import_meta_graph(path, clear_devices=False)
        except (tf.errors.OpError, ValueError, KeyError, OSError) as error:
            raise UserError("{!r} can't be imported as a MetaGraph: {}".format(path, first_line(error))) from error
        if not graph.get_operations():
            raise UserError("{!r} can't be imported as a MetaGraph: it has no operations".format(path))
        return examine([(graph, None)], select, ignore)
