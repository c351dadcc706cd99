"""Every operation of the Engine, through one table: inputs stay, contexts do not mix, wrong types are named."""

import threading

import pytest
import torch
from engines import OPERATIONS, foreign, kit, state, tiny, values
from fhelium import Ciphertext, CkksConfig, SeededCiphertext
from fhelium.eager import Engine
from fhelium.errors import FHEliumError


@pytest.fixture(scope="module")
def mine():
    return kit(Engine(tiny()))


@pytest.fixture(scope="module")
def theirs():
    """The same kit under other parameters of the same shape."""
    return kit(Engine(foreign()))


@pytest.fixture(scope="module")
def strangers():
    """The same kit under the same parameters and other keys."""
    return kit(Engine(tiny()), seed=9)


def operands(source, name):
    return [getattr(source, operand) for operand in OPERATIONS[name][0]]


@pytest.mark.parametrize("name", OPERATIONS)
def test_inputs_stay_and_share_nothing_with_results(mine, name):
    # case A08, row 002-4. Mutant: let Levels.mod_switch_to_depth return narrowed views, or sum_ciphertexts return its one input.
    inputs = operands(mine, name)
    before = [state(value) for value in inputs]
    pointers = [value.data.data_ptr() for value in inputs]
    results = OPERATIONS[name][1](mine.engine, *inputs)
    assert [state(value) for value in inputs] == before
    assert [value.data.data_ptr() for value in inputs] == pointers
    memory = {value.data.untyped_storage().data_ptr() for value in inputs}
    for result in results if isinstance(results, list) else [results]:
        if name == "prepare_public_operand" or result is None:
            continue
        data = result if isinstance(result, torch.Tensor) else result.data
        assert data.untyped_storage().data_ptr() not in memory


@pytest.mark.parametrize("name", OPERATIONS)
def test_values_of_other_parameters_are_refused_in_each_position(mine, theirs, name):
    # case A13, mistake 6. Mutant: drop admitParameters from Config.Admit in Go.
    right, wrong = operands(mine, name), operands(theirs, name)
    for i in range(len(right)):
        mixed = right[:i] + [wrong[i]] + right[i + 1 :]
        with pytest.raises(FHEliumError) as caught:
            OPERATIONS[name][1](mine.engine, *mixed)
        assert caught.value.code == "state-parameters-mismatch", caught.value
        assert tiny().fingerprint[:8] in caught.value.detail and foreign().fingerprint[:8] in caught.value.detail


# Operations of one value, or of values that never meet a key of their own.
KEYLESS = {
    "negate", "sum of one", "sum_ciphertext_batch", "add_plaintext", "add compressed", "subtract_plaintext", "multiply_plaintext",
    "multiply compressed", "add_scalar", "multiply_scalar", "multiply_integer_scalar", "to ntt", "plaintext to ntt", "to coefficients",
    "rescale", "mod_switch", "mod_switch plaintext", "reinterpret", "sum_plaintext_product_groups", "integer_coefficients_to_rns",
    "encrypt", "encrypt residues", "encrypt_with_secret_key", "expand", "encrypt_zero_like", "decode", "create_public_key",
    "create_relinearization_key", "create_rotation_key", "create_conjugation_key", "create_key_switch_key", "set_secret_key",
    "set_public_key", "validate_ciphertext", "reconstruct_q_coefficients", "prepare_public_operand", "rotate by nothing",
    "prepare what is prepared",
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name not in KEYLESS])
def test_values_of_other_keys_are_refused_in_each_position(mine, strangers, name):
    # mistake 6, mistake 8. Mutant: let sameKey in Go compare nothing.
    right, wrong = operands(mine, name), operands(strangers, name)
    for i in range(len(right)):
        if not hasattr(right[i], "key_id"):
            continue
        mixed = right[:i] + [wrong[i]] + right[i + 1 :]
        held = mine.engine._inventory.symbols()
        with pytest.raises(FHEliumError) as caught:
            OPERATIONS[name][1](mine.engine, *mixed)
        assert caught.value.code == "state-key-mismatch", caught.value
        starts_from = getattr(wrong[i], "source_key_id", wrong[i].key_id)
        assert starts_from[:8] in caught.value.detail and mine.secret.key_id[:8] in caught.value.detail
        assert mine.engine._inventory.symbols() == held


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("wrong", [None, 3, "ct", torch.zeros(2)], ids=["None", "int", "str", "tensor"])
def test_what_is_no_value_is_refused_in_each_position(mine, name, wrong):
    # Mutant: call value._record() without the check in Operations._place.
    right = operands(mine, name)
    for i in range(len(right)):
        if wrong is None and i > 0 or (name == "prepare_public_operand" and i == 0):
            continue  # there None means the engine's own key, or a message
        mixed = right[:i] + [wrong] + right[i + 1 :]
        if name.startswith("create_") and wrong is None or (name == "encrypt_with_secret_key" and i == 0):
            continue
        with pytest.raises(FHEliumError) as caught:
            OPERATIONS[name][1](mine.engine, *mixed)
        assert caught.value.code == "argument-type", caught.value


