"""Converts the queues of a MetaGraph file to tf.data, and prints the plan of each pipeline.

    legacy-towers migrate MODEL.meta --out CONVERTED.meta

Operations, tensors and variables keep their names: the converted MetaGraph is fetched and
fed as before, and checkpoints restore. Queues that can't be converted stay, and the exit
code is 1. `legacy-towers run --queues-to-dataset` converts the queues of a script.
"""
import argparse
import json
import os
from typing import List

from legacy_towers.cli.parser import Parser
from legacy_towers.errors import ArgumentError
from legacy_towers.text.files import check_file, working_directory_of, write_whole

DONE, LEFT = 0, 1
META = ".meta"


def add_arguments(parser: Parser, given: List[str]) -> None:
    parser.add_argument("model", metavar="MODEL.meta", help="a MetaGraph file, such as one beside a checkpoint")
    parser.add_argument("--out", metavar="FILE", required=True, help="the converted MetaGraph to write")
    parser.add_argument("--prove", action="store_true",
                        help="first run copies with queues and with tf.data for an epoch, and compare what they give")
    parser.add_argument("--json", metavar="FILE", help="also write the plans, and the proof, to FILE as JSON")


def run(arguments: argparse.Namespace) -> int:
    _check(arguments)
    from legacy_towers.migrate.conversion.plans import REFUSED
    from legacy_towers.migrate.meta_graph import convert_meta_graph
    from legacy_towers.migrate.proof.prove import prove
    from legacy_towers.migrate.proof.values import DIFFERENT

    proof = prove(arguments.model) if arguments.prove else None
    differs = False
    if proof is not None:
        print(proof)
        differs = proof.verdict == DIFFERENT
    plans = () if differs else convert_meta_graph(arguments.model, arguments.out)
    for plan in plans:
        print(plan)
    left = [plan for plan in plans if plan.promise == REFUSED]
    is_written = len(left) < len(plans)
    if differs:
        print("tf.data gives other examples: {} is not written".format(arguments.out))
    elif not plans:
        print("{} reads from no queue: {} is not written".format(arguments.model, arguments.out))
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


def _check(arguments: argparse.Namespace) -> None:
    if not arguments.model.endswith(META):
        raise ArgumentError("{!r} is not a MetaGraph file, whose name ends in {}; `legacy-towers run "
                            "--queues-to-dataset` converts the queues of a script".format(arguments.model, META))
    if not os.path.isfile(arguments.model):
        raise ArgumentError("there is no file {!r}{}".format(arguments.model, working_directory_of(arguments.model)))
    check_file("--out", arguments.out)
    check_file("--json", arguments.json)
    if os.path.exists(arguments.out) and os.path.samefile(arguments.model, arguments.out):
        raise ArgumentError("--out is the MetaGraph itself: name another file")
