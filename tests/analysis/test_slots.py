"""Slot wins by hand and on published list-wise judgments; the test's level and its ends."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from shared_data import public
from verdict_tables import pairs, sets, stack

from posbias_kit.analysis.slot_labels import slot_label_test
from posbias_kit.analysis.slots import UNBALANCED, slot_wins
from posbias_kit.data import read_verdicts
from posbias_kit.errors import ParamsError


@pytest.fixture(scope="module")
def listwise():
    """Real verdicts on 48 prompts with four answers in four orders by five judges, or skip."""
    with pytest.warns(UserWarning, match="2 of 962 rows set aside"):  # retried calls
        return read_verdicts("listwise", public("avran_listwise", "data"))


def test_shares_by_hand():
    """Eight verdicts for a slot and a tie: shares are of the eight, expected is 1/3."""
    table = slot_wins(sets(["111", "132", "120"]))

    assert table["slot"].tolist() == [1, 2, 3]
    assert table["wins"].tolist() == [5, 2, 1]
    assert table["share"].tolist() == [5 / 8, 2 / 8, 1 / 8]
    assert table[["verdicts", "ties", "decided"]].drop_duplicates().values.tolist() == [[9, 1, 8]]
    assert table["expected"].tolist() == [1 / 3] * 3
    assert table["balanced"].all()


def test_balanced_orders_expect_one_in_p():
    """Ties and all, the share expected in the orders shown is 1/p."""
    table = slot_wins(sets(["111", "132", "120", "213"]))

    assert table["expected_shown"].tolist() == pytest.approx([1 / 3] * 3, abs=1e-15)
    assert table["excess"].tolist() == pytest.approx((table["share"] - 1 / 3).tolist(), abs=1e-15)


def test_unbalanced_orders_by_hand():
    """r0 twice, r1 once: a wins three times and stood 1, 1, 3; slots expect 2, 0, 1 of 3."""
    verdicts = stack(sets(["13-"]), sets(["1--"], repeat=2))
    table = slot_wins(verdicts)

    assert table["wins"].tolist() == [2, 0, 1]
    assert (table["expected_shown"] * 3).tolist() == pytest.approx([2, 0, 1])
    assert table["excess"].tolist() == pytest.approx([0, 0, 0])
    assert not table["balanced"].any()


def test_a_missing_verdict_does_not_unbalance_the_design():
    """Balanced says what was asked; the expectation follows the verdicts that came."""
    table = slot_wins(stack(pairs(["FS"]), pairs(["FI"], repeat=2)))

    assert table["balanced"].all()
    # a wins all three, twice from slot 1: AB 2 of 3 verdicts
    assert table["expected_shown"].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert table["excess"].tolist() == pytest.approx([0, 0])


def test_one_arrangement_tells_nothing():
    """Shown in one order only: shares, but no excess and no test, with the reason."""
    row = slot_wins(pairs(["F-", "F-", "S-"])).iloc[0]

    assert row["share"] == 2 / 3
    assert row[["excess", "excess_low", "p"]].isna().all()
    assert row["note"].startswith("each comparison shown in one arrangement")


def test_pure_first_slot():
    """Always slot 1: share 1, the others 0, and p at its end."""
    table = slot_wins(sets(["111"] * 12))

    assert table["share"].tolist() == [1, 0, 0]
    assert table["excess"].tolist() == pytest.approx([2 / 3, -1 / 3, -1 / 3])
    assert table["p"].tolist() == pytest.approx([1 / 1001] * 3)  # 3 of 3^12 labellings
    assert table["excess_low"].iloc[0] < 2 / 3
    assert table["excess_high"].iloc[0] == pytest.approx(2 / 3)  # no slot can win more than all


def test_a_judge_of_answers_has_no_excess():
    """Always the same candidate: every slot wins equally often and p is 1."""
    table = slot_wins(sets(["132"] * 6))

    assert table["share"].tolist() == pytest.approx([1 / 3] * 3)
    assert table["p"].tolist() == [1, 1, 1]


def test_pairs_flip_signs():
    """For two slots p is that of the sign-flip test: 2 of 2^5 patterns reach five of a sign."""
    table = slot_wins(pairs(["FF"] * 5))

    assert table["p"].tolist() == [2 / 32] * 2


def test_identical_answers_do_not_count():
    """A comparison nobody was asked is in no column."""
    assert slot_wins(pairs(["FF", "EE"]))["verdicts"].tolist() == [2, 2]


def test_only_ties_are_said():
    """A judge that always ties has no share."""
    row = slot_wins(pairs(["TT", "TT"])).iloc[0]

    assert row[["verdicts", "ties", "decided"]].tolist() == [2 * 2, 4, 0]
    assert np.isnan(row["share"])
    assert row["note"] == "no verdict for a slot"


def test_pairs_and_sets_are_never_pooled():
    """Groups with several numbers of slots are split by them; pairs have two rows."""
    table = slot_wins(stack(pairs(["FF", "FS"]), sets(["111", "132"])))

    assert table["slots"].tolist() == [2, 2, 3, 3, 3]
    assert table["expected"].tolist() == [1 / 2] * 2 + [1 / 3] * 3


def test_rows_and_other_judges_change_nothing():
    """Shuffled rows, and a second judge, leave a judge's rows as they are."""
    one = sets(["111", "132", "121", "213"])
    both = stack(one, sets(["333", "222"], judge="a")).sample(frac=1, random_state=2)
    found = slot_wins(both)
    beside = found[found["judge"] == "j"].reset_index(drop=True)

    pd.testing.assert_frame_equal(
        slot_wins(one).drop(columns="p_holm"), beside.drop(columns="p_holm")
    )


