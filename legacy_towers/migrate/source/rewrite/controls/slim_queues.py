"""`with slim.queues.QueueRunners(session):` starts all queue runners while its body runs: the body stays.

    with slim.queues.QueueRunners(sess):        sess.run(train_op)
        sess.run(train_op)
    with tf.Session() as sess, \\                with tf.Session() as sess:
            slim.queues.QueueRunners(sess):
"""
from typing import Any, Sequence

import libcst as cst

from legacy_towers.migrate.source.rewrite.controls.files import ControlFile
from legacy_towers.migrate.source.values import Site

NAME = "tf.contrib.slim.queues.QueueRunners"


def remove_queue_runners(file: ControlFile, controls: Sequence[Site]) -> None:
    """Removes the context managers that start queue runners.

    Args:
      file: the file.
      controls: the calls that start queues which are all rewritten.
    """
    for call in file.calls(NAME):
        item = file.source.parents[call]
        if not isinstance(item, cst.WithItem) or item.asname is not None:
            continue
        if not all(site in controls for site in file.sites(call)):
            continue
        statement = file.source.parents[item]
        if len(statement.items) == 1:
            file.changes.unwrap(statement)
        else:
            index = list(statement.items).index(item)
            file.changes.change(statement, _without_item(index))


def _without_item(index: int) -> Any:
    def changed(node: cst.With) -> cst.With:
        items = [each for number, each in enumerate(node.items) if number != index]
        items[-1] = items[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return node.with_changes(items=items)

    return changed
