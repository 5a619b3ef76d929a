"""Each reply by both rules, and where they differ."""

from paper_files import message_of, read, write_record

from posbias_kit.data import rule_differences
from posbias_kit.errors import ParamsError


def test_rules(tmp_path):
    write_record(
        tmp_path,
        ("1", "x", "y", "At first [[A]]. In the end:\n\n[[B]]"),
        ("2", "x", "y", "It must be either [[A]] or [[B]]."),
        ("3", "x", "y", "[[A]]"),
        ("4", "x", "y", "Both are fine."),
        ("5", "x", "y", "EM"),
    )
    _, replies = read(tmp_path)
    table = rule_differences(replies)

    assert read(tmp_path, rule="first_match")[0]["choice"].fillna(-1).tolist() == [1, 1, 1, -1, -1]
    assert read(tmp_path, rule="strict")[0]["choice"].fillna(-1).tolist() == [2, -1, 1, -1, -1]
    assert table["question"].tolist() == ["1", "2"]
    assert table["first_match"].tolist() == [1, 1]
    assert table["strict"].fillna(-1).tolist() == [2, -1]
    assert table["strict_reason"].tolist() == ["", "contradiction"]
    assert table["excerpt"].tolist() == replies["raw"].tolist()[:2]
    assert "allowed: strict, first_match" in message_of(ParamsError, read, tmp_path, rule="last")


def test_excerpt_is_the_end(tmp_path):
    write_record(tmp_path, ("1", "x", "y", "[[A]]" + "x" * 500 + "\n[[B]]"))
    _, replies = read(tmp_path)

    assert rule_differences(replies)["excerpt"].tolist() == ["x" * 114 + "\n[[B]]"]
