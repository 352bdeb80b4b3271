"""Cases of tf.contrib.gan. To record again, on TensorFlow 1.14, from tests/: python -m tf1_cases.contrib.gan_cases"""
import importlib

from tf1_cases.recorded_cases import values

_BATCH, _NOISE, _DATA = 4, 3, 5


def _values(tf, *shape, seed="values"):
    return tf.constant(values(list(shape), seed))


def _generator(tf):
    def generator(noise):
        inputs = tf.concat(noise, 1) if isinstance(noise, list) else noise
        kernel = tf.get_variable("kernel", [inputs.shape[1], _DATA], regularizer=lambda each: 0.1 * tf.reduce_sum(each))
        return tf.tanh(tf.matmul(inputs, kernel) + tf.get_variable("bias", [_DATA]))

    return generator


def _discriminator(tf, outputs=1):
    def discriminator(data, unused_conditioning):
        kernel = tf.get_variable("kernel", [_DATA, outputs])
        return tf.matmul(data, kernel) + tf.get_variable("bias", [outputs])

    return discriminator


def _model(tf, **options):
    return tf.contrib.gan.gan_model(
        _generator(tf), _discriminator(tf), _values(tf, _BATCH, _DATA), _values(tf, _BATCH, _NOISE, seed="noise"),
        **options
    )


def _losses(tf):
    """The losses of a model, of single tensors, and with weights; the collection of losses has them."""
    losses, model = tf.contrib.gan.losses, _model(tf)
    real, fake = model.discriminator_real_outputs, model.discriminator_gen_outputs
    weights = tf.constant([[1.0], [0.0], [2.0], [0.5]])
    found = {}
    for name in ("wasserstein", "minimax", "modified", "least_squares"):
        generator = getattr(losses, name + "_generator_loss")
        discriminator = getattr(losses, name + "_discriminator_loss")
        found[name + " generator"] = generator(model)
        found[name + " discriminator"] = discriminator(model, add_summaries=True)
        found[name + " weighted"] = discriminator(model, real_weights=weights, generated_weights=0.5)
        found[name + " single"] = getattr(losses.wargs, name + "_discriminator_loss")(real, fake)
        found[name + " none"] = generator(model, reduction=tf.losses.Reduction.NONE)
    found["smoothed"] = losses.minimax_discriminator_loss(model, label_smoothing=0.1)
    found["labels"] = losses.least_squares_discriminator_loss(model, real_label=0.9, fake_label=0.1)
    return found


def _penalties(tf):
    losses = tf.contrib.gan.losses
    model = _model(tf)
    loss = tf.contrib.gan.gan_loss(model, gradient_penalty_weight=10.0, gradient_penalty_one_sided=True)
    other = tf.reduce_mean(tf.square(model.generated_data))
    combined = losses.combine_adversarial_loss(loss, model, other, weight_factor=0.3)
    # The gradient ratio has no gradient that is alike on all versions: a ratio of norms.
    ratio = losses.combine_adversarial_loss(loss, model, other, gradient_ratio=2.0)
    return {
        "penalty": losses.wasserstein_gradient_penalty(model),
        "target": losses.wasserstein_gradient_penalty(model, target=0.5, epsilon=1e-3),
        "generator": loss.generator_loss,
        "discriminator": loss.discriminator_loss,
        "combined": combined.generator_loss,
        "ratio": tf.stop_gradient(ratio.generator_loss),
    }


