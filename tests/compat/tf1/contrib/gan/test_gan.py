"""tf.contrib.gan has the losses, gradients, variables and summaries of TensorFlow 1.14."""
import os
import tarfile

import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib.gan_cases import CASES

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import earlier_names, registry, tree
from legacy_towers.compat.tf1.missing import MissingModule, MissingName

GAN = "tensorflow.contrib.gan"


@pytest.mark.needs_gan
@pytest.mark.parametrize("name", sorted(CASES))
def test_matches_tensorflow_1_14(name):
    found = recorded_cases.run(CASES[name], view=tree.module("tensorflow"))
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_gan", name)) == []


@pytest.mark.needs_gan
def test_every_name_of_1_4_to_1_14_is_supported_or_has_a_reason():
    names = [name for name in earlier_names.names() if name.startswith(GAN + ".")]
    assert len(names) > 350
    missing = set()
    for name in names:
        parent, _, last = name.rpartition(".")
        try:
            getattr(tree.module(parent), last)
        except (MissingName, MissingModule, AttributeError):
            missing.add(name)
    public = {name for name in missing if ".python." not in name}
    reasons = {name for name in registry.reasons() if name.startswith(GAN + ".")}
    assert public == {name for name in reasons if ".python." not in name}
    # Private modules lack the same names.
    assert {name.rpartition(".")[2] for name in missing} == {name.rpartition(".")[2] for name in public} | {
        "tpu_gan_estimator_impl"
    }


@pytest.mark.needs_gan
def test_legacy_towers_compat_has_it():
    assert tf.contrib.gan.GANModel is tree.module(GAN).GANModel
    private = tree.module(GAN + ".python.estimator.python.gan_estimator")
    assert tf.contrib.gan.estimator.GANEstimator is private.GANEstimator


@pytest.mark.needs_gan
@pytest.mark.parametrize(
    "statement, used",
    [
        ("import tensorflow.contrib.gan as tfgan", "tfgan.estimator.GANEstimator, tfgan.losses.wargs"),
        ("from tensorflow.contrib import gan as tfgan", "tfgan.eval.image_grid, tfgan.features.VBN"),
        ("from tensorflow.contrib.gan.python import namedtuples", "namedtuples.GANTrainSteps"),
        ("from tensorflow.contrib.gan.python import train as tfgan_train", "tfgan_train.gan_train_ops"),
        ("from tensorflow.contrib.gan.python.losses.python import losses_impl", "losses_impl.minimax_generator_loss"),
        ("from tensorflow.contrib.gan.python.losses.python.tuple_losses_impl import wasserstein_generator_loss",
         "wasserstein_generator_loss"),
        ("from tensorflow.contrib.gan.python.features.python.conditioning_utils import condition_tensor",
         "condition_tensor"),
        ("from tensorflow.contrib.gan.python.eval.python import eval_utils, classifier_metrics_impl",
         "eval_utils.image_reshaper, classifier_metrics_impl.run_inception"),
        ("from tensorflow.contrib.gan.python.estimator.python.gan_estimator_impl import GANEstimator, SummaryType",
         "GANEstimator, SummaryType.IMAGES"),
    ],
)  # fmt: skip
def test_import_statements_of_scripts(statement, used):
    tree.install()
    names = {}
    exec(statement.replace("tensorflow.contrib", tree.IMPORTED_AS + ".contrib"), names)
    assert all(each is not None for each in eval("[{}]".format(used), names))


def test_missing_package_is_named(monkeypatch):
    from legacy_towers.compat.tf1.contrib import adapted_library, gan_library

    ours = adapted_library.Adaptation("tensorflow_gan_that_is_not_there", gan_library.__name__ + ".absent", "pip X",
                                      lambda name, names: None, {})
    with pytest.raises(ImportError, match="pip X"):
        adapted_library._Finder(ours).find_spec(ours.ours, None)
    assert "pip install --no-deps tensorflow-gan==2.1.0" in gan_library._MISSING


@pytest.mark.needs_gan
def test_inception_graph_that_cannot_be_downloaded_is_named(monkeypatch, tmp_path):
    evaluation = tree.module(GAN + ".eval")
    monkeypatch.chdir(tmp_path)
    url = "file://{}/frozen.tar.gz".format(tmp_path)
    with pytest.raises(OSError, match="frozen.tar.gz can't be downloaded.*into the working directory as frozen.tar.gz"):
        evaluation.get_graph_def_from_url_tarball(url, "graph.pb", "frozen.tar.gz")
    assert os.listdir(str(tmp_path)) == []


@pytest.mark.needs_gan
def test_inception_graph_is_downloaded_once(monkeypatch, tmp_path):
    evaluation = tree.module(GAN + ".eval")
    working = tmp_path / "working"
    working.mkdir()
    monkeypatch.chdir(working)
    graph_def = tf.GraphDef(node=[tf.NodeDef(name="x", op="NoOp")])
    (tmp_path / "graph.pb").write_bytes(graph_def.SerializeToString())
    with tarfile.open(str(tmp_path / "there.tar.gz"), "w:gz") as archive:
        archive.add(str(tmp_path / "graph.pb"), "graph.pb")
    url = "file://{}/there.tar.gz".format(tmp_path)
    assert evaluation.get_graph_def_from_url_tarball(url, "graph.pb", "frozen.tar.gz") == graph_def
    (tmp_path / "there.tar.gz").unlink()
    assert evaluation.get_graph_def_from_url_tarball(url, "graph.pb", "frozen.tar.gz") == graph_def
    assert os.listdir(str(working)) == ["frozen.tar.gz"]
    with pytest.raises(OSError, match="other.pb is not a file of frozen.tar.gz"):
        evaluation.get_graph_def_from_url_tarball(url, "other.pb", "frozen.tar.gz")
