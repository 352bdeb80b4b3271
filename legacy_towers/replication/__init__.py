"""Trains a graph that was built for one device on several towers.

    replicated = lt.replicate_graph([train_op, loss], lt.devices.cpus(2))
    print(replicated.plan)
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        ...
        replicated.run(session, [train_op, loss], {images: batch})

`legacy-towers run --towers N SCRIPT` does it for a script, unchanged.
"""
