"""Converts the queues of a MetaGraph file."""
import argparse
import json
import os
from typing import Any

from legacy_towers.cli.quiet import silence_deprecations
from legacy_towers.errors import ArgumentError
from legacy_towers.text.files import check_file, working_directory_of, write_whole

DONE, LEFT = 0, 1


def add_arguments(group: Any) -> None:
    """Adds the options of a MetaGraph to a group of the parser."""
    group.add_argument("--out", metavar="FILE", help="the converted MetaGraph to write; an existing file is "
                       "overwritten; without --out the plans are printed, and nothing is written")
    group.add_argument("--prove", action="store_true",
                       help="first run copies with queues and with tf.data for an epoch, and compare what they give")


def run(arguments: argparse.Namespace, model: str) -> int:
    """Converts the MetaGraph in the file `model`, prints the plans, and returns the exit code."""
    _check(arguments, model)
    silence_deprecations()
    from legacy_towers.migrate.conversion.plans import REFUSED
    from legacy_towers.migrate.meta_graph import convert_meta_graph
    from legacy_towers.migrate.proof.prove import prove
    from legacy_towers.migrate.proof.values import DIFFERENT

    proof = prove(model) if arguments.prove else None
    differs = False
    if proof is not None:
        print(proof)
        differs = proof.verdict == DIFFERENT
    plans = () if differs else convert_meta_graph(model, arguments.out)
    for plan in plans:
        print(plan)
    left = [plan for plan in plans if plan.promise == REFUSED]
    is_converted = len(left) < len(plans)
    is_written = is_converted and arguments.out is not None
    not_written = "" if arguments.out is None else ": {} is not written".format(arguments.out)
    if differs:
        print("tf.data gives other examples" + not_written)
    elif not plans:
        print("{} reads from no queue{}".format(model, not_written))
    elif arguments.out is None:
        print("{} of {} pipelines can read by tf.data; pass --out FILE to write the converted MetaGraph".format(
            len(plans) - len(left), len(plans)
        ))
    else:
        print("{} of {} pipelines read by tf.data; {} is {}written".format(
            len(plans) - len(left), len(plans), arguments.out, "" if is_written else "not "
        ))
    if arguments.json is not None:
        found = {
            "pipelines": [plan.to_json() for plan in plans],
            "proof": None if proof is None else proof.to_json(),
            "written": arguments.out if is_written else None,
        }
        write_whole(arguments.json, json.dumps(found, indent=1) + "\n", "the plans")
    return DONE if is_converted and not left else LEFT


def _check(arguments: argparse.Namespace, model: str) -> None:
    if not os.path.isfile(model):
        raise ArgumentError("there is no file {!r}{}".format(model, working_directory_of(model)))
    check_file("--out", arguments.out)
    check_file("--json", arguments.json)
    if arguments.out is not None and os.path.exists(arguments.out) and os.path.samefile(model, arguments.out):
        raise ArgumentError("--out is the MetaGraph itself: name another file")
    json_file = None if arguments.json is None else os.path.realpath(arguments.json)
    for path, what in ((model, "the MetaGraph itself"), (arguments.out, "also the file of --out")):
        if path is not None and json_file == os.path.realpath(path):
            raise ArgumentError("--json is {!r}, which is {}: name another file".format(arguments.json, what))
