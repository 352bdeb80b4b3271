"""A variable getter that applies to every `tf.get_variable` of a graph, after all custom getters."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.versions import variable_store


def suffixed(getter, name, **arguments):
    return getter(name + "/mine", **arguments)


def test_innermost_getter_runs_after_the_custom_getters_of_all_scopes():
    calls = []

    def custom(getter, name, *positional, **arguments):
        calls.append(name)
        return getter(name + "/theirs", *positional, **arguments)

    with tf.variable_scope("made_before", custom_getter=custom) as scope:
        pass
    with variable_store.innermost_getter(tf.get_default_graph(), suffixed):
        with tf.variable_scope(scope):
            first = tf.get_variable("w", [])
        second = tf.get_variable("w", [])
    third = tf.get_variable("w", [])
    names = [str(variable.op.name) for variable in (first, second, third)]
    assert names == ["made_before/w/theirs/mine", "w/mine", "w"]
    assert calls == ["made_before/w"]


def test_innermost_getter_ends_after_an_error_too():
    with tf.variable_scope("any"):
        graph = tf.get_default_graph()
        with pytest.raises(KeyError):
            with variable_store.innermost_getter(graph, suffixed):
                raise KeyError("on purpose")
        assert tf.get_variable("w", []).op.name == "any/w"


def test_known_names_is_known_and_parts_of():
    graph = tf.get_default_graph()
    assert variable_store.known_names(graph) == set()
    whole = tf.get_variable("whole", [])
    table = tf.get_variable("table", [4], partitioner=tf.fixed_size_partitioner(2))
    assert {"whole", "table"} <= variable_store.known_names(graph)
    assert variable_store.is_known(graph, "table") and not variable_store.is_known(graph, "other")
    assert variable_store.parts_of(whole) == [whole]
    assert [part.op.name for part in variable_store.parts_of(table)] == ["table/part_0", "table/part_1"]


@pytest.mark.parametrize("partitioner", [None, tf.fixed_size_partitioner(2)], ids=["whole", "in parts"])
@pytest.mark.parametrize("use_resource", [True, False], ids=["resource", "ref"])
def test_existing_name_is_read_from_the_error(use_resource, partitioner):
    with tf.variable_scope("a", use_resource=use_resource, partitioner=partitioner):
        tf.get_variable("w", [4])
        with pytest.raises(ValueError) as caught:
            tf.get_variable("w", [4])
    assert variable_store.existing_name(caught.value) == "a/w"
    assert variable_store.existing_name(ValueError("the batch size 0 already exists")) is None
