"""Where a prediction places variables, against where the strategies place those of a graph."""
import pytest
from scaling.simulated_links import job

from legacy_towers.compat import tf
from legacy_towers.scaling.placement import ServerLoad, on_servers
from legacy_towers.scaling.values import VariableCosts
from legacy_towers.variables.named import make_strategy
from legacy_towers.variables.partitioned import PartitionedVariables

SERVERS = ["/job:ps/task:0/device:CPU:0", "/job:ps/task:1/device:CPU:0", "/job:ps/task:2/device:CPU:0"]
ROWS = [48, 10, 32, 26, 5, 30]  # equal parts of up to 16 rows


@pytest.mark.parametrize("spec, max_part_bytes", [
    ("parameter_server:" + SERVERS[0], 0), ("balanced:" + ",".join(SERVERS), 0),
    ("partitioned:64+balanced:" + ",".join(SERVERS), 64),
])
def test_loads_are_those_of_the_variables_that_the_strategy_places(spec, max_part_bytes):
    strategy = make_strategy(spec, SERVERS)
    options = PartitionedVariables(strategy.partitioner).scope_options()
    device = strategy.placer().for_tower("/job:worker/task:0/device:CPU:0")
    with tf.device(device), tf.variable_scope("", use_resource=True, **options):
        for number, rows in enumerate(ROWS):
            tf.get_variable("v{}".format(number), [rows])
    found = [[] for _ in SERVERS]
    for variable in tf.global_variables():
        found[SERVERS.index(variable.device)].append(4 * variable.shape.num_elements())
    used = 1 if spec.startswith("parameter_server") else len(SERVERS)
    expected = on_servers(job([4 * rows for rows in ROWS]).variables, used, max_part_bytes)
    assert found[:used] == [[each.bytes for each in load.variables] for load in expected]
    assert found[used:] == [[]] * (len(SERVERS) - used)


def test_variables_go_to_the_server_with_the_fewest_bytes():
    variables = job([40, 10, 20, 5]).variables
    assert [[each.name for each in load.variables] for load in on_servers(variables, 2)] == [["v0"], ["v1", "v2", "v3"]]
    parts = on_servers(variables, 2, max_part_bytes=20)
    assert [(each.read_bytes, each.sent_bytes) for each in parts] == [(35, 35), (40, 40)]
    [empty] = on_servers([], 1)
    assert empty == ServerLoad([]) and empty.read_bytes == empty.sent_bytes == 0


def test_parts_of_a_table_share_its_lookups():
    table = VariableCosts("table", 80, 40, 24, 48, 1.0, rows=2, index_bytes=32)
    for load in on_servers([table], 4, max_part_bytes=20):
        assert (load.read_bytes, load.index_bytes, load.sent_bytes, load.tower_sent_bytes) == (10, 8, 6, 12)
