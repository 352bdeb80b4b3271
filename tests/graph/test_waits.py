"""Which group of operations waits for another."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.graph.waits import find_waits


def chain(name, start, length=4):
    made = [tf.identity(start, name=name + "0")]
    while len(made) < length:
        made.append(tf.identity(made[-1], name="{}{}".format(name, len(made))))
    return made


def operations(tensors):
    return [each.op for each in tensors]


def test_shares_and_the_first_operation_that_waits():
    first = chain("a", tf.constant(1.0))
    second = chain("b", first[-1])
    third = chain("c", tf.constant(1.0), 2)
    with tf.control_dependencies([first[2]]):
        third += chain("d", third[-1], 2)
    groups = {"one": operations(first), "two": operations(second), "three": operations(third)}
    found = find_waits(groups)
    assert [(each.group, each.before, each.share, each.done, each.by_control) for each in found] == [
        ("two", "one", 1.0, 1.0, False), ("three", "one", 0.5, 0.75, True)]
    assert (found[0].operation.name, found[0].waits_for.name) == ("b0", "a3")
    assert (found[1].operation.name, found[1].waits_for.name) == ("d0", "a2")
    assert str(found[1]) == "50% of the operations of three run only after 75% of those of one: 'd0' waits for 'a2' " \
        "(a control input)"
    assert [each.group for each in find_waits(groups, least=0.6)] == ["two"]


def test_a_group_that_waits_for_the_beginning_of_another_is_left_out():
    first = chain("a", tf.constant(1.0))
    assert find_waits({"one": operations(first), "two": operations(chain("b", first[0]))}) == []


def test_groups_that_wait_for_each_other_are_left_out():
    first = chain("a", tf.constant(1.0))
    second = chain("b", first[0])
    first += chain("c", second[-1])
    assert find_waits({"one": operations(first), "two": operations(second)}) == []


@pytest.mark.parametrize("groups", [{}, {"one": []}], ids=["no group", "an empty group"])
def test_without_operations_nothing_waits(groups):
    assert find_waits(groups) == []


def test_what_waits_for_a_loop_that_reads_a_group():
    first = chain("a", tf.constant(1.0))
    loop = tf.while_loop(lambda i: i < 3.0, lambda i: i + first[-1], [tf.constant(0.0)])
    second = chain("b", loop)
    (found,) = find_waits({"one": operations(first), "two": operations(second)})
    assert (found.group, found.share) == ("two", 1.0)
