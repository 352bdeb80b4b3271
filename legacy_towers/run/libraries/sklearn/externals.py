"""sklearn.externals with joblib, which is only a separate package since scikit-learn 0.23."""
import joblib

__all__ = ["joblib"]
