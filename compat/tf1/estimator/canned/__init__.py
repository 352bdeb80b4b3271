"""The canned estimators and their networks."""
