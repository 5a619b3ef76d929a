"""What other parsing rules would have said, and the bias that they would add."""

import pytest
from verdict_tables import pairs, sets, stack

from posbias_kit.analysis import parser_audit, reread_replies
from posbias_kit.errors import TableError
from posbias_kit.schema import VERDICT_KEY

RULES = ["recorded", "strict", "first_label", "last_label"]
WAVERING = "One could argue for [[A]]. Yet its second step divides by zero.\n[[B]]"
QUOTED = "Weak, though [[A]] it is.\n> print [[B]]"


def replies_to(verdicts, raw, format="mtbench_brackets", options=3):
    return verdicts[VERDICT_KEY].assign(format=format, options=options, raw=raw, file="f", line=1)


def test_each_rule_reads_a_reply_as_it_would():
    verdicts = pairs(["SF", "FI"])
    table = reread_replies(replies_to(verdicts, [WAVERING, "[[A]]", QUOTED, "Neither."]), verdicts)

    assert table[RULES].fillna(-1).to_numpy().tolist() == [
        [2, 2, 1, 2],
        [1, 1, 1, 1],
        [1, 1, 1, 2],
        [-1, -1, -1, -1],
    ]
    assert table["ambiguous"].tolist() == [True, False, True, False]
    assert table["strict_reason"].tolist() == ["", "", "", "no_label"]
    assert table["excerpt"].tolist()[0] == WAVERING


def test_the_first_label_adds_to_the_first_slot():
    """Four pairs without a lean, all wavering: both orders end in [[B]] or in [[A]]."""
    verdicts = pairs(["SF", "FS"])
    other = "At first [[B]]. But no:\n[[A]]"
    raw = [WAVERING, other, other, WAVERING]
    table = parser_audit(replies_to(verdicts, raw), verdicts).set_index("rule")

    assert table.index.tolist() == RULES
    assert (table[["replies", "ambiguous", "asked", "complete"]] == [4, 4, 4, 2]).all(axis=None)
    assert table["ambiguous_share"].tolist() == [1.0] * 4
    assert table["changed"].tolist() == [0, 0, 4, 0]
    assert table.loc["first_label", ["to_first", "to_last"]].tolist() == [2, 2]
    assert table["first_share"].tolist() == [0.5] * 4

    always = parser_audit(replies_to(verdicts, [WAVERING, "[[A]]"] * 2), pairs(["SF", "SF"]))
    always = always.set_index("rule")
    assert always["first_share"].tolist() == [0.5, 0.5, 1.0, 0.5]
    assert always["first_share_added"].tolist() == [0, 0, 0.5, 0]
    assert always["pf"].tolist() == [0, 0, -1.0, 0]
    assert always["pf_added"].tolist() == [0, 0, -1.0, 0]


def test_a_verdict_without_text_stays_as_it_is():
    verdicts = pairs(["SX", "EE", "FS"])
    raw = ["[[B]]", None, None, None, "[[A]]", None]
    table = parser_audit(replies_to(verdicts, raw), verdicts).set_index("rule")

    assert table["replies"].tolist() == [2] * 4
    assert table["failed"].tolist() == [1] * 4
    assert table["slot_2"].tolist() == [2] * 4  # one of them without a text
    assert table["asked"].tolist() == [4] * 4


def test_a_truncated_call_stays_invalid_under_strict():
    verdicts = pairs(["IF"]).assign(reason=["truncated", ""])
    table = reread_replies(replies_to(verdicts, ["So [[A]], I think", "[[A]]"]), verdicts)

    assert table["strict"].fillna(-1).tolist() == [-1, 1]
    assert table["strict_reason"].tolist() == ["truncated", ""]
    assert table["first_label"].tolist() == [1, 1]


def test_groups_and_fences():
    verdicts = stack(pairs(["FS"], judge="j"), pairs(["FS"], judge="k"))
    fence = '```json\n{"choice": "FIRST"}\n```'
    raw = [fence, '{"choice": "SECOND"}', '{"choice": "FIRST"}', '{"choice": "SECOND"}']
    table = parser_audit(replies_to(verdicts, raw, "json_choice"), verdicts)

    assert table["judge"].tolist() == ["j"] * 4 + ["k"] * 4
    assert table["fenced_share"].tolist() == [0.5] * 4 + [0.0] * 4
    assert table["changed"].sum() == 0


def test_lists_have_counts_and_no_preference_fairness():
    verdicts = sets(["120"])
    raw = ["[[A]]", "[[C]]. No:\n[[B]]", "[[TIE]]"]
    table = parser_audit(replies_to(verdicts, raw), verdicts).set_index("rule")

    assert table.loc["first_label", ["slot_1", "slot_2", "slot_3", "tie"]].tolist() == [1, 0, 1, 1]
    assert table.loc["first_label", ["changed", "to_first", "to_last"]].tolist() == [1, 0, 1]
    assert table["pf"].isna().all()


def test_a_reply_without_a_verdict_is_refused():
    verdicts = pairs(["FS"])
    replies = replies_to(verdicts, "[[A]]").assign(judge=["j", "k"])

    with pytest.raises(TableError, match=r"replies: 1 replies without a verdict, e\.g\. .*'k'"):
        reread_replies(replies, verdicts)
