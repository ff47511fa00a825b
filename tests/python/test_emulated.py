# SPDX-License-Identifier: Apache-2.0
"""Ranks on hosts that the program emulates: started, measured over, and gone afterwards."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from rich.console import Console

from conftest import ROOT, SMALL, completed, set_options, wait_for
from subcurrent.errors import BAD_INPUT, OK, BadInput
from subcurrent.foresight.tune import TuneRequest, tune
from subcurrent.launch import emulated

OPTIONS = ("--steps", "1", "--repeats", "1", "--sweeps", "5", "--strategies", "pipelined", "--out", "s")


def spaces() -> list[str]:
    """Namespaces of emulated hosts that the kernel knows."""
    folder = Path("/run/netns")
    return sorted(p.name for p in folder.glob("subcurrent-*")) if folder.is_dir() else []


def why_not() -> str:
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not (shutil.which("ip") and shutil.which("tc")):
        return "iproute2 is missing"
    if spaces():
        return "emulated hosts of somebody else are there"
    return ""


@pytest.fixture
def hosts():
    if why := why_not():
        pytest.skip(why)
    try:
        with emulated.network("1gbit", 2):
            pass
    except BadInput as error:
        pytest.skip(error.sentence)


def sent(host: str) -> int:
    """Bytes that a host has sent to the others."""
    line = ["ip", "netns", "exec", host, "cat", "/sys/class/net/mpi0/statistics/tx_bytes"]
    return int(completed(line, check=True).stdout)


@pytest.mark.parametrize(
    "rate",
    ["100", "fast", "0mbit", "none", "-1mbit", "100mbit; true", "rdma:", "rdma:fast", "rdma:rdma:1mbit"],
)
def test_a_rate_that_is_none_is_one_sentence(rate):
    with pytest.raises(BadInput, match="whole number of kbit, mbit or gbit"):
        emulated.check(rate, 2)


@pytest.mark.parametrize(("network", "bytes_per_second"), [("rdma:8gbit", 1e9), ("rdma:40kbit", 5e3)])
def test_an_adapter_sends_bytes(monkeypatch, network, bytes_per_second):
    """It needs neither root nor hosts, and no launcher of its own."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "0")
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    emulated.check(network, 100)
    assert emulated.adapter_rate(network) == bytes_per_second
    assert emulated.adapter_rate("8gbit") == emulated.adapter_rate(None) == 0


@pytest.mark.parametrize("count", [1, 17])
def test_hosts_are_two_to_sixteen(count):
    with pytest.raises(BadInput, match=f"-n {count} must be from 2 to 16"):
        emulated.check("100mbit", count)


def test_without_root_it_is_one_sentence(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(BadInput, match="--network 100mbit needs root"):
        emulated.check("100mbit", 2)


def test_ranks_of_somebody_else_are_refused(monkeypatch):
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "0")
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    with pytest.raises(BadInput, match="do not run it under mpirun"):
        emulated.check("100mbit", 2)


def test_the_tool_of_the_repository_is_that_of_the_package():
    assert (ROOT / "tools" / "emulated-cluster").resolve() == emulated.SCRIPT.resolve()


@pytest.mark.mpi
def test_strategies_over_an_emulated_network(program, hosts):
    """100 sweeps with halos of 16² doubles are 205 kB in either direction: at 2 Mbit/s, less the bucket of
    64 KiB, at least half a second, which on one host takes milliseconds."""
    program.write_case(SMALL)
    sweeps = (*OPTIONS, "--sweeps", "100")
    done = program.ok("strategies", "case.toml", "-n", "2", "--network", "2mbit", *sweeps, timeout=120)
    assert "2mbit between hosts" in done.stdout
    table = json.loads((program.folder / "s" / "strategies.json").read_text())
    assert (table["ranks"], table["network"], len(table["rows"])) == (2, "2mbit", 3)
    assert (program.folder / "s" / "figures" / "strategies.png").exists()
    assert not spaces()
    program.ok("strategies", "case.toml", "-n", "2", *sweeps, "--overwrite", timeout=120)
    on_node = json.loads((program.folder / "s" / "strategies.json").read_text())
    assert "network" not in on_node
    fastest = min(row["T"] for row in table["rows"])
    assert fastest > 0.5  # the wire holds it up, however fast the machine is
    assert min(row["T"] for row in on_node["rows"]) < fastest  # however busy it is