@pytest.mark.parametrize("name", [n for n, (o, _) in OPERATIONS.items() if not n.startswith(("create_", "set_", "encrypt"))])
def test_the_same_parameters_made_again_are_equal(mine, name):
    # case A13, row 002-16. Mutant: use id(config) as the fingerprint, or count the configurations into it in Go.
    again = Engine(CkksConfig.parse(tiny().dumps()))
    assert again.config is not mine.engine.config and again.config.fingerprint == mine.ct.parameters
    again.set_secret_key(mine.secret)
    again.set_rotation_key(mine.rotation)
    OPERATIONS[name][1](again, *operands(mine, name))


def test_results_do_not_depend_on_memory_layout(mine):
    # Mutant: pass data_ptr() of a non-contiguous tensor.
    ct = mine.ct
    strided = ct.with_data(ct.data.transpose(-1, -2).contiguous().transpose(-1, -2))
    assert not strided.data.is_contiguous()
    assert torch.equal(mine.engine.add(strided, mine.ct2).data, mine.engine.add(ct, mine.ct2).data)
    member = mine.batch.select_batch(1)
    assert torch.equal(mine.engine.negate(member).data, mine.engine.negate(mine.ct2).data)


def test_batched_equals_a_loop_bit_for_bit(mine):
    # Mutant: let Value.Poly in Go put the batch before the component.
    e = mine.engine
    for name, call in {
        "rotate": lambda c: e.rotate_with_key(c, mine.rotation),
        "ntt": e.coefficient_domain_to_ntt_domain,
        "square": lambda c: e.relinearize(e.multiply(*[e.coefficient_domain_to_ntt_domain(c)] * 2)),
        "rescale": lambda c: e.rescale_to_next_depth(e.multiply_scalar(c, 0.5)),
    }.items():
        looped = Ciphertext.stack_batch([call(m) for m in mine.batch.unbind_batch()])
        assert torch.equal(call(mine.batch).data, looped.data), name


def test_a_seeded_ciphertext_expands_without_an_engine(mine):
    # Mutant: expand by the default parameters. Fault: a value of unknown parameters leads to a KeyError.
    seeded = SeededCiphertext.from_bytes(mine.seeded.to_bytes())
    expanded = seeded.expand()
    assert torch.equal(expanded.data, seeded.expand(mine.engine).data) and expanded.key_id == mine.secret.key_id
    with pytest.raises(FHEliumError, match="give an engine"):
        seeded._with(parameters="0f" * 16).expand()
    with pytest.raises(FHEliumError, match="give an engine"):
        seeded._with(parameters=None).expand()


def test_many_threads_share_one_engine():
    # case A18, row 002-8. Mutant: one scratch frame for all calls in Cpu.run.
    engine = Engine(tiny())
    n, failures = engine.num_slots, []

    def work(seed):
        try:
            for turn in range(20):
                x, y = values(n, seed=100 * seed + turn), values(n, seed=7000 + 100 * seed + turn)
                a, b = (engine.coefficient_domain_to_ntt_domain(engine.encrypt_message(v)) for v in (x, y))
                product = engine.rescale_to_next_depth(engine.relinearize(engine.multiply(a, b)))
                result = engine.decrypt_message(engine.rotate_by_step(product, 1 + turn % 3), is_real=True)
                assert (result - torch.roll(x * y, 1 + turn % 3)).abs().max() < 1e-5
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    assert set(engine._inventory.symbols()) == {
        "secret-key", "public-key", "relinearization-key", "rotation-key:1", "rotation-key:2", "rotation-key:3",
    }  # fmt: skip
