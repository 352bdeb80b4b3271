"""The table of the scripts in tests/scripts: arguments, data, and the name of the record on TensorFlow 1.15.

A script restores the checkpoint in its training directory; without one it writes a checkpoint of its initial values
first. So a recorded checkpoint gives every TensorFlow the same initial values.

    python tests/run/record_scripts.py NAME ...     on TensorFlow 1.15 writes recorded/NAME
"""
import os
import re
from typing import Callable, NamedTuple, Optional, Tuple

from run import script_data

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scripts")
RECORDED = os.path.join(FOLDER, "recorded")
# The number of losses that are compared, and their relative tolerance.
STEPS = 5
RELATIVE = 1e-5


class Script(NamedTuple):
    """One script.

    Attributes:
      name: the name of the folder in recorded/.
      path: the path in tests/scripts; a dotted name is a module, started with -m in tests/scripts.
      arguments: the arguments, with {train} and {data} for the training and data directories.
      data: writes the script's data into a directory; None if it needs none.
      ported: the path of the manually ported script, if TensorFlow 1.15 on Python 3 and a CPU can't run the script;
        the record is then that of the ported script.
    """

    name: str
    path: str
    arguments: Tuple[str, ...]
    data: Optional[Callable[[str], None]] = None
    ported: Optional[str] = None

    def command(self, train: str, data: str, ported: bool = False) -> Tuple[str, ...]:
        """Returns the path and the arguments of the script or of the ported script."""
        arguments = tuple(each.format(train=train, data=data) for each in self.arguments)
        path = self.ported if ported else self.path
        return ((os.path.join(FOLDER, path),) if path.endswith(".py") else ("-m", path)) + arguments


SCRIPTS = (
    Script(
        "tutorial", "tutorial/cifar10_multi_gpu_train.py",
        ("--train_dir={train}", "--data_dir={data}", "--num_gpus=2", "--noshuffle", "--max_steps=6"),
        script_data.cifar10,
    ),
    Script("tower_feed_lists", "tower_feed_lists.py", ("--train_dir", "{train}", "--max_steps", "6")),
    Script(
        "queue_tfrecord", "queue_tfrecord.py",
        ("--data_dir={data}", "--train_dir={train}", "--num_epochs=2", "--noshuffle"), script_data.records,
    ),
    Script(
        "ptb_word_lm", "ptb_word_lm.py", ("--data_path={data}", "--save_path={train}", "--max_steps=12"),
        script_data.words,
    ),
    Script(
        "slim_clones", "slim_clones.py",
        ("--dataset_dir={data}", "--train_dir={train}", "--in_order", "--max_number_of_steps=6"),
        script_data.png_records,
    ),
    Script("dcgan_towers", "dcgan_towers.py", ("--checkpoint_dir={train}",)),
    Script("own_threads", "own_threads.py", ("{train}", "6")),
    Script(
        "queue_csv", "queue_csv.py",
        ("--data_dir={data}", "--train_dir={train}", "--max_steps=6", "--num_readers=1"), script_data.csv,
    ),
    Script(
        "queue_whole_files", "queue_whole_files.py",
        ("--input_dir", "{data}", "--output_dir", "{train}", "--max_steps", "6"), script_data.png_files,
    ),
    Script("bucketing_rnn", "bucketing_rnn.py", ("{train}", "6")),
    Script("staging_towers", "staging_towers.py", ("--train_dir", "{train}", "--num_batches", "6")),
    Script("python2_towers", "python2_towers.py", ("{train}", "6"), ported="python2_towers_ported.py"),
    Script(
        "pre_one_mnist", "pre_one_mnist.py", ("--data_dir={data}", "--train_dir={train}", "--max_steps=6"),
        script_data.mnist, ported="pre_one_mnist_ported.py",
    ),
    Script("hard_placement", "hard_placement.py", ("{train}", "6"), ported="hard_placement_ported.py"),
    Script("reuse_flag", "reuse_styles.py", ("--train_dir={train}", "--max_steps=6")),
    Script("reuse_call", "reuse_styles.py", ("--train_dir={train}", "--max_steps=6", "--reuse=call")),
    Script("reuse_auto", "reuse_styles.py", ("--train_dir={train}", "--max_steps=6", "--reuse=auto")),
    Script("reuse_template", "reuse_styles.py", ("--train_dir={train}", "--max_steps=6", "--reuse=template")),
    Script("package", "towers_package.train", ("--model_dir={train}", "--steps=6")),
    Script("queue_shuffled", "queue_shuffled.py", ("{train}", "6", "1")),
    Script("legacy_translate", "legacy_translate.py", ("--train_dir={train}", "--max_steps=6")),
    Script("nmt_attention", "nmt_attention.py", ("--out_dir={train}", "--steps=6")),
    Script("word2vec_nce", "word2vec_nce.py", ("{train}", "6")),
    Script("supervised_optimize_loss", "supervised_optimize_loss.py", ("--logdir={train}", "--steps=6")),
    Script("estimator_towers", "estimator_towers.py", ("--model_dir={train}", "--steps=6")),
    Script("monitored_towers", "monitored_towers.py", ("--train_dir={train}", "--max_steps=6")),
)


def losses(printed: str) -> Tuple[float, ...]:
    """Returns the losses that a script printed, in order."""
    return tuple(float(value) for value in re.findall(r"\bloss\s*[=:]\s*([-+.\dinfae]+)", printed))
