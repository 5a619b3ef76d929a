"""Rows of one key: true repeats, repeats of another prompt, retries, copies."""

from hypothesis import given
from hypothesis import strategies as st

from posbias_kit.data.layouts.settle import Entry, number_repeats, settle


def _entries(*rows):
    """Each row: (row, key, told) and perhaps prompt, repeat, file and call."""
    return [
        Entry(row, (key,), repeat, told, prompt, *more)
        for row, key, told, prompt, repeat, *more in (
            (*row, 0, 0)[: max(5, len(row))] for row in rows
        )
    ]


def test_true_repeats_stay_and_are_numbered():
    entries = _entries((0, "q", True, 5), (1, "q", True, 5), (2, "r", True), (3, "q", True))

    assert settle(entries) == {}
    assert number_repeats(entries) == [1, 2, 1, 3]


def test_repeat_of_another_prompt_is_set_aside():
    entries = _entries((0, "q", True, 5), (1, "q", True, 6), (2, "q", True, 5))

    assert settle(entries) == {1: ("false repeat", 0)}


def test_failure_beside_one_verdict_was_retried():
    assert settle(_entries((0, "q", False), (1, "q", True))) == {0: ("retried", 1)}
    assert settle(_entries((0, "q", True), (1, "q", False))) == {1: ("retried", 0)}


def test_failure_beside_several_verdicts_is_one_of_the_repeats():
    assert settle(_entries((0, "q", False), (1, "q", True), (2, "q", True))) == {}


def test_two_failures_are_two_repeats():
    assert settle(_entries((0, "q", False), (1, "q", False))) == {}


def test_no_verdict_is_lost_when_a_row_holds_two_games():
    """Two rows that each hold the only verdict of one order stay both."""
    entries = _entries((0, "ab", False), (0, "ba", True), (1, "ab", True), (1, "ba", False))

    assert settle(entries) == {}


def test_row_with_a_failed_and_a_told_game_goes_when_both_are_told_elsewhere():
    entries = _entries((0, "ab", False), (0, "ba", True), (1, "ab", True), (1, "ba", True))

    assert settle(entries) == {0: ("retried in part", 1)}


def test_repeat_whose_second_game_failed_stays():
    """Nobody asks again after both verdicts are there: the lower row is a repeat."""
    entries = _entries((0, "ab", True), (0, "ba", True), (1, "ab", True), (1, "ba", False))

    assert settle(entries) == {}


def test_row_with_the_only_verdict_of_another_key_stays():
    entries = _entries((0, "ab", False), (0, "ba", True), (1, "ab", True))

    assert settle(entries) == {}


def test_same_repeat_twice_is_set_aside():
    entries = _entries((0, "q", True, 0, 2), (1, "q", True, 0, 2), (2, "q", True, 0, 1))

    assert settle(entries) == {1: ("twice", 0)}
    assert number_repeats(entries[::2]) == [2, 1]


def test_the_last_verdict_of_a_key_is_never_lost():
    """Rows 0 and 1 both were retried in their first game; one of their second games stays."""
    entries = _entries(
        (0, "ab", False), (0, "ba", True), (1, "ab", False), (1, "ba", True),
        (2, "ab", True), (2, "ba", False),
    )  # fmt: skip

    assert settle(entries) == {0: ("retried in part", 2)}


def test_false_repeat_is_the_one_without_a_verdict():
    """The prompt that brought a verdict stays, though it stands below the one that failed."""
    assert settle(_entries((0, "q", False, 5), (1, "q", True, 6))) == {0: ("false repeat", 1)}
    assert settle(_entries((0, "q", False, 5), (1, "q", False, 6))) == {1: ("false repeat", 0)}


def test_failure_in_another_file_is_a_repeat():
    """A file is a run: what failed in one was not made again in the other."""
    entries = _entries((0, "q", False, 0, 0, 0), (1, "q", True, 0, 0, 1))

    assert settle(entries) == {}
    assert number_repeats(entries) == [1, 2]


def test_copy_of_a_call_is_set_aside():
    """The same call twice is no repeat, wherever it stands; another call is one."""
    entries = _entries(
        (0, "q", True, 0, 0, 0, 7), (1, "q", True, 0, 0, 0, 8), (2, "q", True, 0, 0, 1, 7)
    )

    assert settle(entries) == {2: ("twice", 0)}


rows = st.dictionaries(st.sampled_from(["ab", "ba", "grade"]), st.booleans(), min_size=1)


@given(st.lists(st.tuples(rows, st.integers(0, 1)), min_size=2, max_size=5))
def test_every_key_keeps_a_verdict(drawn):
    """Of what shows the same texts, no key loses its last verdict in a file, or its last row."""
    entries = [
        Entry(number, (key,), 0, told, 0, file)
        for number, (row, file) in enumerate(drawn)
        for key, told in row.items()
    ]
    aside = settle(entries)
    left = [entry for entry in entries if entry.row not in aside]

    assert {(e.key, e.file) for e in left} == {(e.key, e.file) for e in entries}
    assert {(e.key, e.file) for e in left if e.told} == {(e.key, e.file) for e in entries if e.told}
    assert all(other not in aside for _, other in aside.values())
