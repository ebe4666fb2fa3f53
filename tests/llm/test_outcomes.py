"""What providers really send, and which outcome each of it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dissensus.llm.outcomes import (
    RULES,
    cut_off,
    fault_in,
    finish_reason,
    message_of,
    outcome_of,
    sentence_of,
    status_of,
    stopped,
)
from serving import ROOT


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


@pytest.mark.parametrize(("outcome", "status", "body"), STRUCTURED)
def test_structure_comes_before_words(outcome: str, status: int, body: Any) -> None:
    assert outcome_of(status, body) == outcome


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (openai("Not permitted."), "Not permitted."),
        ({"error": {"message": "Not permitted.", "param": "seed"}}, "seed: Not permitted."),
        ({"error": {"message": "No 'seed' here.", "param": "seed"}}, "No 'seed' here."),
        ({"detail": [{"loc": ["body", "seed"], "msg": "No."}]}, "seed: No."),
        ({"detail": [{"loc": ["body", "messages", 0, "content"], "msg": "No."}]}, "No."),
        ({"errors": [{"field": "top_p", "message": "No."}]}, "top_p: No."),
        (MISTRAL_EXTRA, "max_completion_tokens: Extra inputs are not permitted"),
    ],
)
def test_the_parameter_that_an_error_names_stands_beside_its_words(
    body: Any, sentence: str
) -> None:
    assert sentence_of(body) == sentence


@pytest.mark.parametrize(
    ("outcome", "words", "why"),
    [
        ("authentication", "invalid x-api-key", "does not accept the key"),
        ("authentication", "This organization has been disabled.", "organization is disabled"),
        (
            "authentication",
            "Country, region, or territory not supported",
            "does not serve the place",
        ),
        ("credit", "Insufficient Balance", "no credit left"),
        (
            "credit",
            "You have reached your specified workspace API usage limits.",
            "a limit of spend",
        ),
        ("credit", "Key limit exceeded", "a limit of spending is reached"),
    ],
)
def test_what_stops_a_run_is_said_as_what_it_is(outcome: str, words: str, why: str) -> None:
    assert why in str(stopped("p", outcome, f"models.m: {words}"))


@pytest.mark.parametrize(("outcome", "status", "body"), REAL)
def test_what_providers_really_send(outcome: str, status: int, body: Any) -> None:
    assert outcome_of(status, body) == outcome


WITHIN: list[tuple[str, Any, str]] = [
    # MiniMax; Zhipu and SiliconFlow; Baidu; DashScope; Cloudflare; OpenRouter; vLLM; FastAPI
    ("credit", {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}},
     "insufficient balance"),
    ("credit", {"choices": None, "base_resp": {"status_code": 1008, "status_msg": "-"}}, "-"),
    ("rate_limit", {"base_resp": {"status_code": 1002, "status_msg": "limit"}}, "limit"),
    ("authentication", {"base_resp": {"status_code": 2049, "status_msg": "invalid api key"}},
     "invalid api key"),
    ("content_filter", {"base_resp": {"status_code": 1027, "status_msg": "output new_sensitive"}},
     "output new_sensitive"),
    ("credit", {"success": False, "code": 1113, "msg": "您的账户余额不足"}, "您的账户余额不足"),
    ("rate_limit", {"success": False, "message": "Too many requests"}, "Too many requests"),
    ("server_error", {"success": "false"}, ""),
    ("context_overflow", {"error_code": 336007, "error_msg": "the prompt is too long"},
     "the prompt is too long"),
    ("credit", {"code": "Arrearage", "message": "Access denied, account in arrears."},
     "Access denied, account in arrears."),
    ("authentication", {"success": False, "errors": [{"code": 10000, "message": "Not authorised"}]},
     "Not authorised"),
    ("overload", {"error": {"code": 503, "message": "No instances"}}, "No instances"),
    ("rate_limit", {"choices": [{"finish_reason": "", "error": {"code": 429, "message": "Slow"}}]},
     "Slow"),
    ("server_error", {"choices": [{"message": {"error": "it broke"}}]}, "it broke"),
    ("rejected", {"object": "error", "message": "bad", "code": 400}, "bad"),
    ("server_error", {"type": "error", "error": {"type": "api_error", "message": "x"}}, "x"),
    ("overload", {"status": "failed", "message": "The server is busy"}, "The server is busy"),
    ("rate_limit", {"statusCode": 429, "message": "Wait."}, "Wait."),
    ("overload", {"statusCode": "503"}, ""),
    ("authentication", {"httpStatus": 401, "detail": {"x": 1}}, ""),
    ("rejected", {"errorCode": 400, "errorMessage": "no"}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("outcome", "body", "said"), WITHIN)
def test_errors_within_an_answer_are_those_of_its_status(
    outcome: str, body: Any, said: str
) -> None:
    fault = fault_in(body)
    assert fault is not None
    assert outcome_of(status_of(fault), fault) == outcome
    assert message_of(fault) == said


@pytest.mark.parametrize(
    "body",
    [
        {
            "choices": [{"message": {"content": "x"}}],
            "error": None,
            "base_resp": {"status_code": 0},
        },
        {"choices": [{"message": {"content": "x"}, "error": None}], "success": True, "code": 200},
        {"choices": [{"message": {"content": "x"}}], "status": "completed", "code": "SUCCESS"},
        {"content": [{"type": "text", "text": "x"}], "type": "message", "error": {}},
        {"data": [], "object": "list"},
        {},
        [],
        None,
    ],
)
def test_an_answer_has_no_error(body: Any) -> None:
    assert fault_in(body) is None


@pytest.mark.parametrize("finish", ["stop", "", "tool_calls", "refusal"])
def test_natural_ends_are_whole(finish: str) -> None:
    assert cut_off(finish) == ""


@pytest.mark.parametrize(
    "given", ["length", "SAFETY", "pause_turn", "OTHER", "load", "repetition", "", {}, "?", 7]
)
def test_whatever_else_ends_a_text_cuts_it_off(given: Any) -> None:
    assert cut_off(finish_reason(given)).startswith("cut off")


@pytest.mark.parametrize(
    ("statuses", "outcome"),
    [
        ([402], "credit"),
        ([401, 403], "authentication"),
        ([408, 504, 524], "timeout"),
        ([413], "context_overflow"),
        ([425, 503, 529], "overload"),
        ([429], "rate_limit"),
        ([499], "connection"),
        ([409, 500, 501, 502, 507, 520, 521, 522, 523, 525, 526, 530, 599, 600, 999],
         "server_error"),
        ([301, 302, 307, 308, 400, 404, 405, 418, 421, 422, 431, 451], "rejected"),
    ],
)  # fmt: skip
def test_statuses_without_a_word(statuses: list[int], outcome: str) -> None:
    bodies: list[Any] = [{}, "", None, {"error": {}}, {"error": None}]
    for body in bodies:
        assert {outcome_of(status, body) for status in statuses} == {outcome}


def test_every_outcome_has_a_rule() -> None:
    assert {outcome for outcome, _, _ in REAL} <= set(RULES)
    assert {name for name, rule in RULES.items() if rule.stops} == {"authentication", "credit"}
    assert all(rule.tries == 1 for rule in RULES.values() if rule.stops)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (openai("Provider returned error", None, 429), 429),
        (openai("Provider returned error", None, "529"), 529),
        (openai("Network connection lost.", None, 502), 502),
        (openai(QUOTA, "insufficient_quota"), 400),
        (openai("Too fast", "rate_limit_error"), 429),
        (anthropic("overloaded_error", "Overloaded"), 529),
        (anthropic("authentication_error", "No."), 401),
        (anthropic("not_found_error", "model: x"), 400),
        ({"error": "prompt is too long"}, 400),
        ({"error": "it broke"}, 502),
        ({"error": {"code": 200}}, 502),
        ({"error": {"code": True}}, 502),
        ({"error": ["?"]}, 502),
    ],
)
def test_an_error_inside_a_good_answer(error: Any, status: int) -> None:
    assert status_of(error) == status


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (openai("Slow down."), "Slow down."),
        (anthropic("overloaded_error", "Overloaded"), "Overloaded"),
        ({"detail": "Unauthorized"}, "Unauthorized"),
        (MISTRAL_EXTRA, "Extra inputs are not permitted"),
        (GEMINI_KEY, "API key not valid. Please pass a valid API key."),
        ({"error": "model 'x' not found"}, "model 'x' not found"),
        ("a page", "a page"),
        ({}, ""),
        ([], ""),
        (None, ""),
        ({"error": {"code": 3}}, ""),
    ],
)
def test_the_sentence_of_an_error(error: Any, said: str) -> None:
    assert message_of(error) == said


def test_an_error_nested_for_ever_is_read_so_far() -> None:
    error: Any = "insufficient_quota"
    for _ in range(5000):
        error = {"error": error}
    assert outcome_of(400, error) == "rejected"
    assert message_of(error) == "insufficient_quota"


def test_a_firewall_s_page_is_not_about_the_key() -> None:
    assert outcome_of(403, "<html>Access denied</html>") == "rejected"
    assert outcome_of(403, {"error": {"message": "Forbidden"}}) == "authentication"
    assert outcome_of(401, "<html>Who are you?</html>") == "authentication"


def test_the_page_says_of_every_outcome_whose_fault_it_is() -> None:
    page = (ROOT / "docs/models.md").read_text(encoding="utf-8")
    table = page.partition("| outcome | whose |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:3]] for line in table.splitlines()[2:]]
    said = {outcome: whose for outcomes, whose in rows for outcome in outcomes.split(", ")}
    assert said == {outcome: rule.fault for outcome, rule in RULES.items()}
