"""A judge's reply -> verdict."""

import csv
import json
import re
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posbias_kit.errors import InputError, ParamsError
from posbias_kit.parsing import FORMATS, RULES, Verdict, parse_verdict
from posbias_kit.schema import INVALID_REASONS, Reason

MTBENCH, DEVBENCH, JSON, ARENA = "mtbench_brackets", "devbench_choice", "json_choice", "arena_hard"
LETTERS = "letters"
CHOICES = {"FIRST": 1, "SECOND": 2, "TIE": 0, "INVALID": None}
SLOTS = {"A": 1, "B": 2, "C": 0}

CASES_FILE = Path(__file__).parent / "data" / "parse_cases.jsonl"
CASES = [json.loads(line) for line in CASES_FILE.read_text("utf-8").splitlines()]


def choice(text, format=MTBENCH, **kwargs):
    return parse_verdict(text, format, **kwargs).choice


def reason(text, format=MTBENCH, **kwargs):
    return parse_verdict(text, format, **kwargs).reason


def test_every_line_of_the_case_file_is_read():
    counts = {MTBENCH: 29, DEVBENCH: 16, JSON: 12, ARENA: 12}

    assert Counter(case["format"] for case in CASES) == counts
    assert set(FORMATS) == {*counts, LETTERS}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['why']} {case['raw'][:20]!r}")
def test_case_of_the_case_file(case):
    verdict = parse_verdict(case["raw"], case["format"])

    assert verdict.choice == CHOICES[case["expect"]], case["why"]
    assert (verdict.reason == "") == (verdict.choice is not None)


# V1: why there is no verdict


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, Reason.EMPTY),
        (float("nan"), Reason.EMPTY),
        (" \n\t", Reason.EMPTY),
        ("\u200b\ufeff", Reason.EMPTY),
        ("<think>It is late.</think>", Reason.EMPTY),
        ("$ERROR$", Reason.ERROR_MARKER),
        ("Failed to obtain answer via API.", Reason.ERROR_MARKER),
        ("I'm sorry, but I can't take part in judging this.", Reason.REFUSAL),
        ("As an AI, I cannot evaluate this.", Reason.REFUSAL),
        ("I’m unable to help with that.", Reason.REFUSAL),
        ("I cannot decide between the two.", Reason.NO_LABEL),
        ('The first says "I cannot help". Both are poor.', Reason.NO_LABEL),
        ("<scratchpad>Well,", Reason.TRUNCATED),
        ("So my verdict is [[A", Reason.TRUNCATED),
        ("So my verdict is [[A]", Reason.TRUNCATED),
        ("[[A]], at first sight. My final verdict is [[", Reason.TRUNCATED),
        ("[[A]] or [[B]]", Reason.CONTRADICTION),
        ("[A]", Reason.NO_LABEL),
    ],
)
def test_an_invalid_reply_says_why(text, expected):
    assert parse_verdict(text, MTBENCH) == Verdict(None, expected)


@pytest.mark.parametrize(
    "text",
    [
        "The first printed $ERROR$ and failed. [[B]]",
        "Failed to obtain answer via API. is all that the first says. [[B]]",
        "I'm sorry to say that I cannot praise the first. [[B]]",
    ],
)
def test_an_honest_verdict_may_use_the_words_of_a_failure(text):
    assert choice(text) == 2


# V2, V3: reasoning and quotations


@pytest.mark.parametrize(
    "text",
    [
        "<THINK>[[A]]</Think>\n[[B]]",
        "<think><think>[[A]]</think> [[A]]</think> [[B]]",
        "<reflection>[[A]] <scratchpad> never closed</reflection> [[B]]",
        "[[A]] <reasoning>hm</reasoning> no\n</thought>\n[[B]]",
        "＜think＞[[A]]＜/think＞ [[B]]",
        "<answer_a>[[A]]</answer_a> is off topic: [[B]]",
        "<Assistant_A_Answer>[[A]]</Assistant_A_Answer> is off topic: [[B]]",
        "In <answer_a> a step is missing, so [[B]]",
        "<answer>[[B]]</answer>",
        "```\n[[B]]\n```",
        'Output: "[[B]]"',
        "The first ends with `return [[A]]`, alas: [[B]]",
        "[[B]]\n\n~~~text\nprint [[A]]\n~~~",
        "```python\nprint(1)\n\nThe second one runs. [[B]]",
    ],
)
def test_only_the_judge_s_own_words_count(text):
    assert choice(text) == 2


