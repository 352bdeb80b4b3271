"""tf.flags as scripts from before TensorFlow 1.14 know it.

FLAGS has `_parse_flags`, by which they had the command line read before TensorFlow 1.5. And flags may have the names
that absl defines for itself: `log_dir` is one of them, and TensorFlow 1.14 and later import absl's logging.
"""
import functools
import sys
from typing import Any, Callable, Iterator

from legacy_towers.compat import tf
from legacy_towers.oldtf import current


class OldFlags:
    """tf.flags.FLAGS, which reads the command line at the first look at a flag, and `_parse_flags`."""

    def _parse_flags(self, args: Any = None) -> None:
        current.say_once("FLAGS._parse_flags", "FLAGS(sys.argv)")
        tf.flags.FLAGS(sys.argv if args is None else [sys.argv[0]] + list(args))

    def __getattr__(self, name: str) -> Any:
        return getattr(tf.flags.FLAGS, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(tf.flags.FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(tf.flags.FLAGS, name)

    def __getitem__(self, name: str) -> Any:
        return tf.flags.FLAGS[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        tf.flags.FLAGS[name] = flag

    def __contains__(self, name: str) -> bool:
        return name in list(tf.flags.FLAGS)

    def __iter__(self) -> Iterator[str]:
        return iter(tf.flags.FLAGS)

    def __len__(self) -> int:
        return len(tf.flags.FLAGS)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return tf.flags.FLAGS(*arguments, **options)

    def __dir__(self) -> Any:
        return dir(tf.flags.FLAGS)

    def __str__(self) -> str:
        return str(tf.flags.FLAGS)


FLAGS = OldFlags()

# absl's logging looks at these of its flags as it runs: they can't be anything else.
_ABSL_NEEDS = frozenset(
    ["alsologtostderr", "logger_levels", "logtostderr", "showprefixforinfo", "stderrthreshold", "v", "verbosity"]
)
# A flag belongs to the module that defines it: that's not this one, but the script's.
tf.flags.disclaim_key_flags()


def _defining(define: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `define`, which takes names too that a library has taken before."""

    @functools.wraps(define)
    def defined(*arguments: Any, **keywords: Any) -> Any:
        try:
            return define(*arguments, **keywords)
        except tf.flags.DuplicateFlagError:
            name = arguments[0] if arguments else keywords.get("name", keywords.get("flag_name"))
            owner = str(tf.flags.FLAGS.find_module_defining_flag(name))
            if owner.split(".")[0] not in ("absl", "tensorflow") or name in _ABSL_NEEDS:
                raise
        current.say_once("the flag --{}".format(name), "the script's, not that of {}".format(owner))
        return define(*arguments, allow_override=True, **keywords)

    return defined


DEFINE_bool = _defining(tf.flags.DEFINE_bool)
DEFINE_boolean = _defining(tf.flags.DEFINE_boolean)
DEFINE_enum = _defining(tf.flags.DEFINE_enum)
DEFINE_float = _defining(tf.flags.DEFINE_float)
DEFINE_integer = _defining(tf.flags.DEFINE_integer)
DEFINE_list = _defining(tf.flags.DEFINE_list)
DEFINE_string = _defining(tf.flags.DEFINE_string)
