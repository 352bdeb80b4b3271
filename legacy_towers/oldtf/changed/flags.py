"""tf.flags.FLAGS with `_parse_flags`, by which scripts from before TensorFlow 1.5 had the command line read."""
import sys
from typing import Any, Iterator

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
