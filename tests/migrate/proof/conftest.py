import pytest
import queue_inputs


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    return queue_inputs.write_files(str(tmp_path_factory.mktemp("queue_inputs")))
