"""sklearn.feature_extraction.text, whose vectorizers have `get_feature_names`, as before scikit-learn 1.2."""
from typing import List

import sklearn.feature_extraction.text as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)


class _Names:
    def get_feature_names(self) -> List[str]:
        """Returns the terms in the order of the columns."""
        return list(self.get_feature_names_out())  # type: ignore[attr-defined]


if not hasattr(_now.CountVectorizer, "get_feature_names"):

    class CountVectorizer(_Names, _now.CountVectorizer):
        pass

    class TfidfVectorizer(_Names, _now.TfidfVectorizer):
        pass
