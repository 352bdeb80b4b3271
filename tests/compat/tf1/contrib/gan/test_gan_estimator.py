"""GANEstimator, on one device and under MirroredStrategy, has the losses and variables of TensorFlow 1.14."""
import numpy as np
import pytest
from tf1_cases.contrib import gan_estimator_runs as runs

from legacy_towers.compat.tf1 import tree

pytestmark = [pytest.mark.needs_gan, pytest.mark.needs_layers]


@pytest.mark.parametrize("name", ["sequential", "head", "stargan", "mirrored"])
def test_matches_tensorflow_1_14(name, tmp_path):
    tf = tree.module("tensorflow")
    strategy = tf.contrib.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]) if name == "mirrored" else None
    found, expected = runs.run(tf, name, str(tmp_path), strategy), runs.recorded(name)
    assert sorted(found) == sorted(expected)
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, rtol=2e-5, atol=2e-6, err_msg=key)


def test_update_operations_of_several_replicas_are_refused(tmp_path):
    tf = tree.module("tensorflow")
    estimator = tf.contrib.gan.estimator.GANEstimator(
        str(tmp_path), lambda noise: tf.layers.batch_normalization(noise, training=True), runs.discriminator(tf),
        tf.contrib.gan.losses.minimax_generator_loss, tf.contrib.gan.losses.minimax_discriminator_loss,
        tf.train.AdamOptimizer(), tf.train.AdamOptimizer(),
        config=tf.estimator.RunConfig(train_distribute=tf.contrib.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])),
    )
    with pytest.raises(ValueError, match="unused update ops.*replica_1/Generator.*first replica.*lt.build_train_step"):
        estimator.train(lambda: tf.data.Dataset.from_tensor_slices(([[1.0, 2.0]] * 4, [[1.0, 2.0]] * 4)).batch(2))


def test_joint_hooks_train_both_as_often_as_possible():
    gan = tree.module("tensorflow").contrib.gan
    hooks = gan.get_joint_train_hooks(gan.GANTrainSteps(2, 3))(gan.GANTrainOps("g", "d", "count"))
    assert [(hook._train_ops, hook._train_steps) for hook in hooks] == [(["g", "d"], 2), (["g"], 0), (["d"], 1)]


def test_sequential_train_steps_run_each_op_and_then_count():
    gan, ran = tree.module("tensorflow").contrib.gan, []

    class Session:
        def run(self, fetches, **options):
            ran.append(fetches)
            return [1.5, 7] if isinstance(fetches, list) else "stop"

    steps = gan.get_sequential_train_steps(gan.GANTrainSteps(2, 1))
    ops = gan.GANTrainOps("g", "d", "count")
    assert steps(Session(), ops, "step", {"should_stop": "stop?"}) == (4.5, "stop")
    assert ran == [["g", "step"], ["g", "step"], ["d", "step"], "count", "stop?"]


WRONG = {
    "a loss that is not callable": (dict(generator_loss_fn=1), ValueError, "generator_loss_fn must be callable"),
    "summaries": (dict(use_loss_summaries="no"), ValueError, "use_loss_summaries must be True, False or None"),
    "hooks": (dict(get_hooks_fn=1), TypeError, "get_hooks_fn must be callable"),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_wrong_arguments_of_gan_estimator_raise(name):
    gan = tree.module("tensorflow").contrib.gan
    options, kind, sentence = WRONG[name]
    given = dict(generator_loss_fn=gan.losses.minimax_generator_loss,
                 discriminator_loss_fn=gan.losses.minimax_discriminator_loss)
    with pytest.raises(kind, match=sentence):
        gan.estimator.GANEstimator(**dict(given, **options))
