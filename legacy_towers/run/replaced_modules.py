"""The modules of Python and of libraries that are replaced in the import statements of a script."""
from typing import Dict

from legacy_towers.run.libraries import registry

_FOLDER = "legacy_towers.run.dynamic_imports."
# Modules of Python that load files or start programs -> their replacements, which load the script's files as its import
# statements do. They are needed on every Python, unlike the library shims.
_DYNAMIC_IMPORTS: Dict[str, str] = {
    "importlib": _FOLDER + "importlib_shim",
    "importlib.machinery": _FOLDER + "machinery_shim",
    "importlib.util": _FOLDER + "util_shim",
    "imp": _FOLDER + "imp_shim",
    "subprocess": _FOLDER + "subprocess_shim",
    "runpy": _FOLDER + "runpy_shim",
}


def replaced_modules() -> Dict[str, str]:
    """Returns module -> the module that a script imports instead."""
    return dict(registry.needed_shims(), **_DYNAMIC_IMPORTS)