def test_what_stands_around_a_quotation_does_not_grow_together_into_a_label():
    assert choice('["so"[A]]') is None


def test_a_choice_line_may_stand_in_a_fence():
    assert choice("```\nThe second has tests.\nChoice: B\n```", DEVBENCH) == 2


# V4, V5, V10: what a label looks like


@pytest.mark.parametrize(
    "text", ["[[ b ]]", "[ [B] ]", "[[__B__]]", "$[[B]]$", r"\boxed{[[\text{B}]]}", "［［ｂ］］"]
)
def test_look_alikes_are_read(text):
    assert choice(text) == 2


@pytest.mark.parametrize(
    "text", ["Choice: $B$", r"Choice: \boxed{\text{B}}", "Choice： Ｂ", "__Choice:__ `b`"]
)
def test_look_alikes_are_read_in_a_choice_line(text):
    assert choice(text, DEVBENCH) == 2


@pytest.mark.parametrize("text", ["[[1]]", "(A)", '[["A"]]', "[[A>B]]", "[[TIE]]", "Choice: A"])
def test_another_format_is_no_label(text):
    assert parse_verdict(text, MTBENCH) == Verdict(None, Reason.NO_LABEL)


@pytest.mark.parametrize("last", ["[[D]]", "[[B>A]]", "[[TIE]]"])
def test_an_unreadable_last_label_is_no_permission_to_look_further_back(last):
    assert choice(f"[[A]]\nOn a second look I change my mind.\n{last}") is None


@pytest.mark.parametrize(
    ("slots", "options", "label", "expected"),
    [
        (2, 3, "C", Verdict(0)),
        (2, 2, "C", Verdict(None, Reason.NO_LABEL)),
        (2, 4, "C", Verdict(0, Reason.BOTH_GOOD)),
        (2, 4, "D", Verdict(0, Reason.NEITHER)),
        (2, 3, "TIE", Verdict(None, Reason.NO_LABEL)),
        (3, 3, "C", Verdict(3)),
        (3, 3, "D", Verdict(None, Reason.NO_LABEL)),
        (4, 3, "D", Verdict(4)),
        (3, 3, "TIE", Verdict(0)),
        (3, 2, "TIE", Verdict(None, Reason.NO_LABEL)),
    ],
)
def test_slots_and_options_say_what_a_letter_means(slots, options, label, expected):
    kwargs = {"slots": slots, "options": options}

    assert parse_verdict(f"[[{label}]]", MTBENCH, **kwargs) == expected
    assert parse_verdict(f"Choice: {label}", DEVBENCH, **kwargs) == expected


# V6: the choice line


@pytest.mark.parametrize(
    "text",
    [
        "Choice: A.",
        "Choice:  A",
        "**Choice: A**",
        "**Choice**: A",
        "**Choice:** A.",
        "### Final choice: A",
        "- My final choice: A",
        "1. Choice: A",
        "Choice: A. Response 1 is better than Response 2.",
        "Choice: A (Response 1)",
        "Choice: A - B lacks tests",
        "Choice: A, because B lacks tests",
        "Choice: A!\n\nReason: ...",
    ],
)
def test_a_choice_line_is_read(text):
    assert choice(text, DEVBENCH, options=2) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Choice: A/B",
        "Choice: A, B",
        "Choice: A, B, both are fine",
        "Choice: A (or B)",
        "Choice: A, or B if you want tests",
        "Choice: A. Choice: B",
        "Choice: A-level work",
        "Choice: A's classes are better",
        'Choice: A "good" design',
        "Choice: A > B",
        "Choice:\nA",
        '"Choice: A"',
        "Choice A",
        "Choice: [[A]]",
        "Choice: A\nYet both are fine.\nChoice: Both",
    ],
)
def test_an_unclear_choice_line_is_invalid(text):
    assert parse_verdict(text, DEVBENCH) == Verdict(None, Reason.NO_LABEL)


# V7, V8: the final statement


