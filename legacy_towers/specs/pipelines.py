"""Specs of input pipelines: "feed", "dataset:sharded", "dataset:sharded:files", "staged+queue", ..."""
from typing import Any, Dict, Tuple

from legacy_towers.specs.grammar import Grammar, Options, Term, Unit, checked, parse

# The routes from tf.data to the towers; see `legacy_towers.inputs.dataset`.
ROUTES: Tuple[str, ...] = ("split", "next_per_tower", "sharded", "per_device")
DEFAULT_ROUTE = "next_per_tower"
# How the route "sharded" divides the data.
SHARDS: Tuple[str, ...] = ("records", "files")
SYNTHETIC = "synthetic"
STAGED = "staged"


def _background(text: str) -> Options:
    return {"background": {"background": True}[text]}


def _route(text: str) -> Options:
    if text == "sharded:files":
        return {"route": "sharded", "shard": "files"}
    if text not in ROUTES:
        raise ValueError(text)
    return {"route": text}


# staged+synthetic is not supported: synthetic batches are on the towers' devices already.
GRAMMAR = Grammar("input pipeline", {
    SYNTHETIC: Term(),
    "feed": Term("'background'", _background),
    "queue": Term(),
    "dataset": Term("one of the routes {}, or sharded:files".format(", ".join(ROUTES)), _route),
    STAGED: Term(wraps=("feed", "queue", "dataset"), needs_inner=True),
})

_PLAIN: Tuple[str, ...] = (SYNTHETIC, "feed", "feed:background", "queue") + tuple(
    "dataset:" + route for route in ROUTES
)
# The full name of each pipeline, in the order of `compare`.
PIPELINES: Tuple[str, ...] = _PLAIN + tuple("{}+{}".format(STAGED, name) for name in _PLAIN if name != SYNTHETIC)
# For the help of options.
HELP = "{}, dataset:sharded:files, or {}+ and any of these but {}".format(", ".join(_PLAIN), STAGED, SYNTHETIC)


def parse_pipeline(text: Any) -> Unit:
    """Returns the pipeline, after its wrapper if it has one.

    Raises:
      ArgumentError: `text` is not the spec of a pipeline.
    """
    return parse(text, GRAMMAR)[0]


def check_pipeline(text: Any, option: str) -> None:
    """Raises ArgumentError, which names `option`, unless `text` is the spec of a pipeline."""
    checked(parse_pipeline, text, option)


def full_name(text: str) -> str:
    """Returns the full name of a pipeline: "dataset" is "dataset:next_per_tower".

    Raises:
      ArgumentError: `text` is not the spec of a pipeline.
    """
    names: Dict[str, str] = {"dataset": "dataset:" + DEFAULT_ROUTE}
    return "+".join(names.get(call.text, call.text) for call in parse_pipeline(text))
