"""Models behind an OpenAI-compatible endpoint: OpenAI, vLLM, Ollama and most gateways."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from dissensus.errors import ProviderError
from dissensus.fingerprint import digest
from dissensus.talk.call import Reply, Request


class OpenAIModel:
    """Chat completions through the ``openai`` package, with its own retries and backoff."""

    simulated = False

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        import openai

        variable = settings.get("key_from", "OPENAI_API_KEY")
        key = os.environ.get(variable)
        if not key:
            raise ProviderError(
                f"models.{name}: the environment variable {variable} is not set; "
                "export the key there (any word will do for a local server)."
            )
        self.name = name
        self._model = settings.get("model") or name
        self._extra = settings.get("parameters", {})
        self.identity = identity(settings)
        self._errors = openai.APIError
        self._timeout_error = openai.APITimeoutError
        self._client = openai.OpenAI(
            api_key=key,
            base_url=settings.get("base_url"),
            timeout=settings.get("timeout_s", 60.0),
            max_retries=settings.get("retries", 5),
        )

    def ask(self, request: Request) -> Reply:
        started = time.monotonic()
        parameters: dict[str, Any] = {
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
            "seed": request.seed,
            **self._extra,
        }
        try:
            answer = self._client.chat.completions.create(
                model=self._model,
                messages=[{"role": m.role, "content": m.content} for m in request.messages],  # type: ignore[misc]
                **{key: value for key, value in parameters.items() if value is not None},
            )
        except self._timeout_error:
            return Reply("", "timeout", finish_reason="error", latency_s=time.monotonic() - started)
        except self._errors as error:
            kind = type(error).__name__
            return Reply("", kind, finish_reason="error", latency_s=time.monotonic() - started)
        except ValueError:
            # Some gateways answer 200 with a page that is not JSON ...
            answer = None
        choices = getattr(answer, "choices", None)
        if answer is None or not choices or not choices[0].message:
            # ... or with JSON that holds no answer.
            latency = time.monotonic() - started
            return Reply("", "malformed", finish_reason="error", latency_s=latency)
        choice = choices[0]
        # A reply cut off inside an emoji ends with half a character, which UTF-8 cannot write.
        text = (choice.message.content or "").encode(errors="replace").decode().strip()
        usage = answer.usage
        return Reply(
            text,
            error="" if text else "empty",
            finish_reason=choice.finish_reason or "",
            input_tokens=usage.prompt_tokens if usage else 0,
            output_tokens=usage.completion_tokens if usage else 0,
            latency_s=time.monotonic() - started,
        )


def make(name: str, settings: Mapping[str, Any]) -> OpenAIModel:
    """A model behind an OpenAI-compatible endpoint; see :func:`dissensus.talk.providers.make`."""
    return OpenAIModel(name, settings)


def identity(settings: Mapping[str, Any]) -> str:
    """See :func:`dissensus.talk.providers.identity`: what is asked, not how patiently."""
    return digest({k: settings.get(k) for k in ("provider", "model", "base_url", "parameters")})
