"""Names that Pillow, matplotlib and h5py removed.

This module does not import these libraries: only objects of a library that the script imported are passed to it.
"""
import importlib
from typing import Any, Callable, Dict, Optional, Tuple

# Name -> (the module that had it, the module and the name of its replacement).
OF_MODULES: Dict[str, Tuple[str, str, str]] = {
    "ANTIALIAS": ("PIL.Image", "PIL.Image", "LANCZOS"),
    "LINEAR": ("PIL.Image", "PIL.Image", "BILINEAR"),
    "CUBIC": ("PIL.Image", "PIL.Image", "BICUBIC"),
    "get_cmap": ("matplotlib.cm", "matplotlib.pyplot", "get_cmap"),
}


def _text_size(draw: Any, text: Any, *arguments: Any, **options: Any) -> Tuple[int, int]:
    left, _, right, below = draw.textbbox((0, 0), text, *arguments, **options)
    # textsize measured the height from the drawing position and the width from the first letter.
    return int(right - left), int(below)


def _size(font: Any, text: Any, *arguments: Any, **options: Any) -> Tuple[int, int]:
    left, _, right, below = font.getbbox(text, *arguments, **options)
    return int(right - left), int(below)


def _red_green_blue(canvas: Any) -> bytes:
    return bytes(importlib.import_module("numpy").asarray(canvas.buffer_rgba())[..., :3].tobytes())


# Name -> (the library whose objects had the method, a function that gets the object and the arguments).
OF_OBJECTS: Dict[str, Tuple[str, Callable[..., Any]]] = {
    "textsize": ("PIL", _text_size),
    "getsize": ("PIL", _size),
    "tostring_rgb": ("matplotlib", _red_green_blue),
}


def attribute(value: Any, name: str) -> Optional[Callable[[], Any]]:
    """Returns a function that returns the replacement of `value.name`, None if there is none."""
    if name in OF_MODULES and getattr(value, "__name__", None) == OF_MODULES[name][0]:
        _, module, replacement = OF_MODULES[name]
        return lambda: getattr(importlib.import_module(module), replacement)
    library = type(value).__module__.split(".")[0]
    if name in OF_OBJECTS and library == OF_OBJECTS[name][0]:
        function = OF_OBJECTS[name][1]
        return lambda: lambda *arguments, **options: function(value, *arguments, **options)
    if name == "value" and library == "h5py" and type(value).__name__ == "Dataset":
        return lambda: value[()]
    return None
