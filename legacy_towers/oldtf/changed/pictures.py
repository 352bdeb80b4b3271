"""Names that PIL, matplotlib and h5py dropped, and scripts that read and draw pictures use.

Nothing here imports these libraries: what has the name is of them already.
"""
import importlib
from typing import Any, Callable, Dict, Optional, Tuple

# Name -> the module that had it, and what does the same: of which module, under which name.
OF_MODULES: Dict[str, Tuple[str, str, str]] = {
    "ANTIALIAS": ("PIL.Image", "PIL.Image", "LANCZOS"),
    "LINEAR": ("PIL.Image", "PIL.Image", "BILINEAR"),
    "CUBIC": ("PIL.Image", "PIL.Image", "BICUBIC"),
    "get_cmap": ("matplotlib.cm", "matplotlib.pyplot", "get_cmap"),
}


def _text_size(draw: Any, text: Any, *arguments: Any, **options: Any) -> Tuple[int, int]:
    left, _, right, below = draw.textbbox((0, 0), text, *arguments, **options)
    # The height was counted from where the text is drawn, the width from its first letter.
    return int(right - left), int(below)


def _size(font: Any, text: Any, *arguments: Any, **options: Any) -> Tuple[int, int]:
    left, _, right, below = font.getbbox(text, *arguments, **options)
    return int(right - left), int(below)


def _red_green_blue(canvas: Any) -> bytes:
    return bytes(importlib.import_module("numpy").asarray(canvas.buffer_rgba())[..., :3].tobytes())


# Name -> the library whose objects had it as a method, and what does it now.
OF_OBJECTS: Dict[str, Tuple[str, Callable[..., Any]]] = {
    "textsize": ("PIL", _text_size),
    "getsize": ("PIL", _size),
    "tostring_rgb": ("matplotlib", _red_green_blue),
}


def attribute(value: Any, name: str) -> Optional[Callable[[], Any]]:
    """Returns a function that gives what `value.name` was, None where this module knows nothing of it."""
    if name in OF_MODULES and getattr(value, "__name__", None) == OF_MODULES[name][0]:
        _, module, now = OF_MODULES[name]
        return lambda: getattr(importlib.import_module(module), now)
    library = type(value).__module__.split(".")[0]
    if name in OF_OBJECTS and library == OF_OBJECTS[name][0]:
        does = OF_OBJECTS[name][1]
        return lambda: lambda *arguments, **options: does(value, *arguments, **options)
    if name == "value" and library == "h5py" and type(value).__name__ == "Dataset":
        return lambda: value[()]
    return None
