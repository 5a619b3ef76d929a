"""The parser on any reply, and the prompt filler on any text."""

import json
import unicodedata
from collections import namedtuple

from hypothesis import assume, given
from hypothesis import strategies as st
from lasting import in_words, lasting

from posbias_kit.errors import PosbiasError
from posbias_kit.judging.prompts import load_template
from posbias_kit.parsing import FORMATS, RULES, parse_verdict
from posbias_kit.schema import INVALID_REASONS, Reason

PIECES = ["[[A]]", "[[B]]", "[[C]]", "[[D]]", "[[A>B]]", "[[B>>A]]", "[[A=B]]", "Choice: A",
          "Choice: B", "Choice:C", '{"choice": "FIRST"}', '{"choice": "TIE", "reason": "x"}',
          '{"choice": "SE', "<think>", "</think>", "<answer_a>", "</answer_a>", "```", "`", '"',
          "> ", "[The Start of Assistant A's Answer]", "[The End of Assistant A's Answer]", "A",
          "B", "**", "$", "\\boxed{", "}", "[[", "]]", "\n", "\n\n", ". ", " ", "Verdict: ",
          "I'm sorry, but", "\u200b", "［［Ａ］］", "【【B】】", "\ud800", "\0", "🙂",
          "TIE"]  # fmt: skip
pieces = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=14).map("".join)
LABELS = {
    "mtbench_brackets": {"[[A]]": 1, "[[B]]": 2, "[[C]]": 0},
    "arena_hard": {"[[A>B]]": 1, "[[B>>A]]": 2, "[[A=B]]": 0},
    "devbench_choice": {"Choice: A": 1, "Choice: B": 2, "Choice: C": 0},
    "json_choice": {'{"choice": "FIRST"}': 1, '{"choice": "TIE"}': 0},
}
TIE_REASONS = (Reason.BOTH_GOOD, Reason.NEITHER)
"""Which tie it is, where a study has four options."""
NEEDED = {1: "a1fi", 2: "b2se", 0: "cdt="}
"""Of a verdict's label at least one of these signs stands in the reply."""


@lasting
@given(text=pieces, format=st.sampled_from(sorted(FORMATS)), rule=st.sampled_from(RULES),
       slots=st.integers(2, 5), options=st.sampled_from([2, 3, 4]))  # fmt: skip
def test_any_reply_has_a_verdict_or_a_reason(text, format, rule, slots, options):
    """One of the slots, a tie, or a reason of the list; and never without a sign of its label."""
    try:
        verdict = parse_verdict(text, format, rule, slots=slots, options=options)
    except PosbiasError as error:  # the format has no such options, or no lists
        in_words(error)
        return
    if verdict.choice is None:
        assert verdict.reason in INVALID_REASONS
        return
    assert 0 <= verdict.choice <= slots
    assert verdict.reason in ("", *(TIE_REASONS if verdict.choice == 0 else ()))
    if slots == 2:
        plain = unicodedata.normalize("NFKC", text).casefold()
        assert any(sign in plain for sign in NEEDED[verdict.choice])


@lasting
@given(before=pieces, data=st.data())
def test_only_the_final_statement_gives_a_verdict(before, data):
    """Whatever stands before the last paragraph: its label counts, or none does.

    Reasoning that is opened and never closed takes all after it, and is left out here.
    """
    before = before.replace("<think>", "")
    format = data.draw(st.sampled_from(sorted(LABELS)))
    label, choice = data.draw(st.sampled_from(sorted(LABELS[format].items())))
    text = f"{before}\n\nHaving said all this, here is what I find.\n\n{label}"

    assert parse_verdict(text, format).choice in (choice, None)


@lasting
@given(before=pieces, after=st.text("abc .,!?\n", min_size=1, max_size=20))
def test_prose_alone_gives_no_verdict(before, after):
    """A reply cut after any half of a label has no verdict of that half."""
    assume(not any(sign in before for sign in "[［【"))

    assert parse_verdict(f"{before}\n{after} [[A", "mtbench_brackets").choice is None


TEMPLATES = ["arena", "brackets", "choice", "json", "zeroshot-letters", "fewshot-letters"]
Row = namedtuple("Row", "turns reference_answer guidance")
HOSTILE = ["{question}", "{0}", "{", "}}", "%s", "[The End of Assistant A's Answer]", "[Answer B]",
           "<|im_end|>", "[INST]", "\n\n", "\u200b", "\u202e", "<script>", "[[B]]", "\0",
           "=1+1", "\x1b[31m", "../x", "$(x)", "[Question]"]  # fmt: skip
shown = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=6), max_size=8).map("".join)


@lasting
@given(texts=st.tuples(shown, shown, shown), name=st.sampled_from(TEMPLATES))
def test_texts_change_nothing_else_of_a_prompt(texts, name):
    """Each text stands, protected, where a plain word would stand; all else is the same."""
    template = load_template(name)
    words = ["QQ1QQ", "AA2AA", "BB3BB"]
    assume(not any(word in text for word in words for text in texts) and all(texts))

    def messages(question, first, second):
        row = Row(json.dumps([question]), None, None)
        return [list(part) for part in template.render(row, [[first], [second]]).messages]

    expected = messages(*words)
    for word, text in zip(words, texts, strict=True):
        expected[-1][1] = expected[-1][1].replace(word, template._guard(text))
    assert messages(*texts) == expected
