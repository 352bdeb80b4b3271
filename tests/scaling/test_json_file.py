"""Plans written as JSON, and the costs of the runtime read from them."""
import json

import pytest
from scaling.simulated_links import RUNTIME, job

from legacy_towers.errors import InputError
from legacy_towers.scaling.json_file import plan_json, read_runtime
from legacy_towers.scaling.plan import plan
from legacy_towers.scaling.values import Network


def test_plan_json_has_all_figures_and_its_runtime_can_be_read(tmp_path):
    found = plan(job([100 << 20], compute=0.2), Network(3.125e9, 5e-5, 8), RUNTIME, 4, 1)
    content = json.loads(plan_json(found))
    assert content["fastest"] == found.fastest.strategy
    assert content["job"]["variables"][0]["bytes"] == 100 << 20
    assert content["predictions"][0] == dict(
        strategy="replicated", workers=1, servers=0, step_seconds=0.2, examples_per_second=160.0, sent_bytes=0.0,
        received_bytes=0.0, parts={"compute": 0.2}, limited_by="compute",
        examples_per_second_range=None,
    )
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(content))
    assert read_runtime(str(path)) == RUNTIME


@pytest.mark.parametrize("text, sentence", [
    ("{", " is not JSON: "),
    ("[]", ' has no object "runtime"'),
    (json.dumps({"runtime": dict(RUNTIME._asdict(), hop_seconds=-1)}), "runtime.hop_seconds is -1: it must be a num"),
    (json.dumps({"runtime": dict(RUNTIME._asdict(), step_seconds=True)}), "runtime.step_seconds is True"),
    (json.dumps({"runtime": {"tensorflow": "2.21.0"}}), "runtime.hop_seconds is None"),
])
def test_files_without_the_costs_of_the_runtime_are_refused(tmp_path, text, sentence):
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_runtime(str(path))
    assert sentence in str(error.value)
