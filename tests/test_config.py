"""Parameters, presets and the security look-up, as Python shows them. The numbers are tested in Go."""

import copy
import json
import math
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tomllib
import warnings

import pytest

import fhelium
from fhelium import CkksConfig, HeadroomWarning, Preset, _binding, assess_security, compatible_ntt_backends, errors
from fhelium.values.parameters import is_insecure

ROOT = pathlib.Path(__file__).resolve().parent.parent
TUTORIAL = Preset.slots8192_scale40_depth7_int64

# The reference's int64 presets, which users' programs name.
REFERENCE = """
slots8192_scale30_depth9_int64 slots8192_scale40_depth7_int64 slots8192_scale50_depth5_int64
slots16384_scale30_depth21_int64 slots16384_scale40_depth16_int64 slots16384_scale50_depth12_int64
slots32768_scale30_depth45_int64 slots32768_scale40_depth34_int64 slots32768_scale50_depth27_int64 slots32768_scale50_depth29_int64
slots65536_scale30_depth95_int64 slots65536_scale40_depth72_int64 slots65536_scale50_depth58_int64
""".split()


def literal(**changes):
    """The tutorial preset's fields, some of them changed."""
    fields = CkksConfig.parse(TUTORIAL).dumps()
    del fields["fhelium_config"], fields["preset"]
    return fields | changes


@pytest.fixture(scope="module")
def config():
    return CkksConfig.parse(TUTORIAL)


# Presets.


def test_presets_are_those_of_the_core():
    # Mutant: leave a preset out of the Enum.
    assert [preset.value for preset in Preset] == json.loads(_binding.call(_binding.go.pybind_PresetNames))
    assert set(REFERENCE) <= set(Preset.__members__)
    for name, preset in Preset.__members__.items():
        assert preset.value == name.replace("_", "-") and Preset(preset.value) is preset and Preset(name) is preset


@pytest.mark.parametrize("bad", ["slots8192-scale40-levels7-int64", "", "slots8192", 3, None])
def test_other_spellings_are_refused(bad):
    with pytest.raises(ValueError) as caught:
        Preset(bad)
    assert caught.value.code == "preset-unknown"


@pytest.mark.parametrize("preset", Preset)
def test_every_preset_is_what_its_name_says(preset):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config = CkksConfig.parse(preset)
    slots, scale, depth = map(int, re.match(r"slots(\d+)-scale(\d+)-depth(\d+)-int64", preset.value).groups())
    assert (config.num_slots, config.default_scale, config.max_depth) == (slots, 2.0**scale, depth)
    assert config.preset == preset.value and preset.value in repr(config)
    assert config.insecure == preset.value.endswith("insecure") == ("INSECURE" in repr(config))
    assert CkksConfig.parse(config.dumps()) == config and config.headroom_bits >= 8
    assert abs(config.rescale_divisor(0) / config.default_scale - 1) < 0.01, "the published examples rely on it"
    actual = config.default_scale
    for d in range(depth):  # square and rescale, down the whole chain
        actual = actual * actual / config.rescale_divisor(d)
        assert abs(math.log2(actual) - scale) < 0.1


def test_importing_loads_no_core():
    # Mutant: import _binding at the top of config.py.
    program = "import sys, fhelium; list(fhelium.Preset); assert not [m for m in sys.modules if m.startswith(('fhelium._fhgo', 'fhelium.eager'))]"
    environment = os.environ | {"PYTHONPATH": str(pathlib.Path(fhelium.__file__).parent.parent)}
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120, env=environment)


# One configuration.


def test_derived_numbers(config):
    assert config.N == 1 << config.logN == 2 * config.num_slots == 16384
    assert config.moduli == config.q_moduli + config.p_moduli and len(set(config.moduli)) == config.total_num_primes
    assert config.num_q_primes + config.num_p_primes == config.total_num_primes
    assert config.total_modulus_bits == math.prod(config.moduli).bit_length() <= config.maximum_modulus_bits == 430
    assert sum(config.q_depth_groups, ()) == config.q_moduli and config.max_depth == len(config.q_depth_groups) - 1
    assert all(prime % (2 * config.N) == 1 and prime < 1 << 50 for prime in config.moduli)
    assert config.digits[0][0] == 0 and config.digits[-1][1] == config.num_q_primes
    assert re.fullmatch("[0-9a-f]{32}", config.fingerprint) and config.sigma == 3.19 and type(config.default_scale) is float


