"""The demo: one quick run of it, its checks, its search for the secret key, and its messages."""

import multiprocessing
import os
import pathlib
import random
import re
import signal
import subprocess
import sys

import pytest
import torch

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")
pytest.importorskip("rich")

from matplotlib import image  # noqa: E402

from fhelium.demo import __main__ as command  # noqa: E402
from fhelium.demo import digits, keyscan, model, packing, report  # noqa: E402
from fhelium.demo.wire import PeerError, Wire  # noqa: E402
from fhelium.eager import Engine  # noqa: E402

QUICK = ["-m", "fhelium.demo", "--quick"]


def run(*arguments: str, folder: pathlib.Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=240, cwd=folder, env=os.environ | {"COLUMNS": "120"})


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """A finished quick run, and its folder."""
    folder = tmp_path_factory.mktemp("demo")
    return run(*QUICK, folder=folder), folder


def test_ends_well_and_says_everything(quick):
    done, _ = quick
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    for text in (
        "slots8192-scale40-depth7-int64", "128 bits, classical: meets", "ternary", "accuracy, clear", "accuracy, encrypted",
        "64 of 64, 100%", "largest logit error", "ms an image", "evaluation keys", "searched for the secret key", "client: make keys",
        "client: encrypt", "transfer", "server: evaluate", "client: decrypt", "secret-key-absent", "picture: out/demo.png",
    ):  # fmt: skip
        assert text in done.stdout
    assert done.stdout.count("holds") == 8
    assert "FAILS" not in done.stdout


def test_prints_the_table_that_the_readme_shows(quick):
    # Mutant: rename a row of the table of results.
    done, _ = quick
    rows = re.findall(r"(?m)^│ (.*?) +│", (pathlib.Path(__file__).parents[1] / "README.md").read_text())
    assert len(rows) > 4
    assert [row for row in rows if f"│ {row} " not in done.stdout] == []


def test_is_plain_without_a_terminal(quick):
    done, _ = quick
    assert "\x1b" not in done.stdout
    assert "\r" not in done.stdout


def test_draws(quick):
    _, folder = quick
    path = folder / "out" / "demo.png"
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    drawn = image.imread(path)
    assert drawn.shape[0] > 500
    assert drawn.shape[1] > 1000
    assert drawn[..., :3].std() > 0.05


