"""Training loops with tf.contrib.distribute in the API of TensorFlow 1.8, of 1.12 and of 1.13, and Keras models.

A case is a function of (tf, devices) that yields numbers. All initial values are constants.
"""
import numpy as np

CPUS = ["/device:CPU:0", "/device:CPU:1"]
INPUTS = np.arange(32, dtype=np.float32).reshape(16, 2) / 16
TARGETS = INPUTS.dot(np.array([[1.0], [-2.0]], np.float32)) + 0.5
KERNEL = np.array([[0.1, -0.2, 0.3], [0.2, 0.1, -0.1]], np.float32)


def numbers(tf, case, cpus=1):
    """Returns the numbers of `case` in a new graph; sessions have `cpus` CPU devices if they don't already."""
    from tensorflow.python.client import session

    before = session.BaseSession.__init__

    def init(self, target="", graph=None, config=None):
        given = tf.ConfigProto()
        if config is not None:
            given.CopyFrom(config)
        given.device_count["CPU"] = cpus
        given.allow_soft_placement = True
        before(self, target, graph, given)

    if cpus > 1:
        session.BaseSession.__init__ = init
    try:
        with tf.Graph().as_default():
            return [float(each) for each in case(tf, CPUS if cpus > 1 else ["/gpu:0", "/gpu:1"])]
    finally:
        session.BaseSession.__init__ = before


def mirrored(tf, devices):
    """Returns a MirroredStrategy; by default, 1.12 prefetches elements to its devices in an order that varies."""
    options = {"prefetch_on_device": False} if tf.VERSION.startswith("1.12") else {}
    return tf.contrib.distribute.MirroredStrategy(devices, **options)


def dataset(tf, batch=2):
    return tf.data.Dataset.from_tensor_slices((INPUTS, TARGETS)).repeat().batch(batch)


def linear(tf, inputs, optimizer):
    """Returns (loss, train op) of a linear model."""
    features, labels = inputs
    weight = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer(0.1))
    bias = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(labels, tf.matmul(features, weight) + bias)
    return loss, optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())


def run_steps(tf, fetches, steps=5, final=()):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for _ in range(steps):
            for value in session.run(fetches):
                yield value
        for value in session.run(list(final)):
            for each in np.ravel(value):
                yield each


def loop_of_1_8(tf, devices):
    strategy = tf.contrib.distribute.MirroredStrategy(devices, prefetch_on_device=False)
    with strategy.scope():
        iterator = strategy.distribute_dataset(dataset(tf))

        def step(inputs):
            loss, train_op = linear(tf, inputs, tf.train.MomentumOptimizer(0.05, 0.9))
            with tf.control_dependencies([train_op]):
                return tf.identity(loss)

        losses = strategy.call_for_each_tower(step, iterator.get_next())
        mean = strategy.unwrap(strategy.reduce("mean", losses, destinations="/device:CPU:0"))[0]
        fetches = [mean] + list(strategy.unwrap(losses))
        values = [strategy.fetch(each) for each in tf.trainable_variables()]
    return run_steps(tf, fetches, final=values)


def sum_of_losses_of_1_8(tf, devices):
    to_one = tf.contrib.distribute.ReductionToOneDeviceCrossTowerOps()
    strategy = tf.contrib.distribute.MirroredStrategy(devices, None, to_one)
    with strategy.scope():
        iterator = strategy.distribute_dataset(dataset(tf, 16))

        def step(features, labels):
            weight = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer(0.1))
            errors = tf.losses.mean_squared_error(labels, tf.matmul(features, weight), reduction="weighted_sum")
            train_op = tf.train.GradientDescentOptimizer(0.01).minimize(errors)
            with tf.control_dependencies([train_op]):
                return tf.identity(errors)

        losses = strategy.call_for_each_tower(step, *iterator.get_next(), run_concurrently=False)
        total = strategy.unwrap(strategy.reduce(method_string="sum", value=losses))[0]
    return run_steps(tf, [total])


