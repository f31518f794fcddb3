import { arrowsOf, lanesOf } from './arrows.ts';
import type { Arrow } from './arrows.ts';
import type { Lane } from './lanes.ts';
import type { TraceHop } from './hop.ts';
import { harmless } from './steering.ts';

const LANE_WIDTH = 130;
const ROW = 26;
const LINE = 16;
const TOP = 40;

const MARK_STYLE = `.lane{stroke:#ccc}.arrow{stroke:#2a5db0;stroke-width:1.5}.failed{stroke:#b02a2a}.note{fill:#2a5db0}
.step{fill:#c25700;font-weight:bold}`;
const SVG_STYLE = `svg{background:#fff}text{font:12px system-ui,sans-serif;fill:#222}${MARK_STYLE}`;
const STYLE = `body{font:14px/1.4 system-ui,sans-serif;margin:2em;color:#222;background:#fff}
svg text{font:12px system-ui,sans-serif}${MARK_STYLE}pre{white-space:pre-wrap;background:#f5f5f5;padding:.5em}
summary{cursor:pointer}@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}svg text{fill:#ddd}pre{background:#262626}}`;

/**
 * A story as one page that needs nothing else: a picture, and every hop with all it says. It runs nothing and loads
 * nothing, and its own policy forbids it to.
 */
export function htmlPage(hops: readonly TraceHop[], title: string): string {
  const { arrows, lanes } = drawn(hops);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${STYLE}</style></head><body>
<h1>${escaped(title)}</h1>
${picture(arrows, lanes)}
<h2>Hops</h2>
${arrows.map(detailsOf).join('\n')}
</body></html>
`;
}

/** A story as one picture (SVG) with its own style, that needs nothing else and leads nowhere. */
export function svgPicture(hops: readonly TraceHop[], title: string): string {
  const { arrows, lanes } = drawn(hops);
  return picture(arrows, lanes, `<title>${escaped(title)}</title><style>${SVG_STYLE}</style>`);
}

function drawn(hops: readonly TraceHop[]): { readonly arrows: readonly Arrow[]; readonly lanes: readonly Lane[] } {
  const arrows = arrowsOf(hops);
  return { arrows, lanes: lanesOf(arrows) };
}

function picture(arrows: readonly Arrow[], lanes: readonly Lane[], style = ''): string {
  const width = lanes.length * LANE_WIDTH + 700;
  const places = placesOf(arrows);
  const height = (places.at(-1)?.below ?? TOP) + 20;
  const heads = lanes.map((lane, at) => {
    const x = middle(at);
    return `<text x="${x}" y="20" text-anchor="middle">${lane}</text><line class="lane" x1="${x}" y1="28" x2="${x}" y2="${height}"/>`;
  });
  const rows = arrows.map((arrow, at) => rowOf(arrow, { lanes, y: places[at]?.y ?? TOP, isLinked: style === '' }));
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="sequence diagram" width="${width}" height="${height}">${style}
<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path d="M0,0L8,4L0,8z" class="note"/></marker></defs>
${heads.join('\n')}
${rows.join('\n')}
</svg>`;
}

/** Where each arrow is, and where what stands below it ends. */
function placesOf(arrows: readonly Arrow[]): { readonly y: number; readonly below: number }[] {
  let y = TOP;
  return arrows.map(({ lines }) => {
    const place = { y, below: y + ROW + lines.length * LINE };
    y = place.below;
    return place;
  });
}

interface RowPlace {
  readonly lanes: readonly Lane[];
  readonly y: number;
  /** To what the page says of the hop. */
  readonly isLinked: boolean;
}

function rowOf(arrow: Arrow, { lanes, y, isLinked }: RowPlace): string {
  const { from, to, label, step, durationMs, failed, hop } = arrow;
  const start = middle(lanes.indexOf(from));
  const end = middle(lanes.indexOf(to));
  const took = durationMs >= 0.05 ? ` (${durationMs.toFixed(1)} ms)` : '';
  const mark = step === undefined ? '' : `<tspan class="step">${step}. </tspan>`;
  const line =
    start === end
      ? `<circle class="note" cx="${start}" cy="${y}" r="4"/>`
      : `<line class="arrow${failed ? ' failed' : ''}" x1="${start}" y1="${y}" x2="${end}" y2="${y}" marker-end="url(#tip)"/>`;
  const x = lanes.length * LANE_WIDTH;
  const below = arrow.lines.map(
    (text, at) => `<text x="${x + 16}" y="${y + 4 + (at + 1) * LINE}">${escaped(text)}</text>`,
  );
  const text = [`<text x="${x}" y="${y + 4}">${mark}${escaped(label)}${took}</text>`, ...below].join('');
  if (!isLinked) return line + text;
  return `<a href="#hop-${escaped(hop.metadata.name)}">${line}${text}</a>`;
}

function detailsOf({ hop, label }: Arrow): string {
  const body = JSON.stringify(hop, undefined, 2).split('\n').map(escaped).join('\n');
  return `<details id="hop-${escaped(hop.metadata.name)}"><summary>${escaped(label)}</summary><pre>${body}</pre></details>`;
}

function middle(lane: number): number {
  return lane * LANE_WIDTH + LANE_WIDTH / 2;
}

const ENTITIES: { readonly [mark: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return harmless(text).replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? '');
}
