"""sklearn.externals with joblib, which is a package of its own since scikit-learn 0.23."""
import joblib

__all__ = ["joblib"]