def contexts_of_1_8(tf, devices):
    distribute = tf.contrib.distribute
    strategy = distribute.MirroredStrategy(devices)
    seen = []
    with strategy.scope():
        seen.append(distribute.get_cross_tower_context() is strategy and distribute.get_tower_context() is None)

        def step(number):
            context = distribute.get_tower_context()
            with strategy.tower_local_var_scope("mean"):
                local = tf.get_variable("local", [], initializer=tf.zeros_initializer())
            shared = tf.get_variable("shared", [], initializer=tf.constant_initializer(3.0))

            def merge(distribution, value, factor):
                mean = distribution.reduce("mean", value, destinations=shared_variable())
                both = distribution.batch_reduce("sum", [(value, shared_variable())])
                update = distribution.update(shared_variable(), lambda v, d: v.assign_add(d), mean)
                with tf.control_dependencies([distribution.group(update)]):
                    return distribution.unwrap(both[0])[0] * factor

            def shared_variable():
                return [each for each in tf.global_variables() if each.name == "shared:0"][0]

            total = context.merge_call(merge, tf.constant(float(context.tower_id) + number), factor=2.0)
            seen.extend([context.tower_id, context.num_towers, context.is_single_tower])
            count = local.assign_add(float(context.tower_id) * 4.0 + 1.0)
            return total, count, shared.read_value()

        totals, counts, _ = strategy.call_for_each_tower(step, 5.0)
        by_name = {each.op.name: each for each in tf.global_variables()}
        broadcast = strategy.unwrap(strategy.broadcast(tf.constant(7.0)))
        finals = [strategy.fetch(by_name["shared"]), strategy.fetch(by_name["local"]), strategy.fetch(
            by_name["shared"], fn=lambda value: value * 2.0)]
        fetches = [strategy.unwrap(totals)[0]] + list(strategy.unwrap(counts)) + list(broadcast)
        sizes = [strategy.num_towers, strategy.is_single_tower, len(strategy.worker_devices),
                 len(strategy.parameter_devices), len(strategy.non_slot_devices([]))]
    return seen + sizes + list(run_steps(tf, fetches, 2, finals))


def loop_of_1_12(tf, devices):
    strategy = tf.contrib.distribute.MirroredStrategy(devices, prefetch_on_device=False, auto_shard_dataset=True,
                                                      cross_tower_ops=tf.contrib.distribute.AllReduceCrossTowerOps(
                                                          "hierarchical_copy", num_packs=2))
    with strategy.scope():
        iterator = strategy.distribute_dataset(lambda: dataset(tf, 4)).make_initializable_iterator()

        def step(features, labels):
            hidden = tf.layers.dense(features, 3, tf.nn.tanh, kernel_initializer=tf.constant_initializer(KERNEL))
            out = tf.layers.dense(hidden, 1, kernel_initializer=tf.constant_initializer([0.3, 0.1, -0.2]))
            count = tf.get_variable("count", [], tf.float32, tf.zeros_initializer(), trainable=False,
                                    synchronization=tf.VariableSynchronization.ON_READ,
                                    aggregation=tf.VariableAggregation.SUM)
            loss = tf.reduce_mean(tf.square(out - labels))
            optimizer = tf.train.AdamOptimizer(0.02)
            train_op = optimizer.apply_gradients(optimizer.compute_gradients(loss))
            with tf.control_dependencies([train_op, count.assign_add(4.0)]):
                return tf.identity(loss)

        losses = strategy.call_for_each_tower(step, *iterator.get_next())
        mean = strategy.unwrap(strategy.reduce(tf.VariableAggregation.MEAN, losses, "/device:CPU:0"))[0]
        first = strategy.reduce(tf.VariableAggregation.ONLY_FIRST_TOWER, losses, destinations=devices[0])
        count = [each for each in tf.global_variables() + tf.local_variables() if each.name.startswith("count")][0]
        read = strategy.read_var(count)
        fetches = [mean, strategy.unwrap(first)[0]] + list(strategy.unwrap(losses))
        mapped = strategy.unwrap(strategy.map([1.0, 2.0, 3.0], lambda each, add: tf.constant(each) + add, 1.0))
        fetches += [each for part in mapped for each in part.get()]
        with tf.Session() as session:
            session.run([strategy.initialize(), iterator.initializer])
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            for _ in range(5):
                for value in session.run(fetches):
                    yield value
            yield session.run(read)
            session.run(strategy.finalize())


