"""Error responses, in the format and with the status of each interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Interface = Literal["openai", "anthropic"]

#: Status -> Anthropic's type of error.
_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass
class Refusal(Exception):
    """A request is answered with an error.

    Attributes
    ----------
    status : of the HTTP answer.
    message : what is wrong.
    code, param, kind : of OpenAI's errors: code, the parameter at fault, type.
    retry_after : seconds to send as Retry-After; None sends none.
    """

    status: int
    message: str
    code: str | None = None
    param: str | None = None
    kind: str = "invalid_request_error"
    retry_after: float | None = None

    def body(self, interface: Interface, request_id: str) -> dict[str, Any]:
        """The JSON of the answer."""
        if interface == "anthropic":
            error = {"type": _TYPES.get(self.status, "api_error"), "message": self.message}
            return {"type": "error", "error": error, "request_id": request_id}
        return {
            "error": {
                "message": self.message,
                "type": self.kind,
                "param": self.param,
                "code": self.code,
            }
        }


def unknown_model(name: str, interface: Interface) -> Refusal:
    """The error for an unknown model."""
    if interface == "anthropic":
        return Refusal(404, f"model: {name}")
    message = f"The model `{name}` does not exist or you do not have access to it."
    return Refusal(404, message, code="model_not_found")


def wrong_key(given: str, interface: Interface) -> Refusal:
    """The error for a wrong key; like OpenAI, it repeats both ends of the key."""
    if interface == "anthropic":
        return Refusal(401, "invalid x-api-key")
    if not given:
        return Refusal(401, "You didn't provide an API key.", code=None)
    shown = given if len(given) < 12 else f"{given[:3]}{'*' * (len(given) - 7)}{given[-4:]}"
    return Refusal(401, f"Incorrect API key provided: {shown}.", code="invalid_api_key")


def unsupported(name: str, interface: Interface) -> Refusal:
    """The error for a parameter that the model does not take."""
    if interface == "anthropic":
        return Refusal(400, f"{name}: Extra inputs are not permitted")
    other = {
        "max_tokens": "max_completion_tokens",
        "max_completion_tokens": "max_tokens",
    }.get(name)
    instead = f" Use '{other}' instead." if other else ""
    message = f"Unsupported parameter: '{name}' is not supported with this model.{instead}"
    return Refusal(400, message, code="unsupported_parameter", param=name)


def simulated_fault(
    outcome: str, interface: Interface, retry_after: float | None
) -> Refusal | None:
    """The error response of a fault; None for a fault that has none."""
    error = _FAULTS[interface].get(outcome)
    if error is None:
        return None
    waits = retry_after if outcome in ("rate_limit", "overload") else None
    message = f"{error.message} (simulated)"
    return Refusal(error.status, message, error.code, None, error.kind, waits)


@dataclass(frozen=True)
class _Error:
    """What a provider says of a fault; OpenAI's errors have a code and a type too."""

    status: int
    message: str
    code: str | None = None
    kind: str = "invalid_request_error"


#: Outcome -> its error.
_FAULTS: dict[Interface, dict[str, _Error]] = {
    "openai": {
        "rate_limit": _Error(
            429, "Rate limit reached on requests per min (RPM).", "rate_limit_exceeded", "requests"
        ),
        "overload": _Error(
            503,
            "The engine is currently overloaded, please try again later.",
            kind="service_unavailable_error",
        ),
        "server_error": _Error(
            500,
            "The server had an error while processing your request. Sorry about that!",
            kind="server_error",
        ),
        "rejected": _Error(400, "The request could not be processed."),
        "context_overflow": _Error(
            400,
            "This model's maximum context length is 8192 tokens. Please reduce the length "
            "of the messages.",
            "context_length_exceeded",
        ),
        "authentication": _Error(401, "Incorrect API key provided.", "invalid_api_key"),
        "credit": _Error(
            429,
            "You exceeded your current quota, please check your plan and billing details.",
            "insufficient_quota",
            "insufficient_quota",
        ),
    },
    "anthropic": {
        "rate_limit": _Error(429, "This request would exceed your organization's rate limit."),
        "overload": _Error(529, "Overloaded"),
        "server_error": _Error(500, "Internal server error"),
        "rejected": _Error(400, "The request could not be processed."),
        "context_overflow": _Error(400, "prompt is too long: 208310 tokens > 200000 maximum"),
        "content_filter": _Error(400, "Output blocked by content filtering policy"),
        "authentication": _Error(401, "invalid x-api-key"),
        "credit": _Error(
            400,
            "Your credit balance is too low to access the Anthropic API. Please go to Plans "
            "& Billing to upgrade or purchase credits.",
        ),
    },
}
