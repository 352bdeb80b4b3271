"""Finds the queues of source code, and what each becomes in tf.data; converts those of a MetaGraph file.

    legacy-towers migrate [OPTIONS] PATH [PATH ...]
    legacy-towers migrate PATH [--diff | --write] [--target TARGET] [--verify COMMAND]
    legacy-towers migrate MODEL.meta [--out CONVERTED.meta]
    legacy-towers migrate --explain CODE

PATH is a file or a folder. It is read, never run: each construct of queues is listed with
its code, by input pipeline, also where a pipeline is spread over modules. The exit code is
1 while queues are left, or files that could not be read.

A MetaGraph's queues are listed with what each becomes, and --out writes it converted:
operations, tensors and variables keep their names: it is fetched and fed as before, and
checkpoints restore. Queues that can't be converted stay, and the exit code is 1.
`legacy-towers run --queues-to-dataset` converts the queues of a script.

--diff prints how files are rewritten to tf.data, --write writes them, and --verify first
runs a command before and after, in copies: the exit code is 0 if nothing is left and the
examples are proven to be the same.
"""
import argparse
from typing import List, Sequence

from legacy_towers.cli.migrate import meta_graph, source
from legacy_towers.cli.parser import Parser
from legacy_towers.errors import ArgumentError

META = ".meta"
_OF_SOURCE = ("select", "ignore", "diff", "write", "target", "verify", "python", "timeout")


def add_arguments(parser: Parser, given: List[str]) -> None:
    parser.usage = "%(prog)s [OPTIONS] PATH [PATH ...]\n       %(prog)s MODEL.meta [--out CONVERTED.meta]\n" \
        "       %(prog)s --explain CODE"
    parser.add_argument("paths", metavar="PATH", nargs="*", help="files and folders of source code, or a MetaGraph "
                        "file, such as one beside a checkpoint")
    parser.add_argument("--json", metavar="FILE", help="also write what is printed to FILE as JSON")
    source.add_arguments(parser.add_argument_group("options for source code"))
    meta_graph.add_arguments(parser.add_argument_group("options for a MetaGraph"))


def run(arguments: argparse.Namespace) -> int:
    if arguments.explain is not None:
        return source.explain(arguments)
    if not arguments.paths:
        raise ArgumentError("PATH is missing: pass files and folders of source code, or a MetaGraph file")
    models = [path for path in arguments.paths if path.endswith(META)]
    if models:
        _refuse(arguments, _OF_SOURCE, "is for source code, and {!r} is a MetaGraph", models[0])
        if len(arguments.paths) > 1:
            raise ArgumentError("{!r} is a MetaGraph: pass it alone".format(models[0]))
        return meta_graph.run(arguments, models[0])
    of_graph = "is for a MetaGraph (a file that ends in " + META + "), got {!r}; for a script use "
    _refuse(arguments, ("out",), of_graph + "--write, or legacy-towers run --queues-to-dataset", arguments.paths[0])
    _refuse(arguments, ("prove",), of_graph + "--verify COMMAND, or legacy-towers run --queues-to-dataset --prove",
            arguments.paths[0])
    return source.run(arguments)


def _refuse(arguments: argparse.Namespace, options: Sequence[str], why: str, path: str) -> None:
    for option in options:
        if getattr(arguments, option):
            raise ArgumentError("--{} {}".format(option, why.format(path)))
