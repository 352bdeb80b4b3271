"""sklearn.externals with joblib, which is only a separate package since scikit-learn 0.23."""
import joblib
import sklearn.externals as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)
__all__ = ["joblib"]
