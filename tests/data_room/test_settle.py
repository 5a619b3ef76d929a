"""Rows of one key: true repeats, repeats of another prompt, retries."""

from posbias_kit.data.layouts.settle import Entry, number_repeats, settle


def _entries(*rows):
    """Each row: (row, key, told) and perhaps prompt and repeat."""
    return [
        Entry(row, (key,), more[1] if len(more) > 1 else 0, told, more[0] if more else 0)
        for row, key, told, *more in rows
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

    assert settle(entries) == {0: ("retried", 1)}


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