@pytest.mark.parametrize(
    "text",
    [
        "[[A]] vs. [[B]]",
        "It is either [[A]]\nor [[B]].",
        "[[A]]. [[B]].",
        "1. [[A]]\n2. [[B]]",
        "Turn 1: [[A]]\n\nTurn 2: [[B]]",
        "Verdict: **[[A]]**\n**Final verdict:** [[B]]",
        "[[A]] is better than [[B]], whatever one says of style.",
        "[[D]] [[A]]",
    ],
)
def test_two_results_in_one_statement_contradict(text):
    assert parse_verdict(text, MTBENCH) == Verdict(None, Reason.CONTRADICTION)


@pytest.mark.parametrize(
    "text",
    [
        "First verdict: [[A]]\nFinal verdict: [[B]]",
        "Turn 1: [[A]] is ahead.\nTurn 2: [[B]]",
        "[[A]]\n\nThe second has more detail, I now see.\n\n[[B]]",
        "I prefer [[B]], e.g. for its tests; so [[B]].",
        "[[B]]\n\nThe first one is shorter.\n",
        "先选[[A]]。再看一遍，选[[B]]。",
    ],
)
def test_the_last_statement_overrules(text):
    assert choice(text) == 2


def test_neighbouring_choice_lines_are_one_statement():
    assert reason("Choice: A\n\nChoice: B", DEVBENCH) == Reason.CONTRADICTION
    assert choice("Choice: A\nChoice: A", DEVBENCH) == 1
    assert choice("Choice: A. Response 1 is better.\nChoice: B", DEVBENCH) == 2


# V9: a choice in JSON


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"Choice": " tie "}', 0),
        ('{"choice": "**FIRST**"}', 1),
        ('{"choice": "ＦＩＲＳＴ"}', 1),
        ('{"reason": "the “best” one, at $5", "choice": "SECOND"}', 2),
        ('{"reason": "it writes <think> in C {x}", "choice": "SECOND"}', 2),
        ('{"choice": "FIRST"}\nFor [[B]] speaks {its style}.', 1),
        ('{"choice": "FIRST"} My choice: the first, though {"b": 1} is short.', 1),
        ('[{"choice": "FIRST"},\n{"choice": "first"}]', 1),
        ('{"choice": "FIRST", "choice": "FIRST"}', 1),
        ('{"choice": "SECOND", "scores": {"choice": "FIRST"}}', 2),
        ('{{"choice": "FIRST"}}', 1),  # the outer braces are no object
        ('{"verdict": {"choice": "FIRST"}}', Reason.NO_LABEL),
        ('{"choice": ["FIRST"]}', Reason.NO_LABEL),
        ('{"choice": null}', Reason.NO_LABEL),
        ('{"choice": 1}', Reason.NO_LABEL),
        ('{"choice": "FIRST", "score": NaN}', Reason.NO_LABEL),
        ('{"choice": "FIRST", "score": 1' + "0" * 9999 + "}", 1),
        ('{"a":' * 99_999, Reason.NO_LABEL),
        ('{"choice": "FIRST"}\n{"choice": "SECOND"}', Reason.CONTRADICTION),
        ('```\n{"choice": "FIRST"}\n```\n```\n{"choice": "TIE"}\n```', Reason.CONTRADICTION),
        ('{"choice": "FIRST", "choice": "SECOND"}', Reason.CONTRADICTION),
        ('{"choice": "FIRST"} On reflection: {"choice": "SECOND}', Reason.TRUNCATED),
        ('{"choice": "FIRST"} On reflection: {"choice": SECOND} it is', Reason.NO_LABEL),
        ('{"choice": "FIRST"} On reflection: {"choice": "B"}', Reason.NO_LABEL),
        ('{"choice": "FIRST"} {', Reason.TRUNCATED),
        ('> {"choice": "FIRST"}', Reason.NO_LABEL),
        ("I'm sorry, but I can't help with that.", Reason.REFUSAL),
        ("[[A]]", Reason.NO_LABEL),
    ],
)
def test_a_choice_in_json(text, expected):
    verdict = parse_verdict(text, JSON)

    assert (verdict.choice if verdict.choice is not None else verdict.reason) == expected


