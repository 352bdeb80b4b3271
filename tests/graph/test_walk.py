from legacy_towers.compat import tf
from legacy_towers.graph.walk import ancestors, depends_on, descendants, operations_of


def test_ancestors_follow_data_and_control_inputs():
    fed = tf.placeholder(tf.float32, [], name="fed")
    other = tf.constant(1.0)
    by_data = fed * 2.0
    with tf.control_dependencies([fed]):
        by_control = tf.identity(other)
    assert depends_on(by_data, fed)
    assert depends_on({"a": [other, by_control]}, [fed])
    assert depends_on(fed, fed)
    assert not depends_on([other, tf.no_op()], fed)


def test_global_step_does_not_depend_on_what_trains_it():
    fed = tf.placeholder(tf.float32, [], name="fed")
    step = tf.train.get_or_create_global_step()
    weight = tf.get_variable("weight", [], use_resource=True)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(weight * fed, global_step=step)
    assert depends_on(train, fed)
    assert not depends_on([step, weight], fed)


def test_descendants():
    fed = tf.placeholder(tf.float32, [], name="fed")
    middle = fed * 2.0
    end = middle + 1.0
    with tf.control_dependencies([middle]):
        waits = tf.constant(1.0)
    assert descendants([fed.op]) == {fed.op, middle.op, end.op}
    assert waits.op not in descendants([fed.op]) and descendants([end.op]) == {end.op}


def test_fed_tensors_hide_their_ancestors():
    fed = tf.placeholder(tf.float32, [], name="fed")
    middle = fed * 2.0
    end = middle + 1.0
    assert fed.op in ancestors(end)
    assert fed.op not in ancestors(end, stop_at=[middle])
    assert middle.op in ancestors(end, stop_at=["mul:0"])


def test_fetches_may_be_names_and_composite_tensors():
    values = tf.placeholder(tf.float32, [None], name="values")
    sparse = tf.SparseTensor([[0]], values, [3])
    assert operations_of("values:0") == operations_of(["values"]) == [values.op]
    assert depends_on(sparse, values)


def test_a_deep_graph_needs_no_recursion():
    start = end = tf.constant(0.0)
    for _ in range(3000):
        end = end + 1.0
    assert depends_on(end, start)


def test_a_graph_that_is_not_the_default_one():
    with tf.Graph().as_default() as other:
        fed = tf.placeholder(tf.float32, [], name="fed")
        end = fed * 2.0
    assert operations_of(["fed:0"], other) == [fed.op]
    assert fed.op in ancestors(end, graph=other)
    assert fed.op not in ancestors(end, stop_at=[end], graph=other)
