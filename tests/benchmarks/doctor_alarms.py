"""Counts what `legacy-towers doctor` reports on correct scripts: each finding is a false alarm, unless it is known.

    python tests/benchmarks/doctor_alarms.py [SCRIPT ...]

Without arguments it runs the scripts of tests/doctor/scripts, those of the table tests/run/script_table.py, the
examples, those of them that are jobs on two towers, too, and the input pipelines of tests/migrate/corpus. KNOWN has
findings that are true: the scripts are short, and do on purpose what a long job should not do.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(CHECKOUT, "tests"))

import preloaded  # noqa: E402
from migrate.corpus import data_files, small_data_files  # noqa: E402
from run import script_table  # noqa: E402

# Name of a script -> the codes that are reported rightly.
KNOWN = {
    "bucketing_rnn": ("LD401",),  # it adds sums and tf.shape in the loop, to print them
    "queue_whole_files": ("LD303",),  # as pix2pix, it decodes in one thread
    # It prints queue.size(), a new operation, in each step, and nothing collects the error of its threads.
    "own_threads": ("LD401", "LD509"),
    # Their dense layer has a regularizer, and no loss contains it.
    "reuse_flag": ("LD204",), "reuse_call": ("LD204",), "reuse_auto": ("LD204",), "reuse_template": ("LD204",),
    # Regularization is in the collection, and in no loss whose gradients are computed.
    "queue_csv": ("LD204",), "package": ("LD204",),
    "tower_feed_lists": ("LD205",),  # the first tower adds the regularization, and the gradients of two are averaged
    "queue_shuffled": ("LD102",),  # both towers concatenate the same batch of a second queue to their own examples
    # Input pipelines in the idioms of 2016 to 2019: names are shuffled, not examples, and one thread decodes images.
    **dict.fromkeys((
        "augmentation_switched_by_feed", "buckets_of_aspect_ratios", "denoising_patches", "queue_size_summaries",
        "road_segmentation_pairs", "sentence_classifier_text", "slim_prefetch_for_clones", "speaker_frames_supervisor",
    ), ("LD308",)),
    **dict.fromkeys((
        "labels_from_paths", "maybe_batch_of_rare_labels", "only_roses_maybe_batch", "road_segmentation_two_readers",
        "siamese_pairs", "slices_of_jpegs_augmented", "towers_of_a_split_batch", "train_and_validation_queues",
        "train_or_valid_by_cond",
    ), ("LD303",)),
    "restored_then_evaluated": ("LD303", "LD308"),
    "queue_sizes_in_summaries": ("LD303", "LD308", "LD403"),  # and each step computes all summaries
    "gzip_autoencoder": ("LD307", "LD308"),
    "cifar10_train": ("LD307",), "inception_two_stages": ("LD307",), "queue_of_batches": ("LD307",),
    "towers_with_their_own_batches": ("LD307", "LD504"),  # it makes its queues under the device of a tower
    "semi_supervised": ("LD301",),  # 5 examples to choose from, in batches of 6
    "tutorial": ("LD307",),  # as TensorFlow's own tutorial, it starts queue runners without a coordinator
}
EXAMPLES = ("cifar10.py", "digits.py", "gan.py", "input_bound.py", "large_feed.py", "placement.py", "triplet.py")
WITHOUT_JOB = ("placement.py",)
CORPUS = os.path.join(CHECKOUT, "tests", "migrate", "corpus", "scripts")


def commands(folder):
    """Yields (group, name, arguments of doctor) for each script, with data and training directories below `folder`."""
    own = os.path.join(CHECKOUT, "tests", "doctor", "scripts")
    for name in _scripts(own):
        yield "tests/doctor/scripts", name, (os.path.join(own, name + ".py"),)
    for script in script_table.SCRIPTS:
        train, data = (os.path.join(folder, script.name, each) for each in ("train", "data"))
        os.makedirs(train)
        os.makedirs(data)
        if script.data is not None:
            script.data(data)
        yield "tests/scripts", script.name, script.command(train, data)
    for name in EXAMPLES:
        path = os.path.join(CHECKOUT, "examples", name)
        yield "examples", "example " + name, (path,)
        if name not in WITHOUT_JOB:
            yield "examples with --towers 2", "example {} --towers 2".format(name), (path, "--towers", "2")
    data = os.path.join(folder, "corpus")
    os.makedirs(data)
    data_files.write(data)
    small_data_files.write(data)
    for name in _scripts(CORPUS):
        yield "tests/migrate/corpus", name, (os.path.join(CORPUS, name + ".py"), data)


def _scripts(folder):
    return sorted(name[: -len(".py")] for name in os.listdir(folder) if name.endswith(".py"))


def findings(arguments, folder):
    """Returns (exit code, the JSON object that doctor prints; None if it printed none)."""
    command = [preloaded.executable(), "-m", "legacy_towers", "doctor", "--json", "--timeout", "100"] + list(arguments)
    path = os.pathsep.join([script_table.FOLDER, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
        env=dict(os.environ, PYTHONPATH=path),
    )
    start = done.stdout.rfind('{\n  "examined"')
    return done.returncode, json.loads(done.stdout[start:]) if start >= 0 else None, done.stderr


def main(paths):
    counts = collections.OrderedDict()
    with tempfile.TemporaryDirectory() as folder:
        chosen = [("given", os.path.basename(path), (os.path.abspath(path),)) for path in paths] or commands(folder)
        for group, name, arguments in chosen:
            code, found, errors = findings(arguments, folder)
            count = counts.setdefault(group, collections.Counter())
            count["scripts"] += 1
            if found is None:
                print("{}: not examined, exit code {}: {}".format(name, code, (errors.splitlines() or [""])[-1]))
                continue
            count["examined"] += not found["examined"].startswith("0 graphs")
            print("{}: {}".format(name, found["examined"]), flush=True)
            for each in found["findings"]:
                is_known = each["code"] in KNOWN.get(name, ())
                count["known" if is_known else "alarms"] += 1
                mark = "(known) " if is_known else ""
                print("    {}{} {}: {}".format(mark, each["code"], each["line"], each["message"]))
    for group, count in counts.items() if len(counts) > 1 else ():
        print("{}: {}".format(group, _sentence(count)))
    print(_sentence(sum(counts.values(), collections.Counter())))


def _sentence(count):
    known = ", and {} that are true".format(count["known"]) if count["known"] else ""
    return "{} false alarms{} in {} examined scripts of {}".format(
        count["alarms"], known, count["examined"], count["scripts"])


if __name__ == "__main__":
    main(sys.argv[1:])
