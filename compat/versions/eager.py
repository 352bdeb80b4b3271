"""Whether TensorFlow has TF2 behaviour on, and whether its eager runtime has started."""


def is_tf2_behaviour() -> bool:
    """Returns whether TF2 behaviour or eager execution is on, by default or by the user's own call."""
    # Private: `tf.executing_eagerly()` is False inside a `tf.Graph().as_default()`, whatever the process does.
    # Tried on 1.15, 2.13, 2.16 and 2.21.
    from tensorflow.python import tf2
    from tensorflow.python.eager import context

    return bool(tf2.enabled()) or context.default_execution_mode == context.EAGER_MODE


def has_started() -> bool:
    """Returns whether eager operations have run or logical devices were listed, which can't be undone."""
    # Private: public functions that report this start the runtime. Tried on 1.15, 2.13, 2.16 and 2.21.
    from tensorflow.python.eager import context

    existing = context.context_safe()
    return (
        context.default_execution_mode == context.EAGER_MODE
        and existing is not None
        and bool(existing._initialized)
    )
