"""tf.flags as it was before TensorFlow 1.14.

FLAGS has `_parse_flags`, which parsed the command line before TensorFlow 1.5. Scripts may define flags with names that
absl defines too, such as `log_dir`: TensorFlow 1.14 and later import absl's logging, which defines that one.
"""
import functools
import sys
from typing import Any, Callable, Iterator

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.versions import tf


class OldFlags:
    """tf.flags.FLAGS with the method `_parse_flags`."""

    def _parse_flags(self, args: Any = None) -> None:
        user_script.report_replacement("FLAGS._parse_flags", "FLAGS(sys.argv)")
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

# Flags that absl's logging reads at run time: scripts can't redefine them.
_ABSL_NEEDS = frozenset(
    ["alsologtostderr", "logger_levels", "logtostderr", "showprefixforinfo", "stderrthreshold", "v", "verbosity"]
)
# A flag belongs to the module that defines it, which must be the script's and not this one.
tf.flags.disclaim_key_flags()


def _defining(define: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `define`, changed to redefine flags that absl or TensorFlow has defined."""

    @functools.wraps(define)
    def defined(*arguments: Any, **keywords: Any) -> Any:
        try:
            return define(*arguments, **keywords)
        except tf.flags.DuplicateFlagError:
            name = arguments[0] if arguments else keywords.get("name", keywords.get("flag_name"))
            owner = str(tf.flags.FLAGS.find_module_defining_flag(name))
            if owner.split(".")[0] not in ("absl", "tensorflow") or name in _ABSL_NEEDS:
                raise
        user_script.report_replacement("the flag --{} of {}".format(name, owner), "that of the script")
        return define(*arguments, allow_override=True, **keywords)

    return defined


DEFINE_bool = _defining(tf.flags.DEFINE_bool)
DEFINE_boolean = _defining(tf.flags.DEFINE_boolean)
DEFINE_enum = _defining(tf.flags.DEFINE_enum)
DEFINE_float = _defining(tf.flags.DEFINE_float)
DEFINE_integer = _defining(tf.flags.DEFINE_integer)
DEFINE_list = _defining(tf.flags.DEFINE_list)
DEFINE_string = _defining(tf.flags.DEFINE_string)
