"""Which tasks of a cluster are missing, by their servers: one that answers, one that hangs, one that has ended."""
import socket

import ports
import waiting

import legacy_towers as lt
from legacy_towers.cluster.published import publish
from legacy_towers.cluster.records import STARTED, own_record
from legacy_towers.cluster.watch import Watch


def test_tasks_that_hang_or_have_ended_are_missing_and_one_that_answers_is_not():
    with ports.held(3) as held, socket.socket() as hanging:
        hanging.bind(("127.0.0.1", 0))
        hanging.listen(5)  # connects, and never answers
        addresses = [each.replace("localhost", "127.0.0.1") for each in held]
        addresses[1] = "127.0.0.1:{}".format(hanging.getsockname()[1])
        hosts = "worker={}".format(",".join(addresses))
        server = lt.cluster.start_server(lt.cluster.from_environment({}, hosts=hosts, task="worker:0"))
        cluster = lt.cluster.from_environment({}, hosts=hosts, task="worker:0")
        record = own_record(cluster, "job", {})._replace(state=STARTED)
        publish(server.target, cluster.task, record.as_json())
        watch = Watch(cluster, seconds=1.0)
        watch.start()
        try:
            assert watch.silent() == []
            assert waiting.happens(lambda: [each.is_missing for each in watch.silent()] == [True, True])
            ended, hangs = watch.silent()  # what has ended is first
            assert str(hangs).startswith("worker:1, which has not answered at {} for ".format(addresses[1]))
            assert str(ended) == "worker:2, which has ended: nothing listens at {}".format(addresses[2])
            other = Watch(cluster._replace(task=lt.cluster.Task("worker", 1)), seconds=600.0)
            other.start()
            [own] = [each for each in other.readers if each.task == cluster.task]
            assert waiting.happens(lambda: own.answered_at is not None)
            assert cluster.task not in [each.task for each in other.silent()]
            # As a process does that was started again.
            publish(server.target, cluster.task, record._replace(state="present").as_json())
            assert waiting.happens(lambda: "worker:0, which was started again at {}".format(addresses[0]) in map(
                str, other.silent()
            ))
            other.stop()
        finally:
            watch.stop()