def one_device_of_1_12(tf, devices):
    strategy = tf.contrib.distribute.OneDeviceStrategy(devices[0], prefetch_on_device=False)
    with strategy.scope():
        iterator = strategy.distribute_dataset(lambda: dataset(tf, 4)).make_one_shot_iterator()

        def step(features, labels):
            context = tf.contrib.distribute.get_tower_context()
            loss, train_op = linear(tf, (features, labels), tf.train.AdagradOptimizer(0.1))

            def merge(distribution, value):
                return distribution.reduce(tf.VariableAggregation.SUM, value, distribution.worker_devices[0])

            with tf.control_dependencies([train_op]):
                return context.merge_call(merge, tf.identity(loss)), tf.constant(context.tower_id)

        losses, towers = strategy.call_for_each_tower(step, *iterator.get_next())
        weight = [each for each in tf.trainable_variables() if each.name == "b:0"][0]
        update = strategy.group(strategy.update(weight, lambda each, value: each.assign_add([value]), 0.125))
        fetches = list(strategy.unwrap(losses)) + list(strategy.unwrap(towers))
        fetches += [float(strategy.num_towers), float(strategy.is_single_tower), len(strategy.worker_devices)]
        fetches = [tf.convert_to_tensor(each) for each in fetches]
        values = [strategy.read_var(each) for each in tf.trainable_variables()]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(4):
                for value in session.run(fetches):
                    yield value
                session.run(update)
            for value in session.run(values):
                for each in np.ravel(value):
                    yield each


def several_steps_of_1_12(tf, devices):
    strategy = tf.contrib.distribute.MirroredStrategy(devices)
    with strategy.scope():
        iterator = strategy.distribute_dataset(lambda: dataset(tf, 16)).make_one_shot_iterator()

        def steps(context, features, labels):
            def step(features, labels):
                loss, train_op = linear(tf, (features, labels), tf.train.GradientDescentOptimizer(0.1))
                with tf.control_dependencies([train_op]):
                    context.set_last_step_output("loss", tf.identity(loss), aggregation=tf.VariableAggregation.MEAN)
                return train_op

            return strategy.group(strategy.call_for_each_tower(step, features, labels))

        context = strategy.run_steps_on_dataset(steps, iterator, iterations=3,
                                                initial_loop_values={"loss": tf.constant(1e7)})
        with tf.control_dependencies([context.run_op]):
            loss = tf.identity(context.last_step_outputs["loss"])
        values = [strategy.read_var(each) for each in tf.trainable_variables()]
    return run_steps(tf, [loss], 2, values)


def single_loss_step_of_1_12(tf, devices):
    distribute = tf.contrib.distribute
    strategy = distribute.MirroredStrategy(devices)

    def loss(context, features, labels):
        weight = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer(0.1))
        return tf.reduce_mean(tf.square(tf.matmul(features, weight) - labels))

    with strategy.scope():
        step = distribute.StandardSingleLossStep(lambda: dataset(tf, 16), loss,
                                                 tf.train.GradientDescentOptimizer(0.05), strategy, 2)
        with tf.Session() as session:
            distribute.Monitor(step, session).run_steps(3)
            for value in session.run([strategy.read_var(each) for each in tf.trainable_variables()]):
                for each in np.ravel(value):
                    yield each


def loop_of_1_13(tf, devices):
    strategy = tf.contrib.distribute.MirroredStrategy(devices)
    with strategy.scope():
        iterator = strategy.make_dataset_iterator(dataset(tf, 4))
        assert tf.contrib.distribute.get_replica_context() is None

        def step(inputs):
            loss, train_op = linear(tf, inputs, tf.train.GradientDescentOptimizer(0.05))
            with tf.control_dependencies([train_op]):
                return tf.identity(loss)

        losses = strategy.call_for_each_replica(step, iterator.get_next())
        mean = strategy.reduce(tf.distribute.ReduceOp.MEAN, losses)
        fetches = [mean] + list(strategy.unwrap(losses))
        values = [strategy.read_var(each) for each in tf.trainable_variables()]
        with tf.Session() as session:
            session.run([strategy.experimental_initialize(), iterator.initialize()])
            session.run(tf.global_variables_initializer())
            for _ in range(5):
                for value in session.run(fetches):
                    yield value
            for value in session.run(values):
                for each in np.ravel(value):
                    yield each
            session.run(strategy.experimental_finalize())


