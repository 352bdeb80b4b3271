"""`run --check`: names on branches that the default flags exclude, and arguments that are not supported."""
import pytest

from legacy_towers.run.check import output, project

HEAD = """import tensorflow as tf
flags = tf.app.flags
flags.DEFINE_boolean("gan", False, "")
flags.DEFINE_string("mode", "train", "")
flags.DEFINE_string("checkpoint", None, "")
flags.DEFINE_integer("steps", default=10, help="")
FLAGS = flags.FLAGS
"""
PARSED = """import argparse
import tensorflow as tf
parser = argparse.ArgumentParser()
parser.add_argument("-g", "--use-gan", action="store_true")
parser.add_argument("--mode", default="train")
args = parser.parse_args()
"""
EXCLUDED = {
    "a boolean flag": (HEAD, "FLAGS.gan", "--gan"),
    "not": (HEAD, "not FLAGS.steps", "--steps"),
    "a comparison": (HEAD, "FLAGS.mode == 'eval'", "--mode"),
    "None": (HEAD, "FLAGS.checkpoint is not None", "--checkpoint"),
    "two flags": (HEAD, "FLAGS.gan or FLAGS.mode != 'train'", "--gan or --mode"),
    "a flag and something else": (HEAD, "FLAGS.gan and unknown()", "--gan"),
    "argparse": (PARSED, "args.use_gan", "--use_gan"),
    "argparse with a default": (PARSED, "args.mode == 'eval'", "--mode"),
}
TAKEN = {
    "the default": (HEAD, "FLAGS.mode == 'train'"),
    "a flag or something else": (HEAD, "FLAGS.gan or unknown()"),
    "no flag": (HEAD, "unknown()"),
    "a flag of another file": (HEAD, "FLAGS.other"),
    "a flag that the script sets": (HEAD + "FLAGS.gan = True\n", "FLAGS.gan"),
    "a flag with a computed default": (HEAD + "flags.DEFINE_string('where', str(1), '')\n", "FLAGS.where == 'x'"),
}


def checked(tmp_path, source):
    (tmp_path / "train.py").write_text(source)
    return project.check(str(tmp_path / "train.py"))


@pytest.mark.parametrize("head, condition, flag", list(EXCLUDED.values()), ids=list(EXCLUDED))
def test_a_name_that_the_default_flags_exclude_is_missing_only_if_a_flag_is_given(tmp_path, head, condition, flag):
    found = checked(tmp_path, "{}if {}:\n    tf.gone\nelse:\n    tf.nn.relu\n".format(head, condition))
    assert found.missing == [] and [each.only_if for each in found.findings if each.status.missing] == [flag]
    text = output.as_text(found, "2.21")
    assert "missing, only if {} is given or changed: tf.gone is not a name of TensorFlow 1.15".format(flag) in text
    assert "1 name is missing only with other flags" in text
    assert '"only_if": "{}"'.format(flag) in output.as_json(found, "2.21")


@pytest.mark.parametrize("head, condition", list(TAKEN.values()), ids=list(TAKEN))
def test_a_name_on_any_other_branch_is_missing(tmp_path, head, condition):
    found = checked(tmp_path, "{}if {}:\n    tf.gone\n".format(head, condition))
    assert [each.status.name for each in found.missing] == ["tensorflow.gone"]


def test_the_branch_for_other_values_than_the_default_is_excluded_too(tmp_path):
    found = checked(tmp_path, HEAD + "if FLAGS.mode == 'train':\n    pass\nelse:\n    tf.gone\ntf.gone_too\n")
    assert [each.status.name for each in found.missing] == ["tensorflow.gone_too"]


HANDLERS = ["except Exception:\n    pass", "except:\n    pass", "except AttributeError:\n    x = 1"]


@pytest.mark.parametrize("handler", HANDLERS)
def test_a_name_in_a_try_that_passes_is_not_missing(tmp_path, handler):
    found = checked(tmp_path, "import tensorflow as tf\ntry:\n    tf.gone\n{}\n".format(handler))
    assert found.missing == [] and [each.guarded for each in found.findings] == [True]


def test_an_argument_that_is_not_supported_is_missing(tmp_path):
    source = "import tensorflow as tf\nhook = tf.train.CheckpointSaverHook('x', save_steps=1, steps_per_run=2)\n"
    (found,) = checked(tmp_path, source).missing
    assert found.line == 2 and found.status.missing.startswith(
        "the argument steps_per_run of tf.train.CheckpointSaverHook was part of TensorFlow 1.8, and is not supported: "
    )