@pytest.mark.mpi
def test_strategies_over_an_emulated_adapter(program):
    """100 sweeps with halos of 16² doubles are 205 kB in either direction: 0.82 s at 2 Mbit/s, which hides
    behind nothing, and no less."""
    program.write_case(SMALL)
    sweeps = (*OPTIONS, "--sweeps", "100")
    done = program.ok("strategies", "case.toml", "-n", "2", "--network", "rdma:2mbit", *sweeps, timeout=120)
    assert "sent 2mbit without the processor" in done.stdout
    assert "2mbit by RDMA between ranks" in done.stdout
    table = json.loads((program.folder / "s" / "strategies.json").read_text())
    assert (table["ranks"], table["network"], len(table["rows"])) == (2, "rdma:2mbit", 3)
    assert (program.folder / "s" / "figures" / "strategies.png").exists()
    assert 0.81 < min(row["T"] for row in table["rows"]) < 4


@pytest.mark.mpi
@pytest.mark.timeout(300)
def test_tuning_over_an_emulated_network_is_kept_apart(program, hosts):
    """A face of 64² cells of two fields in single is 32 KiB: at 10 Mbit/s, less the bucket of 64 KiB for all
    of a turn, its four steps take 50 ms at least. No run on this machine takes the answer."""
    case = ("nickel_small", "--set", "grid.cells=[64,64,16]", "--set", "engine.split=[1,1,2]")
    kept = ("engine.steps_per_pass=1", "engine.poke_ms=0.5", "engine.corners=direct")
    few = set_options(*kept)
    wire = ("--network", "10mbit")
    less = ("--threads", "1", "--steps", "4", "--repeats", "2")
    done = program.ok("tune", *case, *few, "-n", "2", *less, *wire, timeout=240)
    assert "2 emulated hosts with one rank each, connected at 10mbit" in done.stdout
    assert "`run` ignores measurements" in done.stdout
    assert not spaces()
    again = ("--threads", "1", "--show")
    program.ok("tune", *case, *few, *again, *wire)
    here = program("tune", *case, *few, *again)
    assert here.returncode == BAD_INPUT
    assert "--show finds no measurements" in here.stderr
    (file,) = Path(program.environment["SUBCURRENT_TUNED"]).glob("*.json")
    record = json.loads(file.read_text())
    assert record["network"] == "10mbit"
    (group,) = record["groups"]
    assert (group["ranks"], group["threads"]) == (2, 1)
    assert min(min(row["T_all"]) for row in group["rows"]) > 0.05 / 4
    assert not any("engine.transport" in row["settings"] for row in group["rows"])


@pytest.mark.mpi
@pytest.mark.timeout(200)
def test_counts_are_measured_between_hosts(program, hosts):
    """A face of 64² cells of two fields in single is 32 KiB, whichever axis is cut: of the four steps of a
    round at 2 Mbit/s, less the bucket of 64 KiB, one takes 64 ms at least."""
    case = ("nickel_small", "--set", "grid.cells=[64,64,64]", "--set", "engine.split=auto")
    few = ("--steps", "4", "--repeats", "2", "--out", "out")
    done = program.ok("scale", *case, "-n", "1,2", *few, "--network", "2mbit", timeout=150)
    assert "2mbit between hosts" in done.stdout
    one, two = json.loads((program.folder / "out" / "scale.json").read_text())
    assert (one["network"], two["network"]) == (None, "2mbit")
    assert two["least"] > 0.05
    assert not spaces()
    none = program("scale", *case, "-n", "1,17", *few, "--network", "2mbit")
    assert none.returncode == BAD_INPUT
    assert len(none.stderr.splitlines()) == 1


