"""scipy.misc as of scipy 1.0: its image functions (imread, imresize, imsave, ...), with Pillow, and small functions.

scipy 1.2 removed the image functions, 1.3 the functions that scipy.special has, and 1.12 the rest.
"""
import importlib
from typing import Any, Optional, Union

import numpy as np

from legacy_towers.run.libraries.views import OF_IMPORTS as _OF_IMPORTS

__all__ = [
    "bytescale",
    "comb",
    "derivative",
    "factorial",
    "fromimage",
    "imread",
    "imresize",
    "imrotate",
    "imsave",
    "logsumexp",
    "toimage",
]


def __getattr__(name: str) -> Any:
    try:
        of_scipy: Any = importlib.import_module("scipy.misc")
    except ModuleNotFoundError:  # since scipy 1.14
        of_scipy = None
    if name in _OF_IMPORTS or not hasattr(of_scipy, name):
        raise AttributeError("module 'scipy.misc' has no attribute {!r}".format(name))
    return getattr(of_scipy, name)


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        text = "the image functions of scipy.misc need Pillow, which is not installed: pip install Pillow"
        raise ImportError(text) from error
    return Image


def bytescale(
    data: Any, cmin: Optional[float] = None, cmax: Optional[float] = None, high: int = 255, low: int = 0
) -> np.ndarray:
    """Returns `data` as uint8, scaled from [cmin, cmax] (by default its minimum and maximum) to [low, high]."""
    data = np.asarray(data)
    if data.dtype == np.uint8:
        return data
    smallest = data.min() if cmin is None else cmin
    largest = data.max() if cmax is None else cmax
    width = (largest - smallest) or 1
    scaled = (data * 1.0 - smallest) * ((high - low) / float(width)) + low
    return (scaled.clip(low, high) + 0.5).astype(np.uint8)


def fromimage(im: Any, flatten: bool = False, mode: Optional[str] = None) -> np.ndarray:
    """Returns the Pillow image `im` as an array [height, width] or [height, width, channels]."""
    if mode is not None and mode != im.mode:
        im = im.convert(mode)
    elif im.mode == "P":
        im = im.convert("RGBA" if "transparency" in im.info else "RGB")
    elif im.mode == "1":
        im = im.convert("L")
    return np.array(im.convert("F") if flatten else im)


def imread(name: Any, flatten: bool = False, mode: Optional[str] = None) -> np.ndarray:
    """Reads the image file `name`; with `flatten` returns one channel of float32."""
    with _pillow().open(name) as image:
        return fromimage(image, flatten, mode)


def toimage(
    arr: Any,
    high: int = 255,
    low: int = 0,
    cmin: Optional[float] = None,
    cmax: Optional[float] = None,
    pal: Any = None,
    mode: Optional[str] = None,
    channel_axis: Optional[int] = None,
) -> Any:
    """Returns an array as a Pillow image.

    Args:
      arr: [height, width], or [height, width, 3 or 4] with its axes in any order.

    Raises:
      ValueError: the array has another shape, or `pal` is given, which is not supported.
    """
    if pal is not None:
        raise ValueError("toimage(pal=...) is not supported: create the image with Pillow's Image.putpalette")
    data = np.asarray(arr)
    if mode == "F":
        return _pillow().fromarray(data.astype(np.float32))
    if mode == "I":
        return _pillow().fromarray(data.astype(np.int32))
    if data.ndim == 3:
        axes = [axis for axis in range(3) if data.shape[axis] in (3, 4)]
        if channel_axis is None and not axes:
            raise ValueError("no axis of the shape {} has 3 or 4 channels".format(data.shape))
        # The first axis that may be the channels, as in scipy.
        data = np.moveaxis(data, axes[0] if channel_axis is None else channel_axis, -1)
    elif data.ndim != 2:
        raise ValueError("an image has the shape [height, width] or 3 or 4 channels as well, not {}".format(data.shape))
    return _pillow().fromarray(bytescale(data, cmin, cmax, high, low), mode=None)


def imsave(name: Any, arr: Any, format: Optional[str] = None) -> None:  # noqa: A002
    """Writes the array as an image file; values of other types than uint8 are scaled to [0, 255]."""
    toimage(arr, channel_axis=2 if np.ndim(arr) == 3 else None).save(name, format)


def imresize(
    arr: Any, size: Union[int, float, tuple], interp: str = "bilinear", mode: Optional[str] = None
) -> np.ndarray:
    """Returns the resized image as uint8.

    Args:
      size: percent (int), a fraction (float), or (height, width).
      interp: "nearest", "lanczos", "bilinear", "bicubic" or "cubic".
    """
    image = toimage(arr, mode=mode)
    if isinstance(size, (int, np.integer)):
        size = size / 100.0
    if isinstance(size, (float, np.floating)):
        width, height = (int(side * size) for side in image.size)
    else:
        height, width = size[:2]
    return fromimage(image.resize((int(width), int(height)), _filter(interp)))


def imrotate(arr: Any, angle: float, interp: str = "bilinear") -> np.ndarray:
    """Returns the image rotated counter-clockwise by `angle` degrees, in the same size."""
    return fromimage(toimage(arr).rotate(angle, resample=_filter(interp)))


def _filter(interp: str) -> Any:
    image = _pillow()
    return getattr(getattr(image, "Resampling", image), "BICUBIC" if interp == "cubic" else interp.upper())


def logsumexp(*arguments: Any, **options: Any) -> Any:
    from scipy import special

    return special.logsumexp(*arguments, **options)


def factorial(*arguments: Any, **options: Any) -> Any:
    from scipy import special

    return special.factorial(*arguments, **options)


def derivative(func: Any, x0: float, dx: float = 1.0, n: int = 1, args: tuple = (), order: int = 3) -> Any:
    """Returns the n-th derivative of `func` at `x0` by central differences.

    Args:
      dx: the distance between the points.
      n: 1 or 2.
      order: the number of points, odd.

    Raises:
      ValueError: `n` is neither 1 nor 2, or `order` is even or too small.
    """
    if n not in (1, 2) or order < n + 1 or order % 2 == 0:
        raise ValueError("derivative supports n=1 and n=2 and an odd order > n, not n={}, order={}".format(n, order))
    points = np.arange(order) - order // 2
    # The weights that are exact for all polynomials of a degree below `order`.
    powers = points[None, :].astype(float) ** np.arange(order)[:, None]
    wanted = np.where(np.arange(order) == n, float(n), 0.0)
    weights = np.linalg.solve(powers, wanted)
    return sum(weight * func(x0 + point * dx, *args) for weight, point in zip(weights, points)) / dx**n


def comb(*arguments: Any, **options: Any) -> Any:
    from scipy import special

    return special.comb(*arguments, **options)
