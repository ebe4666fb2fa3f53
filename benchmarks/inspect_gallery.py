"""Du et al. 2023 in Inspect AI: the design of examples/multi_agent_debate, without that project."""

import argparse
import asyncio
import json
import re
from collections import Counter

import numpy as np
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, GenerateConfig, get_model
from inspect_ai.scorer import Score, accuracy, scorer, stderr
from inspect_ai.solver import solver

ARMS = {"sampling": (6, 1), "debate": (3, 2)}


def answer(reply):
    """The number that a reply ends with; None where it states none."""
    stated = re.findall(r"answer is (-?\d+)", reply)
    return int(stated[-1]) if stated else None


def quoted(text):
    """A text in which no line can pass for the prompt's own."""
    return "\n".join(f"> {line}" for line in text.splitlines())


def samples(draws, seed):
    """The same expressions in both arms."""
    rng = np.random.default_rng(seed)
    for index in range(draws):
        a, b, c, d, e, f = (int(n) for n in rng.integers(0, 30, 6))
        truth = a + b * c + d - e * f
        yield Sample(id=index, input=f"{a}+{b}*{c}+{d}-{e}*{f}", target=str(truth))


@solver
def debate(agents, rounds):
    async def solve(state, generate):
        task = f"What is the result of {state.input_text}? End with: The answer is <number>."
        talks, model = [[ChatMessageUser(content=task)] for _ in range(agents)], get_model()
        for number in range(rounds):
            seeds = (hash((state.sample_id, agents, number, agent)) for agent in range(agents))
            configs = [GenerateConfig(seed=seed % 2**31) for seed in seeds]
            asked = (model.generate(t, config=c) for t, c in zip(talks, configs, strict=True))
            said = [output.completion for output in await asyncio.gather(*asked)]
            for agent, talk in enumerate(talks):
                others = "\n".join(quoted(s) for n, s in enumerate(said) if n != agent)
                update = f"Other agents said:\n{others}\nUsing these, update your answer. {task}"
                talk += [ChatMessageAssistant(content=said[agent]), ChatMessageUser(content=update)]
            state.messages += [ChatMessageAssistant(content=reply) for reply in said]
        state.metadata["answers"] = [answer(reply) for reply in said]
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def vote():
    async def score(state, target):
        given = [each for each in state.metadata["answers"] if each is not None]
        commonest = Counter(given).most_common(1)
        return Score(value=float(bool(commonest) and str(commonest[0][0]) == target.text))

    return score


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base_url", help="of the server")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--logs", required=True, help="folder of its logs")
    options = parser.parse_args()
    tasks = [
        Task(
            dataset=list(samples(options.draws, 1)),
            solver=debate(agents, rounds),
            scorer=vote(),
            name=arm,
        )
        for arm, (agents, rounds) in ARMS.items()
    ]
    model = get_model("openai/solver", base_url=options.base_url, responses_api=False)
    logs = eval(tasks, model=model, max_connections=100, display="none", log_dir=options.logs)
    if wrong := [log.error for log in logs if log.status != "success"]:
        raise SystemExit(f"Inspect AI ended with {wrong[0]}")
    right = {
        log.eval.task: {each.id: each.scores["vote"].value for each in log.samples} for log in logs
    }
    differences = np.array([right["debate"][n] - right["sampling"][n] for n in right["debate"]])
    estimate, se = differences.mean(), differences.std(ddof=1) / len(differences) ** 0.5
    limits = [estimate - 1.984 * se, estimate + 1.984 * se]
    print(json.dumps({"estimate": estimate, "ci": limits, "n": len(differences)}))


if __name__ == "__main__":
    main()
