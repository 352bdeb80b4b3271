"""scipy.signal with the windows (gaussian, hann, ...), which only scipy.signal.windows has since scipy 1.13."""

import scipy.signal as _now
from scipy.signal import windows

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)
globals().update({name: getattr(windows, name) for name in windows.__all__})
