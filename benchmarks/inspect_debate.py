"""The debates that `debates.py` writes down, run by Inspect AI; runs in an environment of its own.

Asked the same words of the same models, each session is a sample whose eight calls follow each
other. Its log is written as by default.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model
from inspect_ai.solver import Generate, TaskState, solver


@solver
def debate(base_url: str, cache: bool):  # type: ignore[no-untyped-def]
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        speeches: list[str] = []
        for call in state.metadata["calls"]:
            prompt = call["prompt"]
            for number, speech in enumerate(speeches):
                prompt = prompt.replace(f"<<{number}>>", speech)
            model = get_model(f"openai/{call['model']}", base_url=base_url, responses_api=False)
            asked = ChatMessageUser(content=prompt)
            config = GenerateConfig(seed=call["seed"])
            output = await model.generate([asked], config=config, cache=cache)
            state.messages += [asked, output.message]
            state.output = output
            speeches.append(output.completion)
        return state

    return solve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("debates", type=Path)
    parser.add_argument("base_url", help="of the server")
    parser.add_argument("--logs", required=True, help="folder of its logs")
    parser.add_argument("--cache", action="store_true", help="keep replies, and use those kept")
    options = parser.parse_args()
    debates = json.loads(options.debates.read_text(encoding="utf-8"))
    samples = [Sample(input=name, metadata={"calls": calls}) for name, calls in debates.items()]
    models = sorted({call["model"] for calls in debates.values() for call in calls})
    (log,) = eval(
        Task(dataset=samples, solver=debate(options.base_url, options.cache)),
        model=f"openai/{models[0]}",
        model_base_url=options.base_url,
        max_samples=len(samples),
        max_connections=len(samples) + 50,
        temperature=0.2,
        max_tokens=512,
        max_retries=2,
        display="none",
        log_dir=options.logs,
    )
    if log.status != "success":
        raise SystemExit(f"Inspect AI ended with {log.status}: {log.error}")


if __name__ == "__main__":
    main()
