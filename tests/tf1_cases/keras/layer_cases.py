"""Cases of tf.layers, as in scripts.

To record them again, on TensorFlow 1.15, from tests/: python -m tf1_cases.keras.layer_cases
"""
from tf1_cases.recorded_cases import module, values


def _image(tf, channels=3):
    return tf.constant(values((2, 6, 6, channels), "image"))


def _row(tf, width=5):
    return tf.constant(values((4, width), "row"))


def dense_functions(tf):
    with tf.variable_scope("net"):
        first = tf.layers.dense(_row(tf), 4, activation=tf.nn.relu, name="fc1",
                                kernel_initializer=tf.truncated_normal_initializer(stddev=0.1),
                                bias_initializer=tf.constant_initializer(0.1))
        second = tf.layers.dense(first, 3, use_bias=False)
        third = tf.layers.dense(inputs=second, units=2)
    return {"first": first, "third": third}


def regularized(tf):
    l2 = tf.nn.l2_loss
    out = tf.layers.dense(_row(tf), 3, kernel_regularizer=l2, bias_regularizer=l2, activity_regularizer=l2)
    conv = tf.layers.conv2d(_image(tf), 2, 3, kernel_regularizer=lambda w: 0.1 * tf.nn.l2_loss(w))
    return {"out": out, "conv": conv, "loss": tf.losses.get_regularization_loss()}


def scopes_reused(tf):
    outs = {}
    for tower in range(2):
        with tf.device("/cpu:0"), tf.name_scope("tower_%d" % tower):
            with tf.variable_scope("model", reuse=tower > 0):
                x = tf.layers.conv2d(_image(tf), 2, [3, 3], padding="same", name="conv",
                                     kernel_regularizer=tf.nn.l2_loss)
                x = tf.layers.batch_normalization(x, training=True)
                outs["tower%d" % tower] = tf.layers.dense(tf.layers.flatten(x), 3)
    return outs


def auto_reuse(tf):
    def net(x):
        with tf.variable_scope("generator", reuse=tf.AUTO_REUSE):
            x = tf.layers.dense(x, 4, tf.nn.leaky_relu, name="a")
            return tf.layers.dense(x, 4, tf.tanh)

    one = net(_row(tf))
    return {"one": one, "two": net(_row(tf) * 2.0), "again": tf.layers.dense(one, 4, name="x", reuse=tf.AUTO_REUSE)}


def convolutions(tf):
    image = _image(tf)
    one = tf.layers.conv1d(image[:, 0], 4, 3, strides=2, padding="SAME", activation=tf.sigmoid)
    two = tf.layers.conv2d(image, 4, (3, 3), strides=(2, 2), dilation_rate=1, name="two")
    three = tf.layers.conv3d(tf.expand_dims(image, 3), 2, 2, padding="same")
    deconv = tf.layers.conv2d_transpose(image, 2, 3, strides=2, padding="same", activation=tf.nn.relu)
    deconv3 = tf.layers.conv3d_transpose(tf.expand_dims(image, 3), 2, 2, strides=(1, 1, 1))
    separable = tf.layers.separable_conv2d(image, 4, 3, depth_multiplier=2, name="sep")
    separable1 = tf.layers.separable_conv1d(image[:, 0], 4, 3)
    dilated = tf.layers.conv2d(image, 2, 2, dilation_rate=(2, 2), use_bias=False)
    return {"one": one, "two": two, "three": three, "deconv": deconv, "deconv3": deconv3, "separable": separable,
            "separable1": separable1, "dilated": dilated}


def old_aliases(tf):
    image = _image(tf)
    convolutional = module("tensorflow.python.layers.convolutional")
    normalization = module("tensorflow.python.layers.normalization")
    core = module("tensorflow.python.layers.core")
    x = convolutional.convolution2d(image, 2, 3)
    x = convolutional.deconv2d(x, 2, 3)
    x = normalization.batch_norm(x, training=True)
    x = module("tensorflow.python.layers.pooling").max_pool2d(x, 2, 2)
    x = tf.layers.Conv2D(2, 1)(x)
    return {"out": core.fully_connected(core.flatten(x), 3), "layer": tf.layers.Flatten()(x)}


def pooling(tf):
    image = _image(tf)
    return {
        "max": tf.layers.max_pooling2d(image, pool_size=[2, 2], strides=2),
        "mean": tf.layers.average_pooling2d(image, 3, 1, padding="same"),
        "max1": tf.layers.max_pooling1d(image[:, 0], 2, 2),
        "mean1": tf.layers.average_pooling1d(image[:, 0], 2, 2),
        "max3": tf.layers.max_pooling3d(tf.expand_dims(image, 3), [2, 2, 1], 1),
        "mean3": tf.layers.average_pooling3d(tf.expand_dims(image, 3), [2, 2, 1], 1),
        "class": tf.layers.MaxPooling2D(2, 2)(image),
    }