def test_chain_queries(config):
    # Mutant: count depths from the other end.
    for depth in range(config.max_depth + 1):
        start = config.q_row_start(depth)
        assert config.depth_remaining(depth) == config.max_depth - depth
        assert config.active_q_moduli(depth) == config.q_moduli[start:]
        assert config.prime_ids(depth) == tuple(range(start, config.num_q_primes))
        assert config.prime_ids(depth, "QP") == tuple(range(start, config.total_num_primes))
        if depth < config.max_depth:
            assert config.rescale_divisor(depth) == math.prod(config.q_depth_groups[depth])
    with pytest.raises(errors.MaximumDepthError):
        config.rescale_divisor(config.max_depth)
    for query in (config.depth_remaining, config.rescale_divisor, config.q_row_start, config.active_q_moduli, config.prime_ids):
        for bad, error in ((-1, ValueError), (config.max_depth + 1, ValueError), (True, TypeError), (1.0, TypeError), ("1", TypeError), (1 << 80, ValueError)):
            with pytest.raises(error):
                query(bad)


def test_a_configuration_is_immutable(config):
    # row 002-15. Mutant: drop CkksConfig.__setattr__.
    for name in ("default_scale", "logN", "N", "fingerprint", "_literal", "anything"):
        with pytest.raises(AttributeError):
            setattr(config, name, 3)
        with pytest.raises(AttributeError):
            delattr(config, name)
    groups = [[*group] for group in config.q_depth_groups]
    made = CkksConfig(**literal(q_depth_groups=groups))
    groups[0][0] = 17
    made.dumps()["q_depth_groups"][0][0] = 17
    assert made.q_depth_groups == config.q_depth_groups


