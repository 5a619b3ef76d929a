"""Any endpoint that speaks OpenAI's chat completions: labs, gateways, vLLM, Ollama, llama.cpp."""

from math import exp, log

from posbias_kit.judging.adapter import Adapter
from posbias_kit.judging.failures import parse_body
from posbias_kit.judging.labels import constrain
from posbias_kit.judging.protocol import Reply, Usage


class OpenAIClient(Adapter):
    """Adapter over the openai SDK, whose own retries are off.

    Reasoning models (`reasoning: true`) get `max_completion_tokens` instead of `max_tokens`,
    and no temperature.

    Parameters
    ----------
    params : posbias_kit.judge_kinds.OpenAIParams
    """

    @staticmethod
    def configure(params):
        """Return the settings that go out with every prompt."""
        limit = "max_completion_tokens" if params.reasoning else "max_tokens"
        settings = {
            "model": params.model,
            "temperature": None if params.reasoning else params.temperature,
            limit: params.max_tokens,
            "seed": params.seed,
            **params.extra,
        }
        return {name: value for name, value in settings.items() if value is not None}

    def _connect(self, params):
        import httpx2
        import openai

        self._errors, self.response = openai, httpx2.Response
        return openai.AsyncOpenAI(**self._options(openai, params))

    def _constraint(self, prompt):
        return constrain(self._strategy, prompt)

    def _body(self, prompt, fields):
        messages = [{"role": role, "content": text} for role, text in prompt.messages]
        return {"messages": messages, **fields}

    async def _send(self, sdk, body):
        # The SDK's own models of request and reply would take a third of the time of a call.
        response = await sdk.post("/chat/completions", body=body, cast_to=self.response)
        return response.text, response.headers

    def drop(self, error):
        """Leave out what was refused; the token limit goes on under its newer name if told so."""
        super().drop(error)
        if error.refused == "max_tokens" and "max_completion_tokens" in error.message:
            self.settings = {**self.settings, "max_completion_tokens": self.settings["max_tokens"]}

    def _read(self, raw, headers, prompt, sent):
        body = parse_body(raw, sent)
        choice = next(iter(body.get("choices") or ()), None) or {}
        message = choice.get("message") or {}
        usage = body.get("usage") or {}
        refusal = message.get("refusal")
        return Reply(
            text=_text(message.get("content")),
            reasoning=message.get("reasoning_content") or message.get("reasoning"),
            stop_reason="refusal" if refusal else str(choice.get("finish_reason") or ""),
            usage=Usage(
                usage.get("prompt_tokens"),
                (usage.get("prompt_tokens_details") or {}).get("cached_tokens"),
                usage.get("completion_tokens"),
                (usage.get("completion_tokens_details") or {}).get("reasoning_tokens"),
            ),
            model=str(body.get("model") or ""),
            request_id=headers.get("x-request-id") or str(body.get("id") or ""),
            sent=sent,
            raw=raw,
            logprobs=_first_token(choice.get("logprobs"), prompt.labels),
        )


def _text(content):
    """Return the text of a message; some gateways send it in parts."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content


def _first_token(told, labels):
    """Return each label's log-probability as the first token; spellings with a space add up."""
    content = (told or {}).get("content") or []
    if not content:
        return None
    first = content[0]
    chance = {}
    for option in first.get("top_logprobs") or [first]:
        label = option["token"].strip()
        if label in labels:
            chance[label] = chance.get(label, 0.0) + exp(option["logprob"])
    return {label: log(value) for label, value in chance.items() if value > 0}
