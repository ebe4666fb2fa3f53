"""Each format rule of appendix D.1, kept and broken, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.session.format_rules import BANNED, SPACED, SpeechRules, share_of_script

EN = SpeechRules(sentences=4, words=50, script="latin")
ZH = SpeechRules(sentences=4, words=50, script="han")
SYMBOL = "banned symbols: {}"
LIST = "a bulleted or numbered list"
PARAGRAPH = "more than one paragraph, or a heading"
EMOJI = "an emoji"
GREETING = "a greeting or an announcement of the role or round"
LANGUAGE = "not in the language asked for"


@pytest.mark.parametrize(
    "text",
    [
        "Schools work. They pay. Prices fall. Why stop now?",
        "It's the people's choice. They don't mind. We're sure. Isn't that enough?",
        "History shows it. Hidden costs rose. Highways fill. His answer fails!",
        "Hi-tech firms left. Two stayed. Three came. Who's next?",
        "3.5 per cent is growth. It was 2.25 before. It rose by 1,000.5 units. Is 4.0 enough?",
        "2.5 million left. They said 'no growth' and left. We saw it. What now?",
        "They said 'we must act', but didn't. Dr. Smith disagreed. So did the U.S. Senate. Why?",
        "He asked “who pays?” and nobody spoke. Two. Three. Four.",
        "A well-being index (the O.E.C.D. one) rose. Two. Three. Four.",
        "The pros outweigh the cons. Rounds of talks failed. Pro bono work grew. Fine.",
        "As the process shows, it works. Two. Three. Four.",
        "Dearth is no plan. Two. Three. Four.",
        "Lǐ Kèqiáng said so: 你好. Two more words here. Three more words. Four.",
        "Costs fell; benefits rose: that is all. A/B tests agree. $5 & 10% of 7+3=10. Is it?",
    ],
)
def test_english_that_keeps_the_rules(text: str):
    assert EN.violations(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "学校有用。代价不大。价格下降。为什么要停？",
        "对方说‘代价太高’，但事实相反。增长率为3.5%。人口达1.4亿。对方如何回答？",
        "世界贸易组织（World Trade Organization）已经承认。二是如此。三是如此。难道不是吗？",
        "李光耀（Lee Kuan Yew）早就说过。GDP增长了。IMF也同意。怎么办？",
        "没有人回答“谁来付账”。第二句。第三句。第四句！",
        "正方向前走一步。第一次如此。第二次如此。第三次呢？",
        "一方面，成本下降了。另一方面，收益上升。三者并存。谁反对？",
        "各地都在改革。十年前如此。今天也如此。何必再等？",
    ],
)
def test_chinese_that_keeps_the_rules(text: str):
    assert ZH.violations(text) == ()


BROKEN = [
    *[(EN, f"One {s} two. Two. Three. Four?", SYMBOL.format(s)) for s in BANNED],
    *[(ZH, f"第一{s}句。第二句。第三句。第四句？", SYMBOL.format(s)) for s in BANNED],
    (EN, "**One.** Two. Three. Four.", SYMBOL.format("*")),
    (EN, "One #a. Two > b. Three | c. Four.", SYMBOL.format("# > |")),
    (EN, "- One. Two. Three. Four.", LIST),
    (EN, "• One. Two. Three. Four.", LIST),
    (EN, "1. One is. Two. Three. Four.", LIST),
    (EN, "1) One is. Two. Three. Four.", LIST),
    (EN, "a) One is. Two. Three. Four.", LIST),
    (ZH, "一、第一句。第二句。第三句。第四句。", LIST),
    (ZH, "1、第一句。第二句。第三句。第四句。", LIST),
    (EN, "One. Two.\nThree. Four.", PARAGRAPH),
    (ZH, "第一句。第二句。\n\n第三句。第四句。", PARAGRAPH),
    (EN, "One \U0001f600. Two. Three. Four.", EMOJI),
    (EN, "One \u2705. Two. Three. Four.", EMOJI),
    (EN, "One \U0001f1e8\U0001f1f3. Two. Three. Four.", EMOJI),
    (EN, "One \u2764\ufe0f. Two. Three. Four.", EMOJI),
    (EN, "One \u23f0. Two. Three. Four.", EMOJI),
    (ZH, "第一句\U0001f44d。第二句。第三句。第四句。", EMOJI),
    (EN, "Hello everyone. Two. Three. Four.", GREETING),
    (EN, "Hi, all. Two. Three. Four.", GREETING),
    (EN, "Good evening to you. Two. Three. Four.", GREETING),
    (EN, "Ladies and gentlemen, one. Two. Three. Four.", GREETING),
    (EN, "Thank you for that. Two. Three. Four.", GREETING),
    (EN, "As the Pro First Speaker, I start. Two. Three. Four.", GREETING),
    (EN, "Con Second Speaker here. Two. Three. Four.", GREETING),
    (EN, "Round 2 begins. Two. Three. Four.", GREETING),
    (ZH, "大家好，第一句。第二句。第三句。第四句。", GREETING),
    (ZH, "各位评委，第一句。第二句。第三句。第四句。", GREETING),
    (ZH, "谢谢主席。第二句。第三句。第四句。", GREETING),
    (ZH, "作为正方一辩，我先说。第二句。第三句。第四句。", GREETING),
    (ZH, "我是反方二辩。第二句。第三句。第四句。", GREETING),
    (EN, "One. Two. Three.", "3 sentences instead of exactly 4"),
    (EN, "One. Two. Three. Four. Five?", "5 sentences instead of exactly 4"),
    (ZH, "第一句。第二句。第三句。", "3 sentences instead of exactly 4"),
    (ZH, "第一句。第二句！第三句？第四句。第五句。", "5 sentences instead of exactly 4"),
    (EN, "", "0 sentences instead of exactly 4"),
    (EN, f"{'word ' * 51}. Two. Three. Four.", "a sentence of 51 words; the most is 50"),
    (EN, "学校有用。代价不大。价格下降。为什么要停？", LANGUAGE),
    (ZH, "Schools work. They pay. Prices fall. Why stop now?", LANGUAGE),
    (
        ZH,
        "Schools work well today. 好。They pay for themselves soon. 是吗？",
        LANGUAGE,
    ),
]


@pytest.mark.parametrize(("rules", "text", "expected"), BROKEN)
def test_each_rule_broken_is_named(rules: SpeechRules, text: str, expected: str):
    assert expected in rules.violations(text)


@pytest.mark.parametrize(
    ("rules", "text", "expected"), [case for case in BROKEN if case[2] in (GREETING, EMOJI, LIST)]
)
def test_a_broken_rule_is_the_only_one_named(rules: SpeechRules, text: str, expected: str):
    assert [v for v in rules.violations(text) if "sentences instead" not in v] == [expected]


def test_fifty_words_are_the_most():
    rest = " Two. Three. Four."
    assert EN.violations(f"{' '.join(['word'] * 50)}.{rest}") == ()
    assert EN.violations(f"{' '.join(['word'] * 51)}.{rest}") != ()


def test_a_chinese_sentence_is_counted_in_words_not_characters():
    # 40 words of two characters, separated so that no segmenter can join them.
    forty = "，".join(["学校"] * 40)
    rest = "。第二句。第三句。第四句。"
    assert ZH.violations(forty + rest) == ()
    assert ZH.violations("，".join(["学校"] * 51) + rest) == (
        "a sentence of 51 words; the most is 50",
    )


def test_every_broken_rule_is_named():
    text = "**Hello**\n- \U0001f600"
    found = SpeechRules(2, 1, "han").violations(text)
    assert found == (
        "banned symbols: *",
        LIST,
        PARAGRAPH,
        EMOJI,
        "1 sentences instead of exactly 2",
        LANGUAGE,
    )


@pytest.mark.parametrize(
    ("text", "script", "share"),
    [
        ("", "han", 1.0),
        ("123 %", "latin", 1.0),
        ("two words", "latin", 1.0),
        ("two words", "han", 0.0),
        ("你好", "han", 1.0),
        # Two Han characters and two Latin words are one unit each.
        ("你好 two words", "han", 0.5),
        ("你好 two words", "latin", 0.5),
        ("élan vital 你", "latin", 2 / 3),
    ],
)
def test_the_share_of_a_script(text: str, script: str, share: float):
    assert share_of_script(text, script) == pytest.approx(share)


@settings(max_examples=200)
@given(st.text(max_size=120), st.sampled_from(["latin", "han"]))
def test_any_text_has_a_verdict(text: str, script: str):
    rules = SpeechRules(3, 10, script)
    found = rules.violations(text)
    assert found == rules.violations(text)
    assert (SYMBOL.split(":")[0] in " ".join(found)) == any(symbol in text for symbol in BANNED)
    shares = [share_of_script(text, each) for each in ("han", *SPACED)]
    # A word with letters of two scripts is in both.
    assert sum(shares) >= 1 - 1e-9 and all(0 <= share <= 1 for share in shares)


SIMPLIFIED = "这项政策将带来变化。它对经济有着重要影响。我们应该认真对待。谁来负责？"
TRADITIONAL = "這項政策將帶來變化。它對經濟有著重要影響。我們應該認真對待。誰來負責？"


@pytest.mark.parametrize(
    ("script", "simplified", "traditional"),
    [("han", (), ()), ("hans", (), (LANGUAGE,)), ("hant", (LANGUAGE,), ())],
)
def test_the_characters_asked_for_are_told_from_the_others(script, simplified, traditional):
    rules = SpeechRules(sentences=4, words=50, script=script)
    assert rules.violations(SIMPLIFIED) == simplified
    assert rules.violations(TRADITIONAL) == traditional


def test_a_name_in_the_other_characters_is_no_other_language():
    rules = SpeechRules(sentences=1, words=50, script="hans")
    assert rules.violations("作家龍應台在书中说过，国家的成长从来都不是一个人的事情。") == ()


@pytest.mark.parametrize(
    ("chinese", "english"),
    [
        ("感谢技术进步，成本下降了。", "Thanks to progress, costs fell."),
        ("各位公民都有权知道。", "All citizens have a right to know."),
        ("大家都要付钱。", "Everyone has to pay."),
    ],
)
def test_what_only_begins_like_a_greeting_is_none_in_either_language(chinese, english):
    assert GREETING not in SpeechRules(1, 50, "hans").violations(chinese)
    assert GREETING not in SpeechRules(1, 50, "latin").violations(english)


@pytest.mark.parametrize(
    ("chinese", "english"),
    [
        ("大家好，我们支持。", "Hello, we support it."),
        ("下午好，我们支持。", "Good afternoon, we support it."),
        ("感谢各位，我们支持。", "Thank you all, we support it."),
        ("第2轮，我们支持。", "Round 2, we support it."),
    ],
)
def test_greetings_are_found_in_both_languages(chinese, english):
    assert GREETING in SpeechRules(1, 50, "hans").violations(chinese)
    assert GREETING in SpeechRules(1, 50, "latin").violations(english)