def test_dumps_and_parse_round_trip(config):
    # Mutant: write the scale with %g; forget the stamp.
    for made in (config, CkksConfig.parse(config, default_scale=2.0**40 * (1 + 2.0**-52), sigma=3.0, enforce_security_budget=False)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = json.dumps(made.dumps())
            for twin in (CkksConfig.parse(json.loads(text)), pickle.loads(pickle.dumps(made)), copy.deepcopy(made), CkksConfig.parse(made)):
                assert twin == made and hash(twin) == hash(made) and twin.dumps() == made.dumps() and twin.fingerprint == made.fingerprint
    assert config.dumps()["fhelium_config"] == 1
    for bad in (2, 0, "1", None):
        with pytest.raises(ValueError) as caught:
            CkksConfig.parse(config.dumps() | {"fhelium_config": bad})
        assert caught.value.code == "config-version"


def test_parse_takes_names_and_overrides(config):
    for source in (TUTORIAL, TUTORIAL.value, TUTORIAL.name, config, config.dumps(), literal()):
        assert CkksConfig.parse(source).fingerprint == config.fingerprint
    changed = CkksConfig.parse(TUTORIAL, galois_generator=5)
    assert changed.galois_generator == 5 and changed.preset is None and changed.fingerprint != config.fingerprint
    for bad in ({"levels": 3}, {"logn": 14}):
        with pytest.raises(TypeError):
            CkksConfig.parse(TUTORIAL, **bad)
    for source in (None, 3, [], {"logN": 14}, literal() | {"scale_bits": 40}):
        with pytest.raises(TypeError):
            CkksConfig.parse(source)
    with pytest.raises(ValueError):
        CkksConfig.parse("slots1")
    with pytest.raises(ValueError) as caught:
        CkksConfig(**literal(preset="slots8192-scale50-depth5-int64"))
    assert caught.value.code == "preset-mismatch"


Q0, P0 = 1099519393793, 1125899904679937

BAD = [
    ({"logN": 9}, "config-ring-dimension-invalid"), ({"logN": 18}, "config-ring-dimension-invalid"), ({"logN": True}, "argument-type"),
    ({"logN": "14"}, "argument-type"), ({"logN": 14.0}, "argument-type"), ({"default_scale": 0}, "scale-invalid"),
    ({"default_scale": -1.0}, "scale-invalid"), ({"default_scale": math.nan}, "scale-invalid"), ({"default_scale": math.inf}, "scale-invalid"),
    ({"default_scale": "40"}, "scale-invalid"), ({"default_scale": True}, "scale-invalid"), ({"default_scale": 2.0**49}, "config-headroom-invalid"),
    ({"q_depth_groups": []}, "config-chain-invalid"), ({"q_depth_groups": [[]]}, "config-chain-invalid"), ({"q_depth_groups": [Q0]}, "argument-type"),
    ({"q_depth_groups": "abc"}, "argument-type"), ({"q_depth_groups": 3}, "argument-type"), ({"q_depth_groups": [[1.5]]}, "argument-type"),
    ({"q_depth_groups": [[True]]}, "argument-type"), ({"q_depth_groups": [[Q0, Q0]]}, "config-modulus-repeated"),
    ({"q_depth_groups": [[P0]]}, "config-modulus-repeated"), ({"q_depth_groups": [[-5]]}, "config-modulus-invalid"),
    ({"q_depth_groups": [[1 << 70]]}, "argument-invalid"), ({"q_depth_groups": [[1 << 50]]}, "config-modulus-invalid"), ({"q_depth_groups": [[Q0 + 2]]}, "config-modulus-invalid"),
    ({"p_moduli": []}, "config-special-moduli-invalid"), ({"p_moduli": [32769 * 65537]}, "config-modulus-invalid"), ({"sigma": 0}, "config-sigma-invalid"),
    ({"sigma": math.nan}, "argument-invalid"), ({"sigma": "3"}, "argument-type"), ({"security_bits": 100}, "config-security-target-invalid"),
    ({"security_bits": 10**30}, "argument-invalid"), ({"galois_generator": 7}, "config-generator-invalid"), ({"galois_generator": -3}, "config-json-invalid"),
    ({"enforce_security_budget": 0}, "argument-type"), ({"preset": 3}, "argument-type"), ({"preset": "none"}, "preset-unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("bad", "code"), BAD, ids=[str(b)[:40] for b, _ in BAD])
def test_bad_fields_are_refused(bad, code):
    with pytest.raises(errors.FHEliumError) as caught:
        CkksConfig(**literal(**bad))
    assert caught.value.code == code, caught.value
    assert isinstance(caught.value, (ValueError, TypeError))


# Security.


def test_over_budget_is_refused_with_the_numbers():
    # Mutant: check the budget in the engine only.
    with pytest.raises(errors.SecurityBudgetExceededError) as caught:
        CkksConfig(**literal(logN=13))
    assert "430" in str(caught.value) and "214" in str(caught.value)
    with pytest.raises(errors.SecurityParametersUnsupportedError):
        CkksConfig(**literal(sigma=3.2))


def test_the_insecure_mode_stays_visible():
    # Mutant: forget mark_insecure, or leave INSECURE out of repr.
    loose = CkksConfig(**literal(logN=13, enforce_security_budget=False))
    assert loose.insecure and "INSECURE" in repr(loose) and is_insecure(loose.fingerprint)
    assert loose.security_assessment.status == "exceeds" and not loose.security_assessment.meets
    with pytest.raises(errors.SecurityBudgetExceededError):
        loose.validate_security_budget()
    with pytest.raises(errors.SecurityParametersUnsupportedError):
        CkksConfig(**literal(sigma=3.2, enforce_security_budget=False)).validate_security_budget()
    strict = CkksConfig.parse(TUTORIAL, enforce_security_budget=False)
    assert not strict.insecure, "parameters that meet the table are not insecure"
    strict.validate_security_budget()
    assert not is_insecure(strict.fingerprint)


def test_little_headroom_warns():
    # Mutant: warn below 7 bits.
    with pytest.warns(HeadroomWarning, match="7.5 bits"):
        CkksConfig(**literal(default_scale=2.0**42.5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CkksConfig(**literal(default_scale=2.0**41))


def test_assess_security():
    found = assess_security(16384, modulus=(1 << 430) - 1)
    assert (found.status, found.modulus_bits, found.budget_bits, found.meets) == ("meets", 430, 430, True)
    assert assess_security(16384, modulus=1 << 430).status == "exceeds"
    assert assess_security(16384, moduli=[1 << 200, 1 << 229]).status == "meets"
    assert assess_security(16384, modulus=1 << 431, secret_distribution="gaussian").status == "meets"
    assert assess_security(1024, modulus=3, target_bits=192).status == "unsupported", "never interpolated"
    for unsupported in ({"secret_distribution": "sparse"}, {"error_stddev": 3.2}):
        found = assess_security(16384, modulus=3, **unsupported)
        assert found.status == "unsupported" and found.reason and not found.meets
    for bad in ({}, {"modulus": 3, "moduli": [3]}, {"modulus": 0}, {"modulus": -1}, {"moduli": []}, {"modulus": 3, "target_bits": 80}):
        with pytest.raises(ValueError):
            assess_security(16384, **bad)
    for bad in ({"modulus": 3.0}, {"moduli": ["3"]}, {"modulus": True}, {"modulus": 3, "error_stddev": "3"}, {"modulus": 3, "secret_distribution": 1}):
        with pytest.raises(TypeError):
            assess_security(16384, **bad)
    for n in (0, 3, -4):
        with pytest.raises(ValueError):
            assess_security(n, modulus=3)


def test_ntt_backends():
    assert fhelium.DEFAULT_NTT_BACKEND in fhelium.SUPPORTED_NTT_BACKENDS == ("auto", "portable", "avx2", "avx512")
    assert compatible_ntt_backends(14)[:2] == ("auto", "portable") and set(compatible_ntt_backends(14)) <= set(fhelium.SUPPORTED_NTT_BACKENDS)
    assert fhelium.DEFAULT_CPU_NTT_BACKEND in compatible_ntt_backends(10)
    for bad, error in ((9, ValueError), (18, ValueError), ("14", TypeError)):
        with pytest.raises(error):
            compatible_ntt_backends(bad)


# The package.


def test_the_package_exports_what_it_says():
    assert fhelium.__version__ == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    for name in fhelium.__all__:
        assert getattr(fhelium, name) is not None
    with pytest.raises(AttributeError):
        _ = fhelium.nothing