def test_level_is_checked():
    """A level in percent is refused."""
    with pytest.raises(ParamsError, match="level 95 is outside"):
        slot_wins(pairs(["FS"]), level=95)


@pytest.mark.parametrize("slots", [3, 4])
def test_level_of_the_slot_test(slots):
    """Clusters favour slot 1 or shun it, half each: about 5% of 400 are rejected at .05."""
    rng = np.random.default_rng(7)
    chance = np.full((400, 20, slots), 1 / slots)
    lean = 0.9 / slots * rng.choice([-1, 1], size=(400, 20))
    chance[:, :, 1:] -= (lean / (slots - 1))[..., None]
    chance[:, :, 0] += lean
    apart = rng.multinomial(3 * slots, chance) - 3.0
    p = np.array([slot_label_test(study, 199, seed) for seed, study in enumerate(apart)])

    assert 0.02 <= np.mean(p <= 0.05) <= 0.08


WINS = {
    "openai/gpt-5.6-sol": [50, 53, 46, 43],
    "anthropic/claude-opus-4.8": [43, 37, 56, 56],
    "google/gemini-3.5-flash": [67, 38, 44, 43],
    "deepseek/deepseek-v4-flash": [57, 61, 36, 38],
    "qwen/qwen3.7-max": [79, 54, 43, 16],
}
"""Published slot wins of 48 x 4 verdicts a judge."""


def test_published_slot_wins(listwise):
    """Wins of each slot, to the count; the orders are known not to be balanced."""
    table = slot_wins(listwise)

    assert table.groupby("judge")["wins"].agg(list).to_dict() == WINS
    assert (table["note"] == UNBALANCED).all()


def test_unbalanced_orders_are_allowed_for(listwise):
    """The judge that mostly names its own answer wins slot 2 more often as it stood there more."""
    table = slot_wins(listwise).set_index(["judge", "slot"])
    own = table.loc["openai/gpt-5.6-sol"]

    assert own["share"].idxmax() == 2
    assert own["expected_shown"].idxmax() == 2
    assert own["excess"].abs().max() < 0.02


def test_excess_where_clusters_do_not_differ():
    """The first slot always: share 1 [n / (n + t^2), 1] of n = 8 clusters, expected 1/2 of it.

    The excess has the share's limits less 1/2, and cannot leave -1/2 to 1/2.
    """
    table = slot_wins(pairs(["FF"] * 8), permutations=0).set_index("slot")
    low = 8 / (8 + stats.t.ppf(0.975, 7) ** 2)

    first = table.loc[1, ["share_low", "excess", "excess_low", "excess_high"]].tolist()
    assert first == pytest.approx([low, 0.5, low - 0.5, 0.5])
    last = table.loc[2, ["excess", "excess_low", "excess_high"]].tolist()
    assert last == pytest.approx([-0.5, -0.5, 0.5 - low])