# Fails when the exit status does not follow the checks.
def test_a_failed_check_is_exit_status_1(tmp_path):
    code = "import sys; from fhelium.demo import report; report.LARGEST_ERROR = 1e-11; from fhelium.demo.__main__ import main; sys.exit(main())"
    done = run("-c", code, "--quick", "--images", "1", folder=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.count("FAILS") == 1
    assert done.stdout.count("holds") == 7


# Fails when the server hears the same Ctrl-C, or when one is lost while the server starts.
@pytest.mark.parametrize("after", ["train the network", "make keys"])
def test_ctrl_c_ends_both_processes_quietly(tmp_path, after):
    with subprocess.Popen(
        [sys.executable, "-u", *QUICK], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path, start_new_session=True
    ) as demo:
        # The server starts after the training, and has loaded the Go core when keys are made.
        assert any(after in line for line in iter(demo.stdout.readline, ""))
        os.killpg(demo.pid, signal.SIGINT)
        rest, _ = demo.communicate(timeout=60)
    assert rest == "stopped\n"
    assert demo.returncode == 130


# The checks.


def outcome(**wrong):
    """The names of the checks that fail for a run that is right but for what is named."""
    generator = torch.Generator().manual_seed(3)
    names = {"images": 64, "linear 1": 64, "activation 1": 64, "logits": 10}
    clear = {name: torch.rand(20, width, dtype=torch.float64, generator=generator) for name, width in names.items()}
    encrypted = {name: torch.nn.functional.pad(value + 1e-6, (0, 64 - value.shape[1]), value=9.0) for name, value in clear.items()}
    if "logits" in wrong:
        encrypted["logits"] = wrong["logits"](encrypted["logits"].clone(), clear["logits"])
    clear["linear 1"] *= wrong.get("argument", 1)
    found = report.compare(clear, encrypted, clear["logits"].argmax(1))
    crossing = report.Crossing(1000, wrong.get("found", 0), 22, wrong.get("planted", 22), wrong.get("held", "secret-key-absent"))
    return [check.name for check in report.checks(found, crossing, wrong.get("accuracy", 0.98)) if not check.passed]


def corrupt(logits, _):
    logits[7, logits[7, :10].argmin()] = 2
    return logits


def not_a_number(logits, _):
    logits[7, 3] = torch.nan
    return logits


AGREE, BELOW, ABOVE = "both runs predict the same digits", "logit errors below 0.001", "logit errors above 1e-12: it was encrypted"


@pytest.mark.parametrize(
    ("wrong", "failing"),
    [
        ({}, []),
        ({"logits": corrupt}, [AGREE, BELOW]),
        ({"logits": lambda logits, _: logits + 2e-3}, [BELOW]),
        ({"logits": lambda _, clear: clear}, [ABOVE]),
        ({"logits": not_a_number}, [AGREE, BELOW, ABOVE]),
        ({"argument": 1.5}, ["activations in their fitted range"]),
        ({"accuracy": 0.5}, ["the network learned the digits"]),
        ({"found": 1}, ["the secret key did not cross"]),
        ({"planted": 21}, ["planted pieces of it are found"]),
        ({"held": "SecretKey"}, ["the server has no secret key"]),
    ],
)
def test_checks_fail_for_what_is_wrong(wrong, failing):
    assert outcome(**wrong) == failing


# The search for the secret key.


@pytest.fixture(scope="module")
def secret():
    with Engine("slots1024-scale40-depth3-int64-insecure") as engine:
        key = engine.create_secret_key()
        yield key, keyscan.forms(engine, key)


def test_finds_the_key_in_its_own_bytes(secret):
    key, forms = secret
    scan = keyscan.KeyScan(forms)
    found = {f.form for f in scan([b"before", key.to_bytes(allow_secret=True)])}
    assert found == {form for form in forms if form.endswith("NTT")}
    assert len(forms) == 2 * len(key.prime_ids) + 2


# Fails when the chunks of the search do not overlap, or when it looks at some alignments alone.
@pytest.mark.parametrize("at", [0, 1, 7, 1000, (1 << 16) - 300, (1 << 16) - 255, (1 << 16) + 3, 199_488])
def test_finds_511_bytes_of_every_form_anywhere(secret, at):
    _, forms = secret
    scan = keyscan.KeyScan(forms)
    noise = random.Random(at).randbytes(200_000)
    assert scan([noise]) == []
    for form, row in forms.items():
        assert len(row) in (2048, 8 * 2048)
        piece = row[len(row) // 2 + 5 :][:511]
        found = scan([b"", noise, noise[:at] + piece + noise[at + 511 :]])
        assert {(f.form, f.message) for f in found} == {(form, 2)}
        assert all(at <= f.offset < at + 256 for f in found)


def test_does_not_take_public_values_for_the_key(secret):
    key, forms = secret
    with Engine("slots1024-scale40-depth3-int64-insecure") as engine:
        engine.set_secret_key(key)
        public = [engine.encrypt_message(torch.ones(5)).to_bytes(), engine.create_relinearization_key().to_bytes(), bytes(5000)]
    assert keyscan.KeyScan(forms)(public) == []


def test_planted_pieces_leave_the_length(secret):
    _, forms = secret
    carrier = bytes(10_001)
    for row in forms.values():
        planted = keyscan.plant(carrier, row)
        assert len(planted) == len(carrier)
        assert keyscan.KeyScan(forms)([planted])


# Packing, the network, and the wire.


@pytest.mark.parametrize("images", [1, 127, 128, 129, 360])
def test_packing_is_undone(images):
    features = torch.rand(images, 64, dtype=torch.float64)
    slots = packing.pack(features)
    assert slots.shape == (-(-images // 128), 8192)
    assert slots[0, 5 * 128] == features[0, 5]
    assert torch.equal(packing.unpack(slots, images, 64), features)
    assert torch.equal(packing.unpack(slots, images, 10), features[:, :10])


def test_a_bias_reaches_all_lanes():
    slots = packing.spread(torch.tensor([1.0, 2.0]))
    assert torch.equal(slots[:256], torch.tensor([1.0, 2.0]).repeat_interleave(128))
    assert not slots[256:].any()


def test_training_depends_on_the_seed_alone():
    train, held_out = digits.load(5)
    assert (len(train.labels), len(held_out.labels)) == (1437, 360)
    first, second, other = (model.train(train, seed, 1, lambda: None) for seed in (5, 5, 6))
    assert all(map(torch.equal, first.parameters(), second.parameters()))
    assert not torch.equal(first.linear[0].weight, other.linear[0].weight)


def test_the_activation_is_near_silu():
    u = torch.linspace(-1, 1, 50, dtype=torch.float64)
    with torch.no_grad():
        network = model.Network()
        assert (network.activation(u) - torch.nn.functional.silu(4 * u)).abs().max() < 0.25


def test_the_wire_records_both_directions_and_passes_errors_on():
    left, right = multiprocessing.Pipe()
    here, there = Wire(left, record=True), Wire(right)
    here.send("question", b"\x00\xff", size=3)
    assert there.receive("question") == ({"name": "question", "size": 3}, b"\x00\xff")
    there.send("answer", b"body")
    assert here.receive("answer")[1] == b"body"
    assert here.crossed[1::2] == [b"\x00\xff", b"body"]
    assert there.crossed == []
    there.send("error", text="the server refused: code: detail")
    with pytest.raises(PeerError, match="code: detail"):
        here.receive("answer")
    there.send("other")
    with pytest.raises(PeerError, match="'other' came where 'answer'"):
        here.receive("answer")
    right.close()
    with pytest.raises(PeerError, match="went away"):
        here.receive("answer")
    with pytest.raises(PeerError, match="closed"):
        here.send("question", bytes(1 << 20))


# Messages.


def test_a_missing_project_is_named(monkeypatch, capsys):
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "sklearn" else name)
    assert command.main() == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert "scikit-learn" in said.err
    assert ".[demo]" in said.err
    assert said.out == ""


@pytest.mark.parametrize("arguments", [["--images", "0"], ["--images", "361"], ["--images", "x"], ["--seed", str(1 << 63)], ["--unknown"]])
def test_bad_options_are_refused(monkeypatch, capsys, arguments):
    monkeypatch.setattr(sys, "argv", ["demo", *arguments])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 2
    assert arguments[0] in capsys.readouterr().err
