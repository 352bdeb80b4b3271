"""The reader of file descriptor 2: it recognizes log messages, holds them and prints other output."""
import os

import pytest

from legacy_towers.tensorflow_logs import split_lines
from legacy_towers.tensorflow_logs.reader import Reader, severity_of

# As TF 1.15, 2.13 and 2.21 write them; WITH_THREAD is with TF_CPP_LOG_THREAD_ID=1.
OLD = b"2026-11-22 16:10:43.088882: I tensorflow/core/platform/cpu_feature_guard.cc:142] Your CPU supports AVX2\n"
ERROR = b"2026-11-22 16:10:43.095801: E tensorflow/stream_executor/cuda/cuda_driver.cc:318] failed call to cuInit\n"
WITH_THREAD = b"2026-11-22 16:10:43.095801: W   18462 tensorflow/core/framework/op.cc:7] something\n"
ABSEIL = b"I0000 00:00:1795363835.947992   18462 cuda_dso_loader.cc:65] Could not find cuda drivers\n"
GLOG = b"W1122 16:10:43.088882   18462 local_rendezvous.cc:412] Local rendezvous is aborting\n"
FATAL = b"F0000 00:00:1795363835.947992   18462 tensor.cc:99] Check failed: 1 == 2\n"
BEFORE = b"WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\n"


@pytest.fixture
def printed():
    """A function that passes packets to a reader, calls `show`, and returns what the reader printed."""
    source, target = os.pipe()
    os.set_blocking(source, False)

    def take(*packets, least=None):
        reader = Reader(target)
        for packet in packets:
            reader.take(packet)
        if least is not None:
            reader.show(least)
        try:
            return os.read(source, 2**16)
        except BlockingIOError:
            return b""

    yield take
    os.close(source)
    os.close(target)


@pytest.mark.parametrize(
    "line, severity",
    [
        (OLD, "I"), (ERROR, "E"), (WITH_THREAD, "W"), (ABSEIL, "I"), (GLOG, "W"), (FATAL, "F"), (BEFORE, "I"),
        (b"step 100: loss 2.3\n", ""),
        (b"2026-11-22 16:10:43.088882: loss 2.3\n", ""),
        (b"2026-11-22 16:10:43,088 I train.py:142] loss\n", ""),
        (b"INFO:tensorflow:Saving checkpoints\n", ""),
        (b"W1122 late\n", ""),
        (b" " + OLD, ""),
        (b"", ""),
    ],
)
def test_severity_of(line, severity):
    assert severity_of(line) == severity


def test_messages_are_held_and_everything_else_is_forwarded(printed):
    assert printed(b"one\n", OLD, b"two\n", b"\rthree", ABSEIL, b" four\n") == b"one\ntwo\n\rthree four\n"


def test_a_message_of_several_lines_is_held_as_a_whole(printed):
    message = ABSEIL + b"On this machine: none.\n"
    assert printed(message, b"user\n") == b"user\n"
    assert printed(message, b"user\n", least="I") == b"user\nTensorFlow's log:\n" + message


def test_a_message_longer_than_a_packet_is_held_as_a_whole(printed):
    message = ERROR[:-1] + b"x" * 5000 + b"\n"
    assert printed(message[:4096], message[4096:], b"user\n") == b"user\n"
    assert printed(message[:4096], message[4096:], least="E") == b"TensorFlow's log:\n" + message


@pytest.mark.parametrize(
    "least, shown", [("I", OLD + GLOG + ERROR), ("W", GLOG + ERROR), ("E", ERROR)],
)
def test_show_prints_messages_of_a_severity_or_higher(printed, least, shown):
    assert printed(OLD, GLOG, ERROR, least=least) == b"TensorFlow's log:\n" + shown


@pytest.mark.parametrize("message", [
    BEFORE,
    b"I0000 00:00:1795857053.176195   32454 port.cc:153] oneDNN custom operations are on. You may see differences.\n",
    b"I0000 00:00:1795857053.256823   32454 cpu_feature_guard.cc:227] This TensorFlow binary is optimized to use "
    b"available CPU instructions in performance-critical operations.\nTo enable the following instructions: AVX2\n",
    b"I0000 00:00:1795857057.298991     525 master.cc:243] Scanning workers for devices: 1 total workers\n",
    b"W0000 00:00:1795857058.008103     628 local_rendezvous.cc:412] Local rendezvous is aborting with status: ABORTED"
    b": Cleanup 132155199795338285 [type.googleapis.com/tensorflow.DerivedStatus='']\n",
    b"2026-11-28 09:02:31.475801: I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:365] Started server "
    b"with target: grpc://localhost:38339\n",
    b"2026-11-28 09:02:22.351876: I tensorflow/compiler/xla/service/service.cc:176]   StreamExecutor device (0): Host, "
    b"Default Version\n",
])
def test_routine_messages_are_not_held(printed, message):
    assert printed(message, GLOG, b"user\n", least="I") == b"user\nTensorFlow's log:\n" + GLOG
    assert printed(message, least="I") == b""


def test_show_without_held_messages_prints_nothing(printed):
    assert printed(OLD, least="E") == b""
    assert printed(b"user\n", least="I") == b"user\n"


def test_a_fatal_message_is_printed_at_once_after_all_held_messages(printed):
    assert printed(OLD, FATAL, b"*** Check failure stack trace: ***\n") == (
        b"TensorFlow's log:\n" + OLD + FATAL + b"*** Check failure stack trace: ***\n"
    )


def test_only_the_first_and_the_last_of_many_messages_are_held(printed):
    messages = [OLD.replace(b"AVX2", b"%d" % number) for number in range(1000)]
    shown = printed(*messages, least="I").splitlines(keepends=True)
    assert shown == [b"TensorFlow's log:\n"] + messages[:200] + [b"(500 more messages are left out)\n"] + messages[700:]


def test_split_lines_separates_log_lines_from_others():
    text = "one\n" + ABSEIL.decode() + "two\n" + OLD.decode()
    assert split_lines(text) == ((ABSEIL + OLD[:-1]).decode(), "one\ntwo")
