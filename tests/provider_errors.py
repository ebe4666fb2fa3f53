"""Errors as providers send them, each with the outcome that it is."""

from __future__ import annotations

import json
from typing import Any


def openai(message: str, kind: str | None = None, code: Any = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def anthropic(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


INVALID = "invalid_request_error"
ADD_PAYMENT = (
    "Rate limit reached for gpt-4 on requests per min. Limit: 3 / min. Please try again in 20s. "
    "Please add a payment method to your account to increase your rate limit. Visit "
    "https://platform.openai.com/account/billing to add a payment method."
)
QUOTA = "You exceeded your current quota, please check your plan and billing details."
LOW = (
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to "
    "upgrade or purchase credits."
)
AZURE_FILTER = (
    "The response was filtered due to the prompt triggering Azure OpenAI's content management "
    "policy. Please modify your prompt and retry."
)
VLLM_LONG = (
    "You passed 1015 input tokens and requested 10 output tokens. However, the model's context "
    "length is only 1024 tokens, resulting in a maximum input length of 1014 tokens."
)
MISTRAL_LONG = (
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum "
    "context length"
)
MISTRAL_EXTRA = {
    "object": "error",
    "message": {
        "detail": [
            {
                "type": "extra_forbidden",
                "loc": ["body", "max_completion_tokens"],
                "msg": "Extra inputs are not permitted",
                # What was sent comes back, and its words are the debate's.
                "input": "On content policy: the context length of a speech was flagged",
            }
        ]
    },
    "type": "invalid_request_error",
    "param": None,
    "code": None,
}
GEMINI_KEY = [
    {
        "error": {
            "code": 400,
            "message": "API key not valid. Please pass a valid API key.",
            "status": "INVALID_ARGUMENT",
        }
    }
]

REAL: list[tuple[str, int, Any]] = [
    # OpenAI
    ("credit", 429, openai(QUOTA, "insufficient_quota", "insufficient_quota")),
    ("credit", 429, openai(QUOTA, "insufficient_quota")),
    ("credit", 429, openai("Your account is not active", "billing_not_active")),
    ("rate_limit", 429, openai(ADD_PAYMENT, "requests", "rate_limit_exceeded")),
    ("rate_limit", 429, openai(QUOTA, None, 429)),
    ("authentication", 401, openai("Incorrect API key provided.", INVALID, "invalid_api_key")),
    ("authentication", 403, openai("Country not supported", "request_forbidden")),
    ("rejected", 404, openai("The model `x` does not exist", INVALID, "model_not_found")),
    ("rejected", 400, openai("Unknown parameter: 'safety_identifier'.", INVALID)),
    ("rejected", 400, openai("Unsupported parameter: 'max_tokens' is not supported.", INVALID)),
    (
        "context_overflow",
        400,
        openai("This model's maximum context length is 8192", INVALID, "context_length_exceeded"),
    ),
    ("context_overflow", 400, openai("Invalid 'messages'", INVALID, "string_above_max_length")),
    (
        "content_filter",
        400,
        openai("Your prompt was flagged as potentially violating our usage policy.", INVALID),
    ),
    ("server_error", 500, openai("The server had an error", "server_error")),
    ("overload", 503, openai("The engine is currently overloaded", "service_unavailable")),
    # Anthropic
    ("credit", 400, anthropic(INVALID, LOW)),
    ("credit", 400, anthropic(INVALID, "You have reached your specified API usage limits.")),
    ("credit", 402, anthropic("billing_error", "There is an issue with your billing.")),
    ("rate_limit", 429, anthropic("rate_limit_error", "This request would exceed your limit.")),
    ("overload", 529, anthropic("overloaded_error", "Overloaded")),
    ("server_error", 500, anthropic("api_error", "Internal server error")),
    ("timeout", 504, anthropic("timeout_error", "Request timed out")),
    ("authentication", 401, anthropic("authentication_error", "invalid x-api-key")),
    ("authentication", 403, anthropic("permission_error", "No permission")),
    ("rejected", 404, anthropic("not_found_error", "model: claude-x")),
    ("context_overflow", 413, anthropic("request_too_large", "Request exceeds the maximum size")),
    ("context_overflow", 400, anthropic(INVALID, "prompt is too long: 208310 tokens > 200000")),
    (
        "context_overflow",
        400,
        anthropic(INVALID, "input length and `max_tokens` exceed context limit: 190000 + 20000"),
    ),
    ("content_filter", 400, anthropic(INVALID, "Output blocked by content filtering policy")),
    ("rejected", 400, anthropic(INVALID, "max_tokens: 9999 > 8192, the maximum allowed")),
    # DeepSeek
    ("credit", 402, openai("Insufficient Balance", "unknown_error", INVALID)),
    ("credit", 400, openai("Insufficient Balance", "unknown_error", INVALID)),
    ("content_filter", 400, openai("Content Exists Risk", INVALID, INVALID)),
    ("content_filter", 400, {"detail": "Content Exists Risk"}),
    ("rejected", 422, openai("Failed to deserialize the JSON body", INVALID)),
    # Mistral
    ("authentication", 401, {"detail": "Unauthorized"}),
    ("rate_limit", 429, {"message": "Requests rate limit exceeded"}),
    ("rejected", 422, MISTRAL_EXTRA),
    (
        "context_overflow",
        400,
        {"object": "error", "message": MISTRAL_LONG, "type": "invalid_request_prompt"},
    ),
    # Azure
    (
        "content_filter",
        400,
        {
            "error": {
                "message": AZURE_FILTER,
                "type": None,
                "code": "content_filter",
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
    ),
    ("authentication", 401, {"statusCode": 401, "message": "Invalid subscription key"}),
    ("rejected", 404, openai("The API deployment does not exist", None, "DeploymentNotFound")),
    (
        "rate_limit",
        429,
        openai("Requests have exceeded the token rate limit of your S0 pricing tier.", None, "429"),
    ),
    # OpenRouter
    ("credit", 402, openai("This request requires more credits, or fewer max_tokens", None, 402)),
    (
        "content_filter",
        403,
        openai("Your chosen model requires moderation and your input was flagged", None, 403),
    ),
    (
        "context_overflow",
        400,
        {
            "error": {
                "message": "Provider returned error",
                "code": 400,
                "metadata": {"raw": json.dumps(openai(VLLM_LONG)), "provider_name": "X"},
            }
        },
    ),
    # vLLM, Ollama, LM Studio, Google, xAI
    ("context_overflow", 400, openai(VLLM_LONG, "BadRequestError", 400)),
    (
        "context_overflow",
        400,
        {"object": "error", "message": "max_tokens must be at least 1, got -186.", "code": 400},
    ),
    ("rejected", 404, openai('model "x" not found, try pulling it first', "api_error")),
    ("rejected", 404, {"error": "model 'x' not found"}),
    ("context_overflow", 400, {"error": "Input length 1581 exceeds context length 1500"}),
    ("authentication", 400, GEMINI_KEY),
    ("authentication", 400, {"code": "x", "error": "Incorrect API key provided: xa***."}),
    ("credit", 403, {"code": "x", "error": "Your team has used all available credits."}),
    # Pages and nothing at all
    ("server_error", 502, "<html>Bad gateway: billing, context length, safety</html>"),
    ("overload", 503, "<html>insufficient funds</html>"),
    ("rejected", 400, ""),
    ("rejected", 400, None),
    ("rate_limit", 429, []),
]


WORKSPACE = "You have reached your specified workspace API usage limits."
GROQ = "Failed to call a function. Please adjust your prompt. See 'failed_generation' for details."
MODERATED = {"reasons": ["violence"], "flagged_input": "...", "provider_name": "X"}
#: What names itself by a code or a member, in whatever words; and what words alone tell.
STRUCTURED: list[tuple[str, int, Any]] = [
    # A prompt of one session.
    ("content_filter", 403, openai("Forbidden: input flagged.", None, 403)),
    ("content_filter", 403, {"error": {"code": 403, "message": "No.", "metadata": MODERATED}}),
    ("content_filter", 400, openai("Invalid prompt: try another.", INVALID, "invalid_prompt")),
    ("content_filter", 400, {"code": "DataInspectionFailed", "message": "Not this one."}),
    ("content_filter", 400, openai("No.", None, "content_policy_violation")),
    # A sample of the model's.
    ("empty", 400, openai(GROQ, INVALID, "tool_use_failed")),
    ("empty", 400, openai("Parsing failed.", INVALID, "output_parse_failed")),
    ("empty", 400, openai("Failed to generate JSON.", INVALID, "json_validate_failed")),
    ("empty", 400, {"error": {"message": "No.", "failed_generation": "<against usage policy>"}}),
    ("empty", 400, openai("unexpected tokens remaining in message header: ['to']", INVALID)),
    ("empty", 500, openai("unexpected tokens remaining in message header: ['to']", "Internal")),
    ("empty", 400, {"error": "HarmonyError: unexpected tokens remaining in message header"}),
    # A parameter, in whatever words; what was said in the request is none.
    ("rejected", 422, {"detail": [{"loc": ["body", "seed"], "msg": "flagged as extra"}]}),
    ("rejected", 400, {"error": {"param": "safety", "message": "content policy: unknown"}}),
    ("content_filter", 400, {"error": {"param": "messages.1.content", "message": "Flagged."}}),
    # The account: what it has left, its limits, whether it is one, and where it is.
    ("credit", 400, anthropic(INVALID, WORKSPACE)),
    ("credit", 403, openai("Key limit exceeded (total limit).", None, 403)),
    ("credit", 400, openai("Budget has been exceeded! Current cost: 1", "budget_exceeded")),
    ("credit", 429, openai("You have exceeded your monthly spending limit.", "tokens")),
    ("credit", 403, openai("You have hit your credit limit.", "forbidden")),
    ("authentication", 400, anthropic(INVALID, "This organization has been disabled.")),
    ("authentication", 403, openai("Gone.", None, "account_deactivated")),
    (
        "authentication",
        403,
        openai("Not supported", "x", "unsupported_country_region_territory"),
    ),
    (
        "authentication",
        400,
        {
            "error": {
                "code": 400,
                "message": "User location is not supported for the API use.",
                "status": "FAILED_PRECONDITION",
            }
        },
    ),
    # The surest says it: a code, before words that speak of something else.
    ("credit", 400, openai("The context length was flagged.", None, "insufficient_quota")),
    ("rate_limit", 429, openai("Limit of your organization's tokens per minute.", "tokens")),
    ("rate_limit", 429, openai("Content policy of retries: wait.", "requests")),
]  # fmt: skip


def google(code: int, message: str, status: str, reason: str = "") -> dict[str, Any]:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}]
    about = {"details": details} if reason else {}
    return {"error": {"code": code, "message": message, "status": status, **about}}


def through(raw: Any, code: int = 400) -> dict[str, Any]:
    """As OpenRouter passes an error on."""
    about = {"raw": json.dumps(raw), "provider_name": "X"}
    return {"error": {"message": "Provider returned error", "code": code, "metadata": about}}


SUSPENDED = "Your account org-x is suspended, please check your plan and billing details"
XAI_DENIED = "The caller does not have permission to execute the specified operation"
TOO_LARGE = (
    "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30,000, "
    "Requested 40112. The input or output tokens must be reduced in order to run successfully."
)
SOME_LEFT = "on tokens per minute (TPM): Limit 6000, Used 5900, Requested 400. Try again in 3s."
#: What other providers and gateways send.
FURTHER: list[tuple[str, int, Any]] = [
    # The account: what it has left, and whether it may ask.
    ("credit", 429, google(429, "Your prepayment credits are depleted.", "RESOURCE_EXHAUSTED")),
    ("credit", 403, google(403, "Enable it.", "PERMISSION_DENIED", "BILLING_DISABLED")),
    ("authentication", 403, google(403, "No.", "PERMISSION_DENIED", "CONSUMER_SUSPENDED")),
    ("credit", 429, openai(SUSPENDED, "exceeded_current_quota_error")),
    ("credit", 412, openai("Account x is suspended, possibly due to reaching the monthly spending "
                           "limit or failure to pay past invoices", INVALID)),
    ("credit", 401, openai("You have run out of credits.", "insufficient_quota", 401)),
    ("credit", 403, openai("The free tier of the model has been exhausted.",
                           "AllocationQuota.FreeTierOnly", "AllocationQuota.FreeTierOnly")),
    ("credit", 429, {"error": {"message": "you (x) have reached your weekly usage limit"}}),
    ("authentication", 400, openai("Organization has been restricted.", INVALID,
                                   "organization_restricted")),
    ("authentication", 429, {"error": {"code": "1112", "message": "您的账户已被锁定。"}}),
    # What passes.
    ("overload", 498, openai("Flex tier capacity exceeded", "capacity_exceeded")),
    ("rate_limit", 429, openai(f"Rate limit reached {SOME_LEFT}", "tokens", "rate_limit_exceeded")),
    ("rate_limit", 429, {"message": "Too many tokens per day, please wait before trying again."}),
    # A prompt that is too long for ever.
    ("context_overflow", 429, openai(TOO_LARGE, "tokens", "rate_limit_exceeded")),
    ("context_overflow", 400, openai("litellm.ContextWindowExceededError: x", None, "400")),
    ("context_overflow", 400, openai("Range of input length should be [1, 129024]", INVALID)),
    ("context_overflow", 400, openai("Your request exceeded model token limit: 131072", INVALID)),
    ("context_overflow", 422, openai("`inputs` tokens + `max_new_tokens` must be <= 8193")),
    ("context_overflow", 400, {"error": {"code": "1261", "message": "Prompt 超长"}}),
    # One that a filter took out.
    ("content_filter", 400, openai("litellm.ContentPolicyViolationError: x", None, "400")),
    ("content_filter", 403, {"code": XAI_DENIED, "error": "Content violates usage guidelines."}),
    ("content_filter", 400, openai("No.", INVALID, "cyber_policy_violation")),
    ("empty", 500, openai("Failed to parse input at pos 312: <tool_call>", "server_error", 500)),
    # What a gateway was told.
    ("content_filter", 400, through({"code": "DataInspectionFailed", "message": "No."})),
    ("authentication", 403, through(openai("No.", None, "unsupported_country_region_territory"))),
    ("rejected", 400, through(openai("No.", INVALID, "unsupported_parameter"))),
    # What was said in the request is quoted, and names nothing.
    ("rejected", 400, openai("value must be a string; got: 'our account was suspended and our "
                             "region is not supported'", INVALID)),
    ("rejected", 400, openai("got 'the speaker's context length was flagged, it's said'", INVALID)),
]  # fmt: skip
