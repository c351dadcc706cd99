"""Every code of the Go core has a class, and every class the builtin that users expect."""

import copy
import pathlib
import pickle
import re

import pytest

from fhelium import errors

ROOT = pathlib.Path(__file__).resolve().parent.parent
GO_CODE = re.compile(r'(\w+)\s+refusal\.Code\s*=\s*"([^"]+)"')
GO_REFUSAL = re.compile(r"refusal\.New\(\s*(?:\w+\.)?(\w+),")

BUILTINS = {
    "after-fork": RuntimeError,
    "batch-index-invalid": IndexError,
    "bytes-damaged": ValueError,
    "bytes-type": TypeError,
    "bytes-version": ValueError,
    "config-chain-invalid": ValueError,
    "depth-invalid": ValueError,
    "encode-overflow": ValueError,
    "file-absent": FileNotFoundError,
    "file-exists": FileExistsError,
    "file-unusable": OSError,
    "key-absent": KeyError,
    "key-budget-exceeded": MemoryError,
    "levels-exhausted": RuntimeError,
    "memory-exhausted": MemoryError,
    "message-invalid": ValueError,
    "placement-mixed": RuntimeError,
    "scale-invalid": ValueError,
    "secret-key-absent": RuntimeError,
    "secret-key-export": PermissionError,
    "security-budget-exceeded": ValueError,
    "state-batch-mismatch": RuntimeError,
    "state-components-mismatch": ValueError,
    "state-domain-mismatch": ValueError,
    "state-scale-mismatch": ValueError,
    "value-immutable": AttributeError,
}


def go_sources() -> dict[str, str]:
    """The text of every Go file that is no test, by its path."""
    files = (path for folder in ("core", "ckks", "eager", "pybind") for path in (ROOT / folder).rglob("*.go"))
    return {str(path.relative_to(ROOT)): path.read_text() for path in files if not path.name.endswith("_test.go")}


def test_every_code_of_the_core_has_a_class():
    # Mutant: take any Go code out of its class in errors.py.
    codes = {code: path for path, text in go_sources().items() for _, code in GO_CODE.findall(text)}
    assert len(codes) > 40, "the pattern finds the codes"
    missing = {code: path for code, path in codes.items() if code not in errors.CODES}
    assert not missing, f"add these codes to fhelium/errors.py: {missing}"


def test_every_code_is_raised_somewhere():
    # Mutant: list a code that nothing raises.
    text = "".join(go_sources().values())
    raised = set(GO_REFUSAL.findall(text))
    found = {code for name, code in GO_CODE.findall(text) if name in raised}
    for path in (ROOT / "python" / "fhelium").rglob("*.py"):
        if path.name != "errors.py":
            found.update(re.findall(r'"([a-z]+(?:-[a-z]+)+)[":]', path.read_text()))
    assert errors.CODES.keys() <= found


def test_every_code_is_listed_once():
    # Mutant: leave a subclass of a class with codes without its own.
    listed = [code for kind in errors._CLASSES for code in kind.codes]
    assert sorted(listed) == sorted(set(listed))


@pytest.mark.parametrize("code", sorted(errors.CODES))
def test_an_exception_keeps_its_code_and_text(code):
    # Mutant: split at the last colon.
    error = errors.from_text(f"{code}: left 2: right 3")
    assert type(error) is errors.CODES[code] and isinstance(error, errors.FHEliumError)
    assert (error.code, error.detail) == (code, "left 2: right 3")
    # Mutant: leave __str__ to KeyError, which quotes.
    assert str(error) == f"{code}: left 2: right 3"
    for twin in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(twin) is type(error) and str(twin) == str(error) and twin.code == code


@pytest.mark.parametrize(("code", "builtin"), BUILTINS.items())
def test_the_builtin_of_a_code(code, builtin):
    with pytest.raises(builtin):
        raise errors.refusal(code, "x")


def test_every_class_is_also_a_builtin():
    natural = (ValueError, TypeError, RuntimeError, KeyError, OSError, AttributeError)
    assert all(issubclass(kind, natural) for kind in errors._CLASSES if kind is not errors.FHEliumError)


def test_the_tree_of_the_reference():
    assert issubclass(errors.InvalidScaleError, errors.ScaleError) and issubclass(errors.ScaleMismatchError, errors.ScaleError)
    assert issubclass(errors.ScaleError, errors.StateError) and issubclass(errors.ScaleError, ValueError)
    assert issubclass(errors.MaximumDepthError, errors.StateError) and issubclass(errors.StateError, RuntimeError)
    assert issubclass(errors.SecurityBudgetExceededError, errors.ConfigurationError)


@pytest.mark.parametrize("text", ["", "no code here", "Not-A-Code: x", "unlisted-code: x", "a\nb: c", "key-absent"])
def test_any_text_gives_an_exception(text):
    error = errors.from_text(text)
    assert type(error) is errors.ExecutionError and error.detail in (text, "x")


def test_everything_public_is_exported():
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.FHEliumError)}
    assert kinds <= set(errors.__all__)
