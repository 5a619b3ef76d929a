"""Anthropic's messages, through its own SDK (the extra `anthropic`)."""

from posbias_kit.errors import ParamsError
from posbias_kit.judging.adapter import Adapter
from posbias_kit.judging.failures import parse_body
from posbias_kit.judging.protocol import Reply, Usage


class AnthropicClient(Adapter):
    """Adapter over the anthropic SDK, whose own retries are off.

    Parameters
    ----------
    params : posbias_kit.judge_kinds.AnthropicParams

    Raises
    ------
    ParamsError
        The SDK is not installed.
    """

    @staticmethod
    def configure(params):
        """Return the settings that go out with every prompt."""
        settings = {
            "model": params.model,
            "max_tokens": params.max_tokens,
            "temperature": params.temperature,
            **params.extra,
        }
        return {name: value for name, value in settings.items() if value is not None}

    def _connect(self, params):
        try:
            import anthropic
        except ImportError:
            raise ParamsError(
                "the package anthropic is not installed",
                place=f"judge {self.name!r}",
                cure="install the extra: pip install 'posbias-kit[anthropic]'",
            ) from None
        self._errors = anthropic
        return anthropic.AsyncAnthropic(**self._options(anthropic, params))

    def _body(self, prompt, fields):
        system = "\n\n".join(text for role, text in prompt.messages if role == "system")
        said = [(role, text) for role, text in prompt.messages if role != "system"]
        messages = [{"role": role, "content": text} for role, text in said]
        return {**fields, **({"system": system} if system else {}), "messages": messages}

    async def _send(self, sdk, body):
        # The SDK wants these three by name, and takes whatever else as it is.
        named = {name: body[name] for name in ("model", "max_tokens", "messages")}
        rest = {name: value for name, value in body.items() if name not in named}
        response = await sdk.messages.with_raw_response.create(**named, extra_body=rest)
        return await response.text(), response.headers

    def _read(self, raw, headers, prompt, sent):
        body = parse_body(raw, sent)
        blocks = body.get("content") or []
        usage = body.get("usage") or {}
        cached = usage.get("cache_read_input_tokens") or 0
        written = usage.get("cache_creation_input_tokens") or 0
        fresh = usage.get("input_tokens")
        return Reply(
            text=_join(blocks, "text"),
            reasoning=_join(blocks, "thinking"),
            stop_reason=str(body.get("stop_reason") or ""),
            usage=Usage(
                None if fresh is None else fresh + cached + written,
                cached,
                usage.get("output_tokens"),
                None,
            ),
            model=str(body.get("model") or ""),
            request_id=headers.get("request-id") or str(body.get("id") or ""),
            sent=sent,
            raw=raw,
        )


def _join(blocks, kind):
    """Join the blocks of one type: the first block may be a thought."""
    texts = [block.get(kind) or "" for block in blocks if block.get("type") == kind]
    return "".join(texts) if texts else None