def _gan_loss(tf):
    gan = tf.contrib.gan
    model = _model(tf, generator_scope="Gen", discriminator_scope="Dis")
    partial = {}

    def own_loss(given, reduction="mine", add_summaries=None):
        partial["seen"] = (reduction, add_summaries)
        return tf.reduce_sum(given.discriminator_gen_outputs)

    loss = gan.gan_loss(model, own_loss, gan.losses.modified_discriminator_loss, add_summaries=False)
    assert partial["seen"] == ("mine", False)
    ops = gan.gan_train_ops(
        model, loss, tf.train.GradientDescentOptimizer(0.1), tf.train.GradientDescentOptimizer(0.2),
        summarize_gradients=True,
    )
    assert ops.train_hooks == []
    names = [each.op.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    return {
        "generator": loss.generator_loss,
        "discriminator": loss.discriminator_loss,
        "generator op": tf.stop_gradient(tf.identity(ops.generator_train_op)),
        "summaries": tf.constant("|".join(sorted(names))),
        "names": tf.constant("|".join([ops.generator_train_op.op.name, ops.discriminator_train_op.op.name])),
    }


def _infogan(tf):
    gan, distributions = tf.contrib.gan, tf.distributions

    def discriminator(data, unused_conditioning):
        outputs = _discriminator(tf, 6)(data, None)
        return outputs[:, :1], [distributions.Categorical(outputs[:, 1:4]), distributions.Normal(outputs[:, 4:], 1.0)]

    structured = [tf.constant([0, 2, 1, 1]), _values(tf, _BATCH, 2, seed="continuous")]

    def generator(noise):
        return _generator(tf)([noise[0], tf.one_hot(noise[1], 3), noise[2]])

    model = gan.infogan_model(
        generator, discriminator, _values(tf, _BATCH, _DATA), [_values(tf, _BATCH, _NOISE, seed="noise")], structured
    )
    loss = gan.gan_loss(model, mutual_information_penalty_weight=0.7)
    return {
        "penalty": gan.losses.mutual_information_penalty(model),
        "generator": loss.generator_loss,
        "discriminator": loss.discriminator_loss,
    }


def _acgan(tf):
    gan = tf.contrib.gan

    def discriminator(data, unused_conditioning):
        outputs = _discriminator(tf, 4)(data, None)
        return outputs[:, :1], outputs[:, 1:]

    model = gan.acgan_model(
        _generator(tf), discriminator, _values(tf, _BATCH, _DATA), _values(tf, _BATCH, _NOISE, seed="noise"),
        tf.one_hot([0, 2, 1, 1], 3),
    )
    loss = gan.gan_loss(model, aux_cond_generator_weight=0.5, aux_cond_discriminator_weight=2.0)
    return {
        "generator": loss.generator_loss,
        "discriminator": loss.discriminator_loss,
        "auxiliary": gan.losses.acgan_discriminator_loss(model, label_smoothing=0.1),
    }


def _cyclegan(tf):
    gan = tf.contrib.gan
    model = gan.cyclegan_model(
        _generator(tf), _discriminator(tf), _values(tf, _BATCH, _DATA), _values(tf, _BATCH, _DATA, seed="other")
    )
    loss = gan.cyclegan_loss(model, cycle_consistency_loss_weight=3.0, tensor_pool_fn=lambda each: each)
    ops = gan.gan_train_ops(model, loss, tf.train.AdamOptimizer(0.1), tf.train.AdamOptimizer(0.1))
    return {
        "x2y generator": loss.loss_x2y.generator_loss,
        "x2y discriminator": loss.loss_x2y.discriminator_loss,
        "y2x generator": loss.loss_y2x.generator_loss,
        "y2x discriminator": loss.loss_y2x.discriminator_loss,
        "cycle": gan.losses.cycle_consistency_loss(model),
        "names": tf.constant("|".join(each.op.name for each in ops.generator_train_op + ops.discriminator_train_op)),
    }


def _stargan(tf):
    gan = tf.contrib.gan

    def generator(data, domains):
        kernel = tf.get_variable("kernel", [_DATA + 1, _DATA])
        return tf.tanh(tf.matmul(tf.concat([data, domains], 1), kernel))

    def discriminator(data, domains):
        outputs = _discriminator(tf, 1 + domains)(data, None)
        return outputs[:, 0], outputs[:, 1:]

    # With one domain the target, which is drawn at random, is known.
    model = gan.stargan_model(generator, discriminator, _values(tf, _BATCH, _DATA), tf.ones([_BATCH, 1]))
    loss = gan.stargan_loss(model, gradient_penalty_weight=2.0, classification_loss_weight=0.5)
    return {"generator": loss.generator_loss, "discriminator": loss.discriminator_loss}


def _features(tf):
    features = tf.contrib.gan.features
    net = _values(tf, _BATCH, 2, 3)
    found = {
        "tensor": features.condition_tensor(net, _values(tf, _BATCH, 2, 2, seed="condition")),
        "onehot": features.condition_tensor_from_onehot(net, tf.one_hot([0, 2, 1, 1], 3), embedding_size=4),
        "pool": features.tensor_pool(net, pool_size=0),
        "pooled": features.tensor_pool([net], pool_size=2, pooling_probability=0.0)[0],
    }
    for name in ("pool", "pooled"):
        found[name] = tf.stop_gradient(found[name])
    return found


def _virtual_batch_norm(tf):
    norm = tf.contrib.gan.features.VBN(_values(tf, _BATCH, 3, seed="reference"), name="norm")
    return {"reference": norm.reference_batch_normalization(), "new": norm(_values(tf, 6, 3))}


def _spectral(tf):
    features = tf.contrib.gan.features
    kernel = tf.get_variable("kernel", [3, 4])
    getter = features.spectral_normalization_custom_getter(power_iteration_rounds=2)
    with tf.variable_scope("getter", custom_getter=getter):
        got, bias = tf.get_variable("kernel", [2, 3]), tf.get_variable("bias", [3])
    return {
        "norm": features.compute_spectral_norm(kernel, 3),
        "normalized": features.spectral_normalize(tf.get_variable("other/kernel", [4, 2])),
        "regularizer": features.spectral_norm_regularizer(0.5)(tf.get_variable("third/kernel", [2, 5])),
        "getter": got,
        "bias": bias,
    }


def _clipped(tf):
    features, model = tf.contrib.gan.features, _model(tf)
    loss = tf.contrib.gan.gan_loss(model)
    optimizer = features.clip_discriminator_weights(tf.train.GradientDescentOptimizer(0.1), model, 0.05)
    train = optimizer.minimize(loss.discriminator_loss, var_list=model.discriminator_variables)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, train)  # runs before the second values are read
    return {
        "weights": tf.stop_gradient(tf.identity(model.discriminator_variables[0])),
        "loss": tf.stop_gradient(loss.discriminator_loss),
    }