def test_tuning_without_root_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    request = TuneRequest("nickel_small", network="100mbit")
    with pytest.raises(BadInput, match="--network 100mbit needs root"):
        tune(request, Console())


def test_the_rate_is_the_wire_s_and_the_hosts_are_gone(hosts):
    """2 MB at 8 Mbit/s take two seconds, less the bucket of 64 KiB."""
    serve = "import socket; s = socket.create_server(('10.78.0.2', 5000)); c = s.accept()[0]\n"
    serve += "while c.recv(65536): pass"
    send = "import socket, time; time.sleep(0.5); c = socket.create_connection(('10.78.0.2', 5000))\n"
    send += "t = time.monotonic(); c.sendall(bytes(2000000)); c.shutdown(socket.SHUT_WR); c.recv(1)\n"
    send += "print(time.monotonic() - t)"

    def on(host: int, text: str) -> subprocess.Popen:
        line = ["ip", "netns", "exec", f"subcurrent-{host}", "python3", "-c", text]
        return subprocess.Popen(line, stdout=subprocess.PIPE, text=True)

    with emulated.network("8mbit", 2):
        assert len(spaces()) == 3  # two hosts and the switch
        server, client = on(1, serve), on(0, send)
        seconds = float(client.communicate(timeout=30)[0])
        server.wait(timeout=30)
        assert sent("subcurrent-0") > 2_000_000
        with pytest.raises(BadInput, match="cannot use the names of emulated hosts"):
            emulated.check("100mbit", 2)
    assert not spaces()
    assert 1.6 < seconds < 4.0


@pytest.mark.mpi
def test_nothing_is_left_of_a_program_that_is_killed(program, hosts):
    program.write_case(SMALL)
    options = (*OPTIONS, "--repeats", "1000000")
    line = program.command("strategies", "case.toml", "-n", "2", "--network", "10mbit", *options)
    running = subprocess.Popen(
        line,
        cwd=program.folder,
        env=program.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(spaces, 30)
        time.sleep(1)
        running.send_signal(signal.SIGKILL)
    finally:
        running.kill()
        running.wait()
    wait_for(lambda: not spaces(), 15)


@pytest.mark.mpi
@pytest.mark.parametrize("network", [(), ("--network", "100mbit")])
def test_a_request_to_stop_ends_it_after_a_round(program, request, network):
    """Ctrl-C ended the script between launcher and mpirun, and with it the ranks, at once."""
    if network:
        request.getfixturevalue("hosts")
    program.write_case(SMALL)
    options = (*OPTIONS, "--repeats", "1000000")
    running = program.start("strategies", "case.toml", "-n", "2", *network, *options)
    try:
        lines = iter(running.stdout.readline, "")
        assert any("%" in line and "warm-up" not in line for line in lines)  # a round has begun to count
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=60)[0]
    finally:
        running.kill()
        running.wait()
    assert running.returncode == OK, said
    assert "stopping (a second signal stops at once)" in said
    assert "checkpoint" not in said
    table = json.loads((program.folder / "s" / "strategies.json").read_text())
    assert 0 < table["repeats"] < 1000000
    assert all(len(row["T_all"]) == table["repeats"] for row in table["rows"])
    assert not spaces()


def test_a_network_that_cannot_be_made_says_why(monkeypatch, tmp_path):
    fake = tmp_path / "script"
    fake.write_text('echo "emulated-cluster: no rights" >&2; exit 3')
    monkeypatch.setattr(emulated, "SCRIPT", fake)
    with pytest.raises(BadInput, match="--network cannot be emulated here: no rights"):
        emulated._script("up", "2", "100mbit")
    assert BadInput.exit_code == BAD_INPUT