@pytest.mark.parametrize(
    ("slots", "options", "value", "expected"),
    [
        (2, 2, '"TIE"', None),
        (2, 4, '"both_good"', Verdict(0, Reason.BOTH_GOOD)),
        (2, 4, '"NEITHER"', Verdict(0, Reason.NEITHER)),
        (3, 3, "3", Verdict(3)),
        (3, 3, '"tie"', Verdict(0)),
        (3, 3, '"3"', None),
        (3, 3, "3.0", None),
        (3, 3, "true", None),
        (3, 3, "4", None),
        (3, 3, '"FIRST"', None),
        (3, 2, '"TIE"', None),
    ],
)
def test_slots_and_options_say_what_a_value_means(slots, options, value, expected):
    verdict = parse_verdict(f'{{"choice": {value}}}', JSON, slots=slots, options=options)

    assert verdict == (expected or Verdict(None, Reason.NO_LABEL))


# Arena-Hard's five labels, and single letters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[b >> a]]", 2),
        ("[[A<<B]]", 2),
        ("[[B<A]]", 1),
        ("[[B=A]]", 0),
        ("**[[A\\text{>}B]]**", 1),
        ("[[A>B]] was my first thought.\n[[A]]", Reason.NO_LABEL),
        ("[[A>B]] was my first thought.\n[[A>>>>B]]", Reason.NO_LABEL),
        ("My verdict: [[A >> B", Reason.TRUNCATED),
        ("[[A=B]] or [[A>B]]", Reason.CONTRADICTION),
        ("[[A>C]]", Reason.NO_LABEL),
    ],
)
def test_a_preference_is_read(text, expected):
    verdict = parse_verdict(text, ARENA)

    assert (verdict.choice if verdict.choice is not None else verdict.reason) == expected


def test_a_preference_without_a_tie():
    assert choice("[[A=B]]", ARENA, options=2) is None


@pytest.mark.parametrize(
    ("text", "slots", "expected"),
    [
        ("A", 2, 1),
        (" b.\n", 2, 2),
        ('"C"', 2, 0),
        ("**Ｂ**", 2, 2),
        ("<think>A or B?</think>\n\nB", 2, 2),
        ("C", 3, 3),
        ("tie", 3, 0),
        ("A\nA", 2, 1),
        ("A\nB", 2, Reason.CONTRADICTION),
        ("D", 2, Reason.NO_LABEL),
        ("TIE", 2, Reason.NO_LABEL),
        ("T", 3, Reason.NO_LABEL),
        ("Answer A", 2, Reason.NO_LABEL),
        ("A\nbecause it is right", 2, Reason.NO_LABEL),
        ("[[A]]", 2, Reason.NO_LABEL),
        ("(A)", 2, Reason.NO_LABEL),
        ("A/B", 2, Reason.NO_LABEL),
        ("", 2, Reason.EMPTY),
    ],
)
def test_a_single_letter_is_the_whole_reply(text, slots, expected):
    verdict = parse_verdict(text, LETTERS, slots=slots)

    assert (verdict.choice if verdict.choice is not None else verdict.reason) == expected


# The careless rules


@pytest.mark.parametrize(
    ("text", "format", "slots", "first", "last"),
    [
        ("[[A]] or [[B]]", MTBENCH, 2, 1, 2),
        ("[[TIE]] no [[D]]", MTBENCH, 4, 0, 4),
        ("Choice:B\nChoice: TIE", DEVBENCH, 3, 2, 0),
        ('{"choice": "first"} {"choice": "A"}', JSON, 2, 1, None),
        ("{'choice': 2}", JSON, 3, 2, 2),
        ("[[A>>B]] no, [[B>A]]", ARENA, 2, 1, 2),
        ("A or B", LETTERS, 2, 1, 2),
        ("nothing", LETTERS, 2, None, None),
    ],
)
def test_careless_rules_take_the_first_and_the_last_label(text, format, slots, first, last):
    assert choice(text, format, rule="first_label", slots=slots) == first
    assert choice(text, format, rule="last_label", slots=slots) == last


