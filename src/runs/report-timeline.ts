import type { Html } from "../core/html.ts";
import { html } from "../core/html.ts";
import type { Timeline, TimeStep } from "../core/run-story.ts";

const WIDTH = 900;
const HEIGHT = 160;
const TOP = 16;
const BOTTOM = 20;

const LAYERS = [
  ["succeeded", "succeeded"],
  ["failed", "failed"],
  ["needsInput", "needs-input"],
] as const;

/** A picture of the outcomes by time: one bar a step, stacked. Nothing when there is no outcome. */
export function renderTimeline({ startMs, stepMs, steps }: Timeline): Html | undefined {
  if (steps.length === 0) return undefined;
  const highest = Math.max(...steps.map(heightOf));
  const endMs = startMs + steps.length * stepMs;
  const minutes = stepMs / 60_000;
  const step = minutes === 1 ? "minute" : `${minutes} minutes`;
  return html`<h2>Outcomes per ${step}</h2>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Outcomes per ${step}, at most ${highest}">
${steps.map((one, index) => renderStep(one, index, { count: steps.length, highest }))}
<line class="axis" x1="0" x2="${WIDTH}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM}"/>
<text x="0" y="${TOP - 5}">${highest} at most</text>
<text x="0" y="${HEIGHT - 5}">${minuteOf(startMs)}</text>
<text x="${WIDTH}" y="${HEIGHT - 5}" text-anchor="end">${minuteOf(endMs)}</text>
</svg>
<p class="soft"><span class="good">■</span> succeeded <span class="bad">■</span> failed <span class="ask">■</span> needs input; rows answered together count once</p>
`;
}

function heightOf({ succeeded, failed, needsInput }: TimeStep): number {
  return succeeded + failed + needsInput;
}

function renderStep(
  step: TimeStep,
  index: number,
  scale: { readonly count: number; readonly highest: number },
): Html {
  const room = HEIGHT - TOP - BOTTOM;
  const barWidth = WIDTH / scale.count;
  let bottom = HEIGHT - BOTTOM;
  const bars = LAYERS.map(([field, name]) => {
    const height = (step[field] / scale.highest) * room;
    bottom -= height;
    return step[field] === 0
      ? html``
      : html`<rect class="${name}" x="${round(index * barWidth)}" y="${round(bottom)}" width="${round(barWidth * 0.85)}" height="${round(height)}"/>`;
  });
  return html`${bars}`;
}

function round(value: number): string {
  return value.toFixed(1);
}

function minuteOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