def batch_norms(tf):
    image = _image(tf)
    training = tf.constant(True)
    return {
        "train": tf.layers.batch_normalization(image, training=True, momentum=0.5),
        "test": tf.layers.batch_normalization(image, training=False, name="test"),
        "tensor": tf.layers.batch_normalization(image, training=training, momentum=0.7, epsilon=1e-5),
        "row": tf.layers.batch_normalization(_row(tf), training=training, momentum=0.9, scale=False),
        "unfused": tf.layers.batch_normalization(image, training=True, fused=False, center=False),
        "frozen": tf.layers.batch_normalization(image, training=True, trainable=False),
    }


def batch_norm_fed(tf):
    training = tf.placeholder_with_default(True, shape=[])
    x = tf.layers.conv2d(_image(tf), 3, 3, use_bias=False)
    x = tf.nn.relu(tf.layers.batch_normalization(x, training=training, name="bn"))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return {"out": tf.identity(x)}


def batch_renorm(tf):
    clipping = {"rmax": 3.0, "rmin": 0.3, "dmax": 5.0}
    return {
        "renorm": tf.layers.batch_normalization(
            _row(tf), training=True, renorm=True, renorm_clipping=clipping, renorm_momentum=0.9
        )
    }


def dropouts(tf):
    row = _row(tf)
    off = tf.layers.dropout(row, 0.5, training=False)
    rows = tf.layers.dropout(tf.ones([4, 5]), rate=0.5, noise_shape=[4, 1], training=tf.constant(False))
    return {"off": off, "rows": rows, "class": tf.layers.Dropout(rate=1e-9)(row, training=True)}


def classes(tf):
    dense = tf.layers.Dense(3, activation=tf.tanh, name="shared")
    first, second = dense(_row(tf)), dense(_row(tf) + 1.0)
    conv = tf.layers.Conv2D(filters=2, kernel_size=3, _scope="conv_scope")
    image = conv(_image(tf))
    scope = tf.constant([1.0 * len(conv.scope_name), 1.0 * len(dense.name)])
    norm = tf.layers.BatchNormalization(axis=-1)
    normed = norm.apply(image, training=True)
    return {"first": first, "second": second, "kernel": tf.identity(dense.kernel), "image": normed, "scope": scope,
            "counts": tf.constant([len(dense.weights), len(norm.updates), len(norm.trainable_variables)])}


def own_layers(tf):
    class Scale(tf.layers.Layer):
        def __init__(self, units, **keywords):
            super(Scale, self).__init__(**keywords)
            self.units = units
            self.input_spec = tf.layers.InputSpec(ndim=2)

        def build(self, shape):
            shape = tf.TensorShape(shape)
            self.kernel = self.add_variable("kernel", shape=[shape[-1].value, self.units], dtype=tf.float32,
                                            initializer=tf.glorot_uniform_initializer(), regularizer=tf.nn.l2_loss)
            self.shift = self.add_weight("shift", [self.units], initializer=tf.zeros_initializer(), trainable=True)
            self.built = True

        def call(self, inputs):
            return tf.matmul(inputs, self.kernel) + self.shift

        def compute_output_shape(self, shape):
            return tf.TensorShape([shape[0], self.units])

    class Through(tf.layers.Dense):
        def call(self, inputs):
            return tf.layers.Dense.call(self, inputs) * 2.0

    with tf.variable_scope("outer"):
        layer = Scale(3, name="mine")
        out = layer(_row(tf))
        again = layer.apply(_row(tf))
        other = Scale(2)(out)
    return {"out": out, "again": again, "other": other, "through": Through(3)(_row(tf)),
            "length": tf.constant(len(layer.scope_name))}


def partitioned(tf):
    with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2)):
        return {"out": tf.layers.dense(_row(tf, 6), 4)}


def getter_and_constraint(tf):
    def getter(getter, name, *args, **kwargs):
        return getter(name, *args, **kwargs) * 2.0

    with tf.variable_scope("custom", custom_getter=getter):
        out = tf.layers.dense(_row(tf), 3)
    return {"out": out, "other": tf.layers.dense(_row(tf), 2, kernel_constraint=lambda w: w)}


def keras_in_graph(tf):
    layers = module("tensorflow.keras.layers")
    x = layers.Dense(4, activation="relu", kernel_initializer=tf.keras.initializers.he_normal())(_row(tf))
    x = layers.BatchNormalization()(x, training=True)
    image = tf.keras.layers.Conv2D(2, 3, padding="same", kernel_regularizer=tf.keras.regularizers.l2(0.1))(_image(tf))
    return {"x": x, "image": image, "losses": tf.keras.backend.sum(image)}


CASES = {
    case.__name__: case
    for case in (
        dense_functions, regularized, scopes_reused, auto_reuse, convolutions, old_aliases, pooling, batch_norms,
        batch_norm_fed, batch_renorm, dropouts, classes, own_layers, partitioned, getter_and_constraint, keras_in_graph,
    )
}

if __name__ == "__main__":
    from tf1_cases import recorded_cases

    recorded_cases.record("keras2_layers", CASES)