# first_match


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Choice: Both", 2),
        ("Choice: Answer 2", 1),
        ("**Choice:** B", None),
        ("Choice: b", None),
        ("Choice: A\nNo.\nChoice: B", 1),
        ("Choice: C", None),
    ],
)
def test_first_match_reads_a_choice_as_the_paper_did(text, expected):
    assert choice(text, DEVBENCH, rule="first_match", options=2) == expected


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("<think>[[A]]</think> [[B]]", 3, Verdict(1)),
        ("[[b]] [[C]] [[A]]", 3, Verdict(0)),
        ("[[C]] [[A]]", 2, Verdict(None, Reason.NO_LABEL)),
        ("[[D]] [[A]]", 3, Verdict(None, Reason.NO_LABEL)),
        ("Failed to obtain answer via API.", 3, Verdict(None, Reason.NO_LABEL)),
        ("", 3, Verdict(None, Reason.EMPTY)),
    ],
)
def test_first_match_reads_brackets_as_the_paper_did(text, options, expected):
    assert parse_verdict(text, MTBENCH, rule="first_match", options=options) == expected


# Arguments


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"format": "letter"}, "format: unknown value 'letter'"),
        ({"rule": "last"}, "rule: unknown value 'last'"),
        ({"slots": 1}, "slots: unknown value 1"),
        ({"format": ARENA, "slots": 3}, "slots of format arena_hard: unknown value 3"),
        ({"format": ARENA, "options": 4}, "options of format arena_hard: unknown value 4"),
        ({"options": 5}, "options: unknown value 5"),
        ({"text": 7}, "a reply of type int"),
        ({"text": b"[[A]]"}, "a reply of type bytes"),
    ],
)
def test_a_wrong_argument_is_named(kwargs, message):
    with pytest.raises(ParamsError, match=re.escape(message)) as caught:
        parse_verdict(**{"text": "[[A]]", "format": MTBENCH} | kwargs)

    assert isinstance(caught.value, InputError)


# Properties

PIECES = ["[[A]]", "[[b", "]]", "Choice: B", "[", "\n", ". ", '"', "`", "```\n", "> ", "<think>"]
PIECES += ["</think>", "<answer_a>", "</answer_a>", "**", "$", "\\boxed{", "}", " or ", "\r\n"]
ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates and nulls as well
REPLIES = ANY_TEXT | st.lists(ANY_TEXT | st.sampled_from(PIECES), max_size=30).map("".join)
WORDS = st.text("abcdefgh ", min_size=1, max_size=20)
LABELS = st.sampled_from("ABC")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("format", FORMATS)
@given(text=REPLIES, slots=st.integers(2, 5), options=st.sampled_from([2, 3, 4]))
def test_any_text_gives_a_verdict_or_a_reason(format, rule, text, slots, options):
    if format == ARENA:  # pairs only, and no second tie
        slots, options = 2, min(options, 3)
    verdict = parse_verdict(text, format, rule, slots, options)

    assert verdict.choice in (None, *range(slots + 1))
    if verdict.choice is None:
        assert verdict.reason in INVALID_REASONS
    else:
        assert verdict.reason in ("", Reason.BOTH_GOOD, Reason.NEITHER)


@given(lines=st.lists(st.tuples(WORDS, LABELS | st.just("")), min_size=1, max_size=6))
def test_strict_names_the_label_of_the_last_labelled_line(lines):
    text = "\n".join(f"x {words} [[{label}]]" if label else words for words, label in lines)
    labels = [label for _, label in lines if label]

    assert choice(text) == (SLOTS[labels[-1]] if labels else None)


@pytest.mark.parametrize(
    "wrap",
    [
        "<think>{}</think>",
        "<Thought>{}",
        "{}</reasoning>",
        "> {}",
        '"{}"',
        "“{}”",
        "`{}`",
        "```\n{}\n```",
        "[The Start of Assistant A's Answer]\n{}\n[The End of Assistant A's Answer]",
        "<candidate1>{}</candidate1>",
    ],
)
@given(words=WORDS, planted=LABELS, own=LABELS)
def test_a_label_in_reasoning_or_a_quotation_never_counts(wrap, words, planted, own):
    wrapped = wrap.format(f"x{words} [[{planted}]]")

    assert choice(wrapped) is None
    if wrap != "<Thought>{}":  # it hides all that follows
        assert choice(f"{wrapped}\nSo it is [[{own}]].") == SLOTS[own]