def input_functions_of_1_14(tf, devices):
    strategy = tf.distribute.MirroredStrategy(devices)
    contexts = []

    def input_fn(context):
        contexts.append(context)
        return dataset(tf, context.get_per_replica_batch_size(8))

    with strategy.scope():
        iterator = strategy.make_input_fn_iterator(input_fn)
        split = strategy.make_dataset_iterator(dataset(tf, 8))

        def step(inputs):
            loss, train_op = linear(tf, inputs, tf.train.GradientDescentOptimizer(0.05))
            with tf.control_dependencies([train_op]):
                return tf.identity(loss), tf.cast(tf.shape(inputs[0])[0], tf.float32)

        losses, sizes = strategy.experimental_run(step, iterator)
        sums = strategy.experimental_run(lambda inputs: tf.reduce_sum(inputs[0]), split)
        fetches = list(strategy.experimental_local_results(losses)) + list(strategy.unwrap(sizes))
        fetches += [strategy.reduce(tf.distribute.ReduceOp.SUM, sums, axis=None)]
        fetches += list(strategy.experimental_local_results(sums))
        yield from_context(contexts[0])
        with tf.Session() as session:
            session.run([iterator.initialize(), split.initialize(), tf.global_variables_initializer()])
            for _ in range(4):
                for value in session.run(fetches):
                    yield value


def from_context(context):
    return context.num_input_pipelines + 10 * context.input_pipeline_id + 100 * context.num_replicas_in_sync


def keras_model(tf):
    constant = tf.keras.initializers.Constant
    return tf.keras.Sequential([
        tf.keras.layers.Dense(3, activation="tanh", input_shape=(2,), kernel_initializer=constant(0.2)),
        tf.keras.layers.Dense(1, kernel_initializer=constant(0.5)),
    ])


def keras_compiled_with_a_strategy(tf, devices):
    strategy = mirrored(tf, devices)
    model = keras_model(tf)
    model.compile(tf.train.MomentumOptimizer(0.05, 0.9), "mse", distribute=strategy)
    for value in model.fit(dataset(tf, 4), epochs=3, steps_per_epoch=2, verbose=0).history["loss"]:
        yield value
    yield model.evaluate(dataset(tf, 4), steps=2, verbose=0)
    for value in model.get_weights():
        yield np.sum(value)


def keras_in_a_scope(tf, devices):
    strategy = tf.distribute.MirroredStrategy(devices)
    with strategy.scope():
        model = keras_model(tf)
        model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    history = model.fit(INPUTS, TARGETS, batch_size=8, epochs=3, shuffle=False, verbose=0).history
    for value in history["loss"]:
        yield value
    for value in model.evaluate(INPUTS, TARGETS, batch_size=8, verbose=0):
        yield value
    yield np.sum(model.predict(INPUTS, batch_size=8))
    for value in model.get_weights():
        yield np.sum(value)


# Case -> (function, versions whose API it has).
CASES = {
    "loop of 1.8": (loop_of_1_8, ["1.8"]),
    "sum of losses of 1.8": (sum_of_losses_of_1_8, ["1.8"]),
    "contexts of 1.8": (contexts_of_1_8, ["1.8"]),
    "loop of 1.12": (loop_of_1_12, ["1.12"]),
    "one device of 1.12": (one_device_of_1_12, ["1.12"]),
    "several steps of 1.12": (several_steps_of_1_12, ["1.12"]),
    "single loss step of 1.12": (single_loss_step_of_1_12, ["1.12"]),
    "loop of 1.13": (loop_of_1_13, ["1.13"]),
    "input functions of 1.14": (input_functions_of_1_14, ["1.14"]),
    "keras compiled with a strategy": (keras_compiled_with_a_strategy, ["1.12", "1.13", "1.14"]),
    "keras in a scope": (keras_in_a_scope, ["1.14"]),
}
