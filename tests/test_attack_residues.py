"""Residues that no engine has computed: looked at once, when an engine first meets them, and refused by name where they are none.

Fault: a residue of q or more, or a negative one, gave silently wrong numbers.
"""

from __future__ import annotations

import copy
import io
import pickle

import pytest
import torch
from engines import OPERATIONS, foreign, kit, state, tiny
from fhelium import Ciphertext, Plaintext, load_value, save_value
from fhelium.eager import Engine
from fhelium.eager.implementations import Cpu
from fhelium.errors import FHEliumError

# What has no residues in the kit, and what computes nothing with them.
CLEAR = ("integers", "approximate")
STATE_ALONE = ("rotate by nothing", "prepare what is prepared", "reinterpret", "prepare_public_operand")


@pytest.fixture(scope="module")
def k():
    return kit(Engine(tiny()))


@pytest.fixture
def looks(monkeypatch):
    """The values whose residues were looked at, in order."""
    seen = []
    run = Cpu.run

    def counting(self, name, operands, *rest):
        if name == "validate":
            seen.append(operands[0])
        return run(self, name, operands, *rest)

    monkeypatch.setattr(Cpu, "run", counting)
    return seen


def stranger(value, place=None, number=None):
    """The value as a constructor makes it, with one residue replaced."""
    fields = value._fields()
    fields["data"] = fields["data"].clone()
    if place is not None:
        fields["data"].view(-1)[place] = number
    return type(value)(**fields)


def top(value):
    """The prime of the last row."""
    return tiny().moduli[value.prime_ids[-1]]


def refuses(call):
    with pytest.raises(FHEliumError) as caught:
        call()
    assert caught.value.code == "residue-out-of-range", caught.value


CALLS = [
    (name, place) for name, (operands, _) in OPERATIONS.items() if not name.startswith(("set_", "reconstruct"))
    for place in range(len(operands if isinstance(operands, tuple) else (operands,)))
]  # fmt: skip


@pytest.mark.parametrize(("name", "place"), CALLS)
def test_every_operand_of_every_operation_is_looked_at(k, name, place):
    # Mutant: look at the first operand alone.
    names, call = OPERATIONS[name]
    names = names if isinstance(names, tuple) else (names,)
    if names[place] in CLEAR or (name, place) == ("prepare_public_operand", 1):
        return
    operands = [getattr(k, one) for one in names]
    for number in (top(operands[place]), -1):
        operands[place] = stranger(getattr(k, names[place]), -1, number)
        before = [state(one) for one in operands]
        if name in STATE_ALONE:
            given = call(k.engine, *operands)
            refuses(lambda given=given: k.engine.validate_plaintext(given) if isinstance(given, Plaintext) else k.engine.negate(given))
        else:
            refuses(lambda operands=operands: call(k.engine, *operands))
        assert [state(one) for one in operands] == before
    # The largest residue that there is goes through.
    operands[place] = stranger(getattr(k, names[place]), -1, top(operands[place]) - 1)
    call(k.engine, *operands)


def _torch_load(value):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return torch.load(buffer)


def _file(value, tmp_path):
    save_value(value, tmp_path / "v", overwrite=True)
    return load_value(tmp_path / "v")


