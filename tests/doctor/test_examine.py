"""Examining graphs, and choosing checks."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.doctor.examine import examine
from legacy_towers.errors import UserError


def queues(folder):
    """Returns a graph with two findings, which reads the files of a pattern, and is not the default graph."""
    with tf.Graph().as_default() as graph:
        names = tf.train.match_filenames_once(str(folder / "*.txt"))
        _, line = tf.TextLineReader().read(tf.train.string_input_producer(names, shuffle=False))
        tf.train.shuffle_batch([line], 8, capacity=4, min_after_dequeue=2)
    return graph


def codes(graphs, **chosen):
    return [each.check.code for each in examine([(graph, None) for graph in graphs], **chosen)]


def test_a_graph_that_is_not_the_default_graph_is_examined_and_stays_as_it_is(tmp_path):
    graph = queues(tmp_path)
    before = graph.as_graph_def(), graph.version
    graph.finalize()
    assert codes([graph]) == ["LD301", "LD302"]
    assert (graph.as_graph_def(), graph.version) == before


def test_a_line_is_reported_once_for_several_graphs(tmp_path):
    assert codes([queues(tmp_path), queues(tmp_path)]) == ["LD301", "LD302"]


@pytest.mark.parametrize("chosen, expected", [
    (dict(select=["LD302"]), ["LD302"]),
    (dict(select=["LD3"]), ["LD301", "LD302"]),
    (dict(ignore=["LD301"]), ["LD302"]),
    (dict(select=["LD3"], ignore=["LD302"]), ["LD301"]),
    (dict(ignore=["LD"]), []),
], ids=str)
def test_select_and_ignore_choose_checks_by_the_beginning_of_their_codes(chosen, expected, tmp_path):
    assert codes([queues(tmp_path)], **chosen) == expected


@pytest.mark.parametrize("code, shown", [
    ("LX", "; see `legacy-towers doctor --explain all`"), ("LD3011", ": the closest are LD301, LD302, LD303; see"),
    ("", "; see"),
])
def test_a_code_that_no_check_has_is_an_error(code, shown):
    with pytest.raises(UserError, match="no check has the code {!r}{}".format(code, shown)):
        codes([], select=[code])
