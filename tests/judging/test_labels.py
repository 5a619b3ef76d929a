"""Replies are held to the labels: what is sent, and what a live server makes of it."""

import json

import pytest

from posbias_kit.data import read_benchmark
from posbias_kit.errors import ParamsError
from posbias_kit.judging.labels import constrain, read_margin
from posbias_kit.judging.local import missing_extra, serve
from posbias_kit.judging.prompts import load_template
from posbias_kit.parsing import parse_verdict

MODEL = "smollm2-135m"
BENCHMARK = read_benchmark("starter")


def render(template, count=2):
    """Return the prompt of the starter's first question with so many answers."""
    question = next(BENCHMARK.questions.itertuples())
    told = BENCHMARK.answers[BENCHMARK.answers["question"] == question.question]
    return load_template(template).render(question, [json.loads(t) for t in told["turns"][:count]])


def test_plain_sends_nothing():
    """The prompt and the parser alone."""
    assert constrain("plain", render("brackets")) == {}


def test_grammar_of_a_list_has_its_labels():
    """Letters for the slots, and the word for a tie."""
    sent = constrain("grammar", render("zeroshot-letters", 3))

    assert sent["grammar"] == 'root ::= ("A" | "B" | "C" | "TIE")'
    assert sent["logprobs"] is True


def test_schema_names_the_labels():
    """An object whose choice is one of them, strictly."""
    told = constrain("json_schema", render("json"))["response_format"]["json_schema"]

    assert told["strict"]
    assert told["schema"]["properties"]["choice"]["enum"] == ["FIRST", "SECOND", "TIE"]


@pytest.mark.parametrize(
    ("strategy", "template", "said"),
    [
        ("json_schema", "brackets", "'json_schema' does not fit replies in format 'mtbench"),
        ("logprobs", "json", "'logprobs' does not fit replies in format 'json_choice'"),
        ("magic", "json", "unknown value 'magic'"),
    ],
)
def test_what_does_not_fit_is_refused(strategy, template, said):
    """Before any call, with what would fit."""
    with pytest.raises(ParamsError, match=said):
        constrain(strategy, render(template))


def test_margin_needs_both_slots():
    """Without one of the two there is none; the tie does not count."""
    assert read_margin({"A": -1.0, "B": -3.0}, ("A", "B", "C")) == 2.0
    assert read_margin({"A": -1.0, "C": -2.0}, ("A", "B", "C")) is None
    assert read_margin(None, ("A", "B", "C")) is None


@pytest.fixture(scope="module")
def base_url():
    """Return the address of a running server, or skip where the extra is missing."""
    if lacking := missing_extra(MODEL):
        pytest.skip(lacking)
    with serve(MODEL, threads=1, context=4096) as url:
        yield url


@pytest.mark.parametrize(
    ("strategy", "template"),
    [
        ("grammar", "zeroshot-letters"),
        ("grammar", "brackets"),
        ("grammar", "json"),
        ("json_schema", "json"),
        ("logprobs", "zeroshot-letters"),
    ],
)
def test_server_holds_replies_to_labels(base_url, strategy, template):
    """What is whole can be read; log-probabilities come where the label is the first token."""
    import openai

    prompt = render(template)
    with openai.OpenAI(base_url=base_url, api_key="none", max_retries=0) as client:
        body = {"temperature": 1.0, "seed": 1, "max_tokens": 200, **constrain(strategy, prompt)}
        reply = client.chat.completions.create(
            model=MODEL,
            messages=[{"role": role, "content": text} for role, text in prompt.messages],
            extra_body=body,
        ).choices[0]
    verdict = parse_verdict(reply.message.content, prompt.format)

    if strategy != "logprobs" and reply.finish_reason == "stop":
        assert verdict.choice in (0, 1, 2)
    if prompt.format == "letters":
        assert len(reply.logprobs.content[0].top_logprobs) == 20
        if strategy == "grammar":
            assert reply.message.content in prompt.labels