WAYS = {
    "constructor": lambda v, _: type(v)(**v._fields()),
    "with_data": lambda v, _: v.with_data(v.data),
    "bytes": lambda v, _: type(v).from_bytes(v.to_bytes()),
    "file": _file,
    "pickle": lambda v, _: pickle.loads(pickle.dumps(v)),
    "deepcopy": lambda v, _: copy.deepcopy(v),
    "torch.load": lambda v, _: _torch_load(v),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_comes_from_elsewhere_is_looked_at_once(k, way, tmp_path, looks):
    # Mutants: carry `_vouched` in `_fields`; forget that a value was looked at.
    refuses(lambda: k.engine.negate(WAYS[way](stranger(k.ct, 5, top(k.ct)), tmp_path)))
    value = WAYS[way](k.ct, tmp_path)
    looks.clear()
    for _ in range(3):
        k.engine.negate(value)
        k.engine.add(value, value)
        Engine(tiny()).negate(value)
    assert looks == [value]
    refuses(lambda: k.engine.validate_ciphertext(stranger(k.ct, 0, -1)))


KEPT = {
    "to": lambda v: v.to("cpu", copy=True),
    "cpu": lambda v: v.cpu(),
    "clone": lambda v: v.clone(),
    "copy": copy.copy,
    "slice_limbs": lambda v: v.slice_limbs(1, 3),
    "select_batch": lambda v: v.select_batch(0),
    "slice_batch": lambda v: v.slice_batch(0, 1),
    "unbind_batch": lambda v: v.unbind_batch()[1],
    "stack_batch": lambda v: Ciphertext.stack_batch([v, v]),
    "replace_": lambda v: stranger(v).replace_(v),
}


@pytest.mark.parametrize("way", KEPT)
def test_what_an_engine_computed_is_never_looked_at(k, way, looks):
    # Mutant: `_with` that forgets.
    k.engine.negate(KEPT[way](k.batch))
    assert looks == []


def test_no_operation_looks_at_results(k, looks):
    # Mutant: results that nobody vouches for.
    for names, call in OPERATIONS.values():
        call(k.engine, *(getattr(k, one) for one in (names if isinstance(names, tuple) else (names,))))
    asked = {id(getattr(k, name)) for name in ("ct", "secret", "public", "relinearization", "rotation", "conjugation")}
    made = [type(value).__name__ for value in looks if id(value) not in asked]
    assert sorted(made) == ["Ciphertext", "SecretKey"], "those that reconstruct_q_coefficients makes"


def test_a_stack_with_one_stranger_is_looked_at(k):
    # Mutant: take the first one's word for all.
    bad = stranger(k.ct, -1, top(k.ct))
    for parts in ([k.ct, bad], [bad, k.ct], [k.ct, k.ct2, bad]):
        refuses(lambda parts=parts: k.engine.negate(Ciphertext.stack_batch(parts)))


def test_in_place_results_take_over(k, looks):
    # Mutant: `_commit_` that forgets, or that keeps the target's word.
    value = stranger(k.ct)
    k.engine.negate_(value)
    assert looks == [value]
    looks.clear()
    k.engine.mod_switch_to_next_depth_(k.engine.negate_(value))
    assert looks == []
    bad = stranger(k.ct, 0, -1)
    before = state(bad)
    refuses(lambda: k.engine.negate_(bad))
    assert state(bad) == before
    refuses(lambda: k.engine.negate(k.ct.clone()._commit_(bad)))


def test_a_plaintext_without_parameters_is_looked_at_by_each_parameter_set(k, looks):
    # Mutant: vouch without saying for which primes.
    primes = foreign().moduli
    assert tiny().moduli[0] != primes[0]
    data = torch.zeros_like(k.pt.data)
    data[0, 0] = max(tiny().moduli[0], primes[0]) - 1  # a residue for one set, and none for the other
    plain = Plaintext(data=data, scale=k.pt.scale, prime_ids=k.pt.prime_ids)
    outcomes = []
    for config in (tiny(), foreign(), tiny()):
        e = Engine(config)
        try:
            e.add_plaintext(e.encrypt_message([1.0]), plain)
            outcomes.append("taken")
        except FHEliumError as error:
            outcomes.append(error.code)
    assert sorted(outcomes[:2]) == ["residue-out-of-range", "taken"] and outcomes[2] == outcomes[0]


def test_implicit_words_are_looked_at(k):
    sparse = k.engine.prepare_compressed_plaintext([1.0], polynomial_domain="coefficient")
    bad = sparse.with_storage(sparse.data, sparse.implicit_data.clone().fill_(-1))
    refuses(lambda: k.engine.add_plaintext(k.ct, bad))
    k.engine.add_plaintext(k.ct, sparse.with_storage(sparse.data, sparse.implicit_data))


def test_the_state_is_refused_before_the_residues(k):
    # Mutant: look before planning.
    bad = stranger(k.ntt, 0, -1)
    with pytest.raises(FHEliumError) as caught:
        k.engine.add(k.ct, bad)
    assert caught.value.code == "state-domain-mismatch"


def test_a_secret_residue_is_not_shown(k):
    bad = stranger(k.secret, 7, 123456789012345678)
    with pytest.raises(FHEliumError) as caught:
        k.engine.decrypt(k.ct, bad)
    assert caught.value.code == "residue-out-of-range" and "123456789012345678" not in str(caught.value)


def test_cleartext_needs_nobodys_word(k, looks):
    wide = Plaintext(data=torch.full((tiny().N,), 2.0**60, dtype=torch.float64), representation="integer_coefficients", scale=1.0)
    small = Plaintext(data=-torch.ones(tiny().N, dtype=torch.int64), representation="integer_coefficients", scale=1.0)
    for plain in (wide, small):
        k.engine.integer_coefficients_to_rns(plain)
        k.engine.decode(plain)
    k.engine.encrypt_message([-1.0])
    assert all(value in (wide, small) for value in looks)