@given(text=st.text("[]ABCDE \n") | REPLIES)
def test_first_match_equals_a_direct_search_for_brackets(text):
    found = re.search(r"\[\[([A-D])\]\]", text)

    assert choice(text, rule="first_match") == (SLOTS.get(found[1]) if found else None)


@given(text=st.lists(st.sampled_from(["Choice", ":", " ", "A", "B", "D", "\n", "*"])).map("".join))
def test_first_match_equals_a_direct_search_for_a_choice(text):
    found = re.search(r"Choice: ([A-D])", text)

    assert choice(text, DEVBENCH, rule="first_match") == (SLOTS.get(found[1]) if found else None)


MEGABYTES = ["[[A]]\n", "[[", "[ ", "<think>", "</think>", "<answer_a>", '"', "“", "`", "*", "a__"]
MEGABYTES += ['{"a":', '{"choice":"A"}', "{", '{"', '{"a":[', '{"a":{"', "{\n", '{"choice":"TIE",']
MEGABYTES += ["\\boxed{", "[The Start of ", "Choice: A\n", "Choice: A, ", ". ", "~~~\n", "> ", " "]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("piece", MEGABYTES)
def test_a_megabyte_of_anything_is_read_in_linear_time(format, piece):
    text = piece * (1_000_000 // len(piece))
    started = time.process_time()

    parse_verdict(text, format)

    assert time.process_time() - started < 10  # half a second; hours if it were quadratic


# Real replies


def released_replies(folder):
    """Yield (judge, index, options, reply) of every released judgment."""
    csv.field_size_limit(10**8)
    for path in sorted((folder / "judgment_data").rglob("record_*.tsv")):
        judge, options = path.stem.removeprefix("record_").rsplit("_", 1)
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file, delimiter="\t")
            next(rows)
            for row in rows:
                yield judge, row[0], int(options), row[-1]


def test_the_two_rules_differ_on_twelve_of_the_papers_replies(paper_data):
    strict, differing = Counter(), []
    for judge, index, options, text in released_replies(paper_data):
        format = MTBENCH if options == 3 else DEVBENCH
        verdict = parse_verdict(text, format, options=options)
        first = parse_verdict(text, format, rule="first_match", options=options)
        strict[options, verdict.reason] += 1
        if verdict.choice != first.choice:
            differing.append((judge, index, first.choice, verdict.choice or verdict.reason))

    assert strict == {
        (2, ""): 10176,
        (3, ""): 14155,
        (3, "no_label"): 40,  # 36 in prose, 2 in single brackets, [["C"]], 1 cut off
        (3, "contradiction"): 7,
        (3, "error_marker"): 6,
    }
    uml, v, gemini = "UML_sequence", "vicuna-13b-v1.3", "gemini-pro"
    assert differing == [
        # `**Choice**: A`, `**Choice:** A.` and two spaces before the letter
        (gemini, f"people_management_{uml}-faithfulness;codellama-34b-instruct;human", None, 1),
        (
            gemini,
            "xlsx2csv_architecture_design-uniformity_and_integration;deepseek-coder-6.7b-instruct;human",
            None,
            1,
        ),
        (gemini, "idcenter_architecture_design-general;human;gpt-3.5-turbo-1106", None, 2),
        (
            gemini,
            "Actor_relationship_game_uml_class-general;deepseek-coder-1.3b-instruct;human",
            None,
            1,
        ),
        # "[[C]] for the second question, [[B]] for the entire conversation."
        ("gpt-4-0613", f"139;mpt-7b-chat;{v}", 0, "contradiction"),
        # a tie on the first question, then [[B]] on the second
        (gemini, f"116;{v};falcon-40b-instruct", 0, 2),
        # "[[B]] is better than [[A]]."
        (gemini, f"142;falcon-40b-instruct;{v}", 2, "contradiction"),
        (gemini, f"119;stablelm-tuned-alpha-7b;{v}", 2, "contradiction"),
        (gemini, f"136;{v};falcon-40b-instruct", 1, "contradiction"),
        (gemini, f"112;{v};llama-13b", 1, "contradiction"),
        (gemini, f"116;{v};llama-13b", 2, "contradiction"),
        # "[[C]] for the second question, but [[A]] for the entire conversation."
        ("gpt-4-0613", f"139;{v};claude-v1", 0, "contradiction"),
    ]
