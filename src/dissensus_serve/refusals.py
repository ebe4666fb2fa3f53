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
    if outcome not in _FAULTS[interface]:
        return None
    status, message, code, kind = _FAULTS[interface][outcome]
    waits = retry_after if outcome in ("rate_limit", "overload") else None
    return Refusal(status, message, code, None, kind, waits)


_INVALID = "invalid_request_error"

#: Outcome -> status, message, and OpenAI's code and type.
_FAULTS: dict[Interface, dict[str, tuple[int, str, str | None, str]]] = {
    "openai": {
        "rate_limit": (429, "Rate limit reached on requests per min (RPM). (simulated)",
                       "rate_limit_exceeded", "requests"),
        "overload": (503, "The engine is currently overloaded, please try again later. (simulated)",
                     None, "service_unavailable_error"),
        "server_error": (500, "The server had an error while processing your request. Sorry about "
                              "that! (simulated)", None, "server_error"),
        "rejected": (400, "The request could not be processed. (simulated)", None, _INVALID),
        "context_overflow": (400, "This model's maximum context length is 8192 tokens. Please "
                                  "reduce the length of the messages. (simulated)",
                             "context_length_exceeded", _INVALID),
        "authentication": (401, "Incorrect API key provided. (simulated)", "invalid_api_key",
                           _INVALID),
        "credit": (429, "You exceeded your current quota, please check your plan and billing "
                        "details. (simulated)", "insufficient_quota", "insufficient_quota"),
    },
    "anthropic": {
        "rate_limit": (429, "This request would exceed your organization's rate limit. (simulated)",
                       None, ""),
        "overload": (529, "Overloaded (simulated)", None, ""),
        "server_error": (500, "Internal server error (simulated)", None, ""),
        "rejected": (400, "The request could not be processed. (simulated)", None, ""),
        "context_overflow": (400, "prompt is too long: 208310 tokens > 200000 maximum (simulated)",
                             None, ""),
        "content_filter": (400, "Output blocked by content filtering policy (simulated)", None, ""),
        "authentication": (401, "invalid x-api-key (simulated)", None, ""),
        "credit": (400, "Your credit balance is too low to access the Anthropic API. Please go to "
                        "Plans & Billing to upgrade or purchase credits. (simulated)", None, ""),
    },
}  # fmt: skip
