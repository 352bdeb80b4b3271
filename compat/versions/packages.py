"""Which distributions are installed, read from their metadata without importing them."""
import importlib.util
from typing import Any, List, NamedTuple, Optional

# The usual distributions of TensorFlow; a vendor's build of another name is found by the files that it installed.
_TENSORFLOW_NAMES = (
    "tensorflow",
    "tensorflow-cpu",
    "tensorflow-gpu",
    "tensorflow-intel",
    "tensorflow-macos",
    "tensorflow-rocm",
    "tensorflow-cpu-aws",
    "intel-tensorflow",
    "tf-nightly",
    "tf-nightly-cpu",
)
_TF_KERAS_NAMES = ("tf_keras", "tf_keras-nightly")


class Distribution(NamedTuple):
    name: str
    version: str


def is_importable(module: str) -> bool:
    """Returns whether the top-level `module` can be imported, without importing it."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return False
    # A folder without __init__.py, left over from an uninstalled package, has a spec without an origin.
    return spec is not None and spec.origin is not None


def version_of(distribution: str) -> Optional[str]:
    """Returns the version of a distribution, None if it is not installed."""
    metadata = _metadata_module()
    if metadata is None:
        return None
    try:
        return str(metadata.version(distribution))
    except metadata.PackageNotFoundError:
        return None


def tensorflow_distributions() -> List[Distribution]:
    """Returns the distributions that installed the module `tensorflow`; more than one is a broken installation.

    A distribution without files of its own, as `tensorflow` is on Windows, where it only requires `tensorflow-intel`,
    does not count. Empty if no metadata is found.
    """
    metadata = _metadata_module()
    if metadata is None:
        return []
    known = []
    for name in _TENSORFLOW_NAMES:
        try:
            known.append(metadata.distribution(name))
        except metadata.PackageNotFoundError:
            continue
    owners = [each for each in known if _installed_tensorflow(each)]
    owners = owners or [each for each in metadata.distributions() if _installed_tensorflow(each)]
    # Some package managers write no RECORD of the files: the name decides then.
    return [Distribution(str(each.metadata["Name"]), str(each.version)) for each in owners or known]


def tf_keras_version() -> Optional[str]:
    """Returns the version of tf_keras, None if it is not installed or has no metadata."""
    versions = [version_of(name) for name in _TF_KERAS_NAMES]
    return next((version for version in versions if version is not None), None)


def _metadata_module() -> Any:
    """Returns importlib.metadata or its backport for Python 3.7, None if neither is installed.

    tensorboard, which TensorFlow 1.15 requires, installs the backport. It is imported late because it changes
    sys.meta_path.
    """
    try:
        from importlib import metadata
    except ImportError:
        try:
            import importlib_metadata as metadata  # type: ignore[import-not-found,no-redef]
        except ImportError:
            return None
    return metadata


def _installed_tensorflow(distribution: Any) -> bool:
    record = distribution.read_text("RECORD") or ""
    return "\ntensorflow/__init__.py," in "\n" + record