def _evaluation(tf):
    evaluation = tf.contrib.gan.eval
    images = _values(tf, 4, 6, 6, 1)
    real, fake = _values(tf, 8, 3), _values(tf, 8, 3, seed="fake")
    return {
        "grid": evaluation.image_grid(images, (2, 2), (6, 6), 1),
        "reshaped": evaluation.image_reshaper(images, num_cols=2),
        "preprocessed": evaluation.preprocess_image(tf.cast(tf.abs(images) * 100.0, tf.uint8), 4, 5),
        "score": evaluation.classifier_score(real, lambda each: 2.0 * each, num_batches=2),
        "score of logits": evaluation.classifier_score_from_logits(logits=real),
        "mean": evaluation.mean_only_frechet_classifier_distance_from_activations(
            real_activations=real, generated_activations=fake
        ),
        "diagonal": evaluation.diagonal_only_frechet_classifier_distance_from_activations(real, fake),
        # Gradients of a singular value decomposition are not compared.
        "frechet": tf.stop_gradient(evaluation.frechet_classifier_distance(
            real_images=real, generated_images=fake, classifier_fn=lambda each: 3.0 * each, num_batches=2
        )),
        "kernel": evaluation.kernel_classifier_distance(real, fake, lambda each: each, num_classifier_batches=2),
        "kernel std": tf.stack(
            evaluation.kernel_classifier_distance_and_std_from_activations(real, fake, max_block_size=4)
        ),
    }


def _classifier(tf):
    """A frozen graph in place of Inception: one convolution and its mean."""
    evaluation = tf.contrib.gan.eval
    with tf.Graph().as_default() as graph:
        given = tf.placeholder(tf.float32, [None, 8, 8, 3], name="Mul")
        pooled = tf.nn.conv2d(given, tf.constant(values([3, 3, 3, 4], "filter")), [1, 1, 1, 1], "VALID")
        pooled = tf.reduce_mean(pooled, axis=[1, 2], keepdims=True, name="pool_3")
        tf.squeeze(pooled, [1, 2], name="logits")
    images = _values(tf, 4, 8, 8, 3)
    options = {"graph_def": graph.as_graph_def(), "image_size": 8}
    both = evaluation.run_inception(images, output_tensor=["logits:0", "pool_3:0"], **options)
    return {"logits": both[0], "pool": both[1], "one": evaluation.run_inception(images, **options)}


def _summaries(tf):
    evaluation, gan = tf.contrib.gan.eval, tf.contrib.gan
    kernel = [2, 2, 3, 3]
    model = gan.gan_model(
        lambda images: tf.nn.conv2d(images, tf.get_variable("kernel", kernel), [1, 1, 1, 1], "SAME"),
        lambda images, _: tf.reduce_mean(images * tf.get_variable("scale", [3]), axis=[1, 2, 3]),
        _values(tf, _BATCH, 4, 4, 3), _values(tf, _BATCH, 4, 4, 3, seed="inputs"),
    )
    evaluation.add_gan_model_image_summaries(model, grid_size=2)
    evaluation.add_gan_model_summaries(model)
    evaluation.add_image_comparison_summaries(model, num_comparisons=2)
    evaluation.add_regularization_loss_summaries(model)
    return {"names": tf.constant("|".join(sorted(each.op.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES))))}


def _sliced_wasserstein(tf):
    # Patches and directions are drawn at random.
    images = _values(tf, 4, 32, 32, 3)
    found = tf.contrib.gan.eval.sliced_wasserstein_distance(images, images, resolution_min=16, patches_per_image=8,
                                                            random_sampling_count=1, random_projection_dim=4)
    return {"count": tf.constant([len(found), len(found[0])])}


CASES = {
    "acgan": _acgan,
    "classifier": _classifier,
    "clipped": _clipped,
    "cyclegan": _cyclegan,
    "evaluation": _evaluation,
    "features": _features,
    "gan_loss": _gan_loss,
    "infogan": _infogan,
    "losses": _losses,
    "penalties": _penalties,
    "sliced_wasserstein": _sliced_wasserstein,
    "spectral": _spectral,
    "stargan": _stargan,
    "summaries": _summaries,
    "virtual_batch_norm": _virtual_batch_norm,
}

if __name__ == "__main__":
    from tf1_cases import recorded_cases

    recorded_cases.record("contrib_gan", CASES, importlib.import_module("tensorflow"))
