"""Cases of tf.contrib.layers.batch_norm.

To record again, on TensorFlow 1.15, from tests/:

    python -m tf1_cases.contrib.batch_norm_cases
"""
from tf1_cases import recorded_cases


def _image(tf, shape=(4, 3, 3, 2), dtype=None):
    return tf.constant(recorded_cases.values(list(shape), "image", 2.0), dtype=dtype or tf.float32)


def _case(shape=(4, 3, 3, 2), dtype="float32", **options):
    def case(tf):
        image = _image(tf, shape, getattr(tf, dtype))
        given = {name: value(tf) if callable(value) else value for name, value in options.items()}
        return {"out": tf.contrib.layers.batch_norm(image, **given)}

    return case


def _twice(tf):
    image = _image(tf)
    first = tf.contrib.layers.batch_norm(image, scale=True, scope="bn")
    second = tf.contrib.layers.batch_norm(image + 1.0, scale=True, scope="bn", reuse=True)
    return {"first": first, "second": second}


def _fed(value, **options):
    def case(tf):
        return {"out": tf.contrib.layers.batch_norm(
            _image(tf), is_training=tf.placeholder_with_default(value, []), scale=True, **options
        )}  # fmt: skip

    return case


def _collections(tf):
    out = tf.contrib.layers.batch_norm(
        _image(tf), scale=True, scope="bn", outputs_collections="outs",
        variables_collections={"beta": ["b"], "gamma": ["g"], "moving_mean": ["m"], "moving_variance": ["m"]},
    )  # fmt: skip
    names = [variable.name for key in ("b", "g", "m") for variable in tf.get_collection(key)]
    names.extend(variable.name for variable in tf.get_collection(tf.GraphKeys.MODEL_VARIABLES))
    names.append(tf.get_collection("outs")[0].name)
    return {"out": out, "names": tf.constant(",".join(names))}


def _own_updates(tf):
    out = tf.contrib.layers.batch_norm(_image(tf), updates_collections=["mine", "others"], decay=0.5)
    counts = [len(tf.get_collection(key)) for key in ("mine", "others")]
    with tf.control_dependencies(tf.get_collection("mine")):
        return {"out": tf.identity(out), "counts": tf.constant(counts)}


def _in_conv(tf):
    layers = tf.contrib.layers
    with tf.contrib.framework.arg_scope(
        [layers.conv2d, layers.fully_connected],
        normalizer_fn=layers.batch_norm,
        normalizer_params={"decay": 0.9, "scale": True, "updates_collections": None, "is_training": True},
        weights_regularizer=layers.l2_regularizer(0.1),
    ):
        net = layers.conv2d(_image(tf), 3, [3, 3], scope="conv")
        net = layers.fully_connected(layers.flatten(net), 4, scope="fc")
    return {"out": net}


def _scoped(tf):
    layers = tf.contrib.layers
    arg_scope = tf.contrib.framework.arg_scope
    with arg_scope([layers.batch_norm], decay=0.9, epsilon=0.01, is_training=True):
        with arg_scope([layers.conv2d], normalizer_fn=layers.batch_norm, activation_fn=tf.nn.relu6):
            with arg_scope([layers.conv2d, layers.batch_norm], trainable=True):
                net = layers.conv2d(_image(tf), 3, 1, scope="a")
                return {"out": layers.conv2d(net, 2, 1, stride=2, scope="b", normalizer_params={"scale": True})}


def _partitioned(tf):
    with tf.variable_scope("cut", partitioner=tf.fixed_size_partitioner(2)):
        return {"out": tf.contrib.layers.batch_norm(_image(tf), scale=True, updates_collections=None)}


def _initializers(tf):
    starts = {"beta": 0.5, "gamma": 2.0, "moving_mean": 0.25, "moving_variance": 3.0}
    return {
        "out": tf.contrib.layers.batch_norm(
            _image(tf), scale=True, is_training=False,
            param_initializers={name: tf.constant_initializer(value) for name, value in starts.items()},
            param_regularizers={"beta": tf.contrib.layers.l2_regularizer(0.1),
                                "gamma": tf.contrib.layers.l1_regularizer(0.1)},
        )
    }  # fmt: skip


