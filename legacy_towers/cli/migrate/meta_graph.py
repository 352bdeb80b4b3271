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
                       "overwritten")
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
    is_written = len(left) < len(plans)
    if differs:
        print("tf.data gives other examples: {} is not written".format(arguments.out))
    elif not plans:
        print("{} reads from no queue: {} is not written".format(model, arguments.out))
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
    return DONE if is_written and not left else LEFT


def _check(arguments: argparse.Namespace, model: str) -> None:
    if arguments.out is None:
        raise ArgumentError("--out is missing: the file to write the converted MetaGraph to")
    if not os.path.isfile(model):
        raise ArgumentError("there is no file {!r}{}".format(model, working_directory_of(model)))
    check_file("--out", arguments.out)
    check_file("--json", arguments.json)
    if os.path.exists(arguments.out) and os.path.samefile(model, arguments.out):
        raise ArgumentError("--out is the MetaGraph itself: name another file")
    for path, what in ((model, "the MetaGraph itself"), (arguments.out, "also the file of --out")):
        if arguments.json is not None and os.path.realpath(arguments.json) == os.path.realpath(path):
            raise ArgumentError("--json is {!r}, which is {}: name another file".format(arguments.json, what))
