"""sklearn.feature_extraction.text, whose vectorizers have `get_feature_names`, as before scikit-learn 1.2."""
from typing import Any, List

import sklearn.feature_extraction.text as _now

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})


def __getattr__(name: str) -> Any:
    return getattr(_now, name)


class _Names:
    def get_feature_names(self) -> List[str]:
        """Returns the terms in the order of the columns."""
        return list(self.get_feature_names_out())  # type: ignore[attr-defined]


if not hasattr(_now.CountVectorizer, "get_feature_names"):

    class CountVectorizer(_Names, _now.CountVectorizer):
        pass

    class TfidfVectorizer(_Names, _now.TfidfVectorizer):
        pass
