"""scipy.signal with the windows (gaussian, hann, ...), which only scipy.signal.windows has since scipy 1.13."""
from typing import Any

import scipy.signal as _now
from scipy.signal import windows

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
globals().update({name: getattr(windows, name) for name in windows.__all__})


def __getattr__(name: str) -> Any:
    return getattr(_now, name)
