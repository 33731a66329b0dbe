"""Two conversations of a host that calls the hooks as the Agent SDK does, with a model that only repeats its memories."""

import asyncio
import json
import sys
from pathlib import Path

import lacuna_hooks

FOLDER = Path(sys.argv[1])


def model(context, prompt):
    """Stands in for a language model: it answers with what it was given to remember."""
    lines = [line for line in context.splitlines() if line.startswith("[mem:")]
    return " ".join(lines) or "I do not remember anything about that."


async def conversation(session, prompts):
    transcript = FOLDER / f"{session}.jsonl"
    about = {"session_id": session, "transcript_path": str(transcript), "cwd": str(FOLDER)}
    with transcript.open("w") as lines:
        for prompt in prompts:
            added = await lacuna_hooks.user_prompt_submit({**about, "prompt": prompt}, None, None)
            answer = model(added.get("hookSpecificOutput", {}).get("additionalContext", ""), prompt)
            for role, text in [("user", prompt), ("assistant", answer)]:
                line = {"type": role, "message": {"role": role, "content": [{"type": "text", "text": text}]}}
                lines.write(json.dumps(line) + "\n")
            print(f"{session}> {prompt}\n{answer}")
    # The window is full: the SDK compacts it, and the hook archives the transcript first.
    await lacuna_hooks.pre_compact(about, None, None)
    await lacuna_hooks.session_end(about, None, None)


async def main():
    await conversation("first", ["My sister Ida lives in Turku.", "I was diagnosed with diabetes in March."])
    await conversation("second", ["Where does my sister Ida live?"])


asyncio.run(main())
