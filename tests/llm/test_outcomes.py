"""What providers really send, and which outcome each of it is."""

from __future__ import annotations

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
from provider_errors import (
    FURTHER,
    GEMINI_KEY,
    MISTRAL_EXTRA,
    QUOTA,
    REAL,
    STRUCTURED,
    anthropic,
    openai,
    through,
)
from serving import ROOT


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
        (through(openai("Not you.")), "Provider returned error: Not you."),
        (through("upstream is busy"), 'Provider returned error: "upstream is busy"'),
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


@pytest.mark.parametrize(("outcome", "status", "body"), [*REAL, *FURTHER])
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
    ("authentication", {"error_code": 110, "error_msg": "Access token invalid or no longer valid"},
     "Access token invalid or no longer valid"),
    ("rate_limit", {"error_code": 17, "error_msg": "Open api daily request limit reached"},
     "Open api daily request limit reached"),
    ("rejected", {"error": {"param": "seed", "message": "Never heard of."}}, "Never heard of."),
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