CASES = {
    "default": _case(),
    "scale, not center": _case(scale=True, center=False),
    "neither": _case(center=False),
    "inference": _case(scale=True, is_training=False),
    "inference not fused": _case(scale=True, is_training=False, fused=False),
    "not fused": _case(scale=True, fused=False, decay=0.9),
    "activation": _case(activation_fn=lambda tf: tf.nn.relu),
    "rank 2": _case((6, 3), scale=True, decay=0.8),
    "rank 2 not fused": _case((6, 3), scale=True, fused=False),
    "rank 2 inference": _case((6, 3), scale=True, is_training=False),
    "rank 2 double not fused": _case((6, 3), dtype="float64", fused=False),
    "rank 3": _case((3, 4, 2), scale=True),
    "rank 5": _case((2, 3, 2, 2, 2), scale=True),
    "rank 5 updates at once": _case((2, 3, 2, 2, 2), scale=True, updates_collections=None),
    "channels first not fused": _case((4, 2, 3, 3), scale=True, fused=False, data_format="NCHW"),
    "channels first not fused at once": _case(
        (4, 2, 3, 3), scale=True, fused=False, data_format="NCHW", updates_collections=None
    ),
    "updates at once": _case(scale=True, updates_collections=None, decay=0.9),
    "updates at once not fused": _case(scale=True, updates_collections=None, decay=0.9, fused=False),
    "updates at once inference": _case(updates_collections=None, is_training=False),
    "updates elsewhere": _own_updates,
    "zero debias": _case(zero_debias_moving_mean=True, decay=0.9, scope="bn"),
    "zero debias not fused": _case(zero_debias_moving_mean=True, decay=0.9, fused=False, updates_collections=None),
    "weights": _case(batch_weights=lambda tf: tf.constant([1.0, 0.5, 0.0, 2.0]), scale=True, decay=0.9),
    "weights at once": _case(batch_weights=lambda tf: tf.constant([1.0, 0.5, 0.0, 2.0]), updates_collections=None),
    "weights channels first": _case(
        (4, 2, 3, 3), batch_weights=lambda tf: tf.constant([1.0, 0.5, 0.0, 2.0]), data_format="NCHW", scale=True
    ),
    "not trainable": _case(scale=True, trainable=False),
    "not trainable at once": _case(scale=True, trainable=False, updates_collections=None),
    "training fed true": _fed(True, decay=0.9),
    "training fed false": _fed(False),
    "training fed true not fused": _fed(True, fused=False, decay=0.9),
    "training fed false not fused": _fed(False, fused=False),
    "training fed true at once": _fed(True, updates_collections=None, decay=0.9),
    "training fed false at once": _fed(False, updates_collections=None),
    "training fed true at once not fused": _fed(True, updates_collections=None, fused=False),
    "reuse": _twice,
    "collections": _collections,
    "initializers": _initializers,
    "normalizer of conv": _in_conv,
    "arg scopes": _scoped,
    "partitioned": _partitioned,
    "renorm": _case(renorm=True, scale=True, decay=0.9),
    "renorm clipped": _case(
        renorm=True, renorm_clipping={"rmin": 0.5, "rmax": 1.5, "dmax": 0.5}, renorm_decay=0.8, decay=0.9
    ),
    "renorm inference": _case(renorm=True, is_training=False),
    "renorm channels first": _case((4, 2, 3, 3), renorm=True, scale=True, data_format="NCHW"),
    "adjustment": _case(
        scale=True, adjustment=lambda tf: lambda shape: (tf.fill(shape[-1:], 1.5), tf.fill(shape[-1:], 0.25))
    ),
}


def _with_averages(case):
    """Returns a case whose outputs include the non-trainable variables, read after the other outputs."""

    def whole(tf):
        out = case(tf)
        with tf.control_dependencies(list(out.values())):
            for variable in tf.global_variables():
                if variable not in tf.trainable_variables():
                    out["moved " + variable.op.name] = tf.stop_gradient(tf.identity(variable.read_value()))
        return out

    return whole


CASES = {name: _with_averages(case) for name, case in CASES.items()}


if __name__ == "__main__":
    recorded_cases.record("contrib_batch_norm", CASES)
