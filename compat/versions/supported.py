"""Which TensorFlow runs, which versions are supported on which Python, and the commands that install them."""
import re
import sys
from typing import Dict, NamedTuple, Optional, Tuple

from legacy_towers.compat.versions import packages

Pair = Tuple[int, int]


class Version(NamedTuple):
    major: int
    minor: int
    patch: int

    @property
    def pair(self) -> Pair:
        return (self.major, self.minor)


# TensorFlow -> the oldest and the newest Python with wheels of it.
SUPPORTED: Dict[Pair, Tuple[Pair, Pair]] = {
    (1, 15): ((3, 7), (3, 7)),
    (2, 13): ((3, 8), (3, 11)),
    (2, 14): ((3, 9), (3, 11)),
    (2, 15): ((3, 9), (3, 11)),
    (2, 16): ((3, 9), (3, 12)),
    (2, 17): ((3, 9), (3, 12)),
    (2, 18): ((3, 9), (3, 12)),
    (2, 19): ((3, 9), (3, 12)),
    (2, 20): ((3, 9), (3, 13)),
    (2, 21): ((3, 10), (3, 13)),
}
NEWEST = max(SUPPORTED)
# From here on tf.layers and tf.nn.rnn_cell come from the separate package tf_keras.
FIRST_WITH_KERAS_3: Pair = (2, 16)


def parse(text: str) -> Version:
    """Returns the version that `text` begins with: `2.21.0rc1` is (2, 21, 0).

    Raises:
        ValueError: `text` does not begin with two numbers.
    """
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    if found is None:
        raise ValueError("{!r} is not a version: it must begin like 2.21".format(text))
    major, minor, patch = found.groups()
    return Version(int(major), int(minor), int(patch or 0))


def dotted(pair: Pair) -> str:
    return "{}.{}".format(*pair)


def tensorflow_version() -> Optional[Version]:
    """Returns the version of the loaded TensorFlow or, if none is loaded, of the installed one; imports nothing.

    None if TensorFlow is not installed, or its version can't be read without importing it.
    """
    loaded = getattr(sys.modules.get("tensorflow"), "__version__", None)
    if loaded is not None:
        return parse(loaded)
    version = packages.tensorflow_version()
    return parse(version) if version is not None else None


def install_command(python: Pair) -> Optional[str]:
    """Returns the command that installs the newest TensorFlow supported on `python`, None if there is none."""
    fitting = [pair for pair, (oldest, newest) in SUPPORTED.items() if oldest <= python <= newest]
    if not fitting:
        return None
    newest_fitting = max(fitting)
    if newest_fitting == (1, 15):
        return 'pip install "tensorflow==1.15.5" "protobuf<3.21" "numpy<1.19"'
    command = 'pip install "tensorflow=={}.*"'.format(dotted(newest_fitting))
    if newest_fitting >= FIRST_WITH_KERAS_3:
        command += ' "tf_keras=={}.*"'.format(dotted(newest_fitting))
    return command


def missing_problem(python: Pair) -> str:
    """Returns the error message for a Python without TensorFlow."""
    command = install_command(python)
    if command is None:
        return (
            "TensorFlow is not installed, and no supported version has wheels for Python {}: use Python 3.7 to "
            "3.13".format(dotted(python))
        )
    return "TensorFlow is not installed: {}".format(command)


def unsupported_problem(version: Version, python: Pair) -> Optional[str]:
    """Returns the error message for an unsupported `version`, None if it is supported or newer than all tested."""
    if version.pair in SUPPORTED or version.pair > NEWEST:
        return None
    command = install_command(python)
    return "TensorFlow {}.{}.{} is not supported, only 1.15 and 2.13 to {} are: {}".format(
        version.major, version.minor, version.patch, dotted(NEWEST), command or "use Python 3.7 to 3.13"
    )


def untested_warning(version: Version) -> Optional[str]:
    """Returns the warning for a TensorFlow newer than all that were tested, else None."""
    if version.pair <= NEWEST:
        return None
    return "TensorFlow {} is newer than {}, the newest version that legacy_towers is tested with".format(
        dotted(version.pair), dotted(NEWEST)
    )
