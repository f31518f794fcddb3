import { arrowsOf, lanesOf } from './arrows.ts';
import type { Arrow } from './arrows.ts';
import { LANES } from './lanes.ts';
import type { Lane } from './lanes.ts';
import type { TraceHop } from './hop.ts';

const WIDTH = 12;
const MARKS = ['', '①', '②', '③', '④', '⑤', '⑥', '⑦', '⑧', '⑨', '⑩', '⑪'];
const LABEL_MAX = 160;

/** A story as a sequence diagram of text, one hop a line: the step, when, between whom, and what it was. */
export function terminalDiagram(hops: readonly TraceHop[]): string {
  const arrows = arrowsOf(hops);
  const lanes = lanesOf(arrows);
  return [terminalHead(lanes), ...arrows.map((arrow) => terminalLine(arrow, lanes)), ''].join('\n');
}

/** The names of lanes, each above its own. */
export function terminalHead(lanes: readonly Lane[] = LANES): string {
  return `${' '.repeat(14)}${lanes.map((lane) => centred(lane)).join('')}`.trimEnd();
}

/** One hop of it, for following; with the lanes of the whole picture. What is to be read below it stands in further lines. */
export function terminalLine(arrow: Arrow, lanes: readonly Lane[] = LANES): string {
  const { step = 0, label, durationMs } = arrow;
  const mark = MARKS[step] ?? '';
  const took = durationMs >= 0.05 ? ` (${durationMs.toFixed(durationMs < 10 ? 1 : 0)} ms)` : '';
  const text = shortened(label);
  const first = `${mark.padEnd(2)}${whenText(arrow).padStart(10)}  ${drawn(arrow, lanes)} ${text}${took}`;
  const below = `${' '.repeat(14)}${bars(lanes).join('')}   `;
  return [first, ...arrow.lines.map((line) => below + shortened(line))].join('\n');
}

function whenText({ afterMs }: Arrow): string {
  if (afterMs < 0) return 'before';
  return afterMs < 10_000 ? `+${afterMs.toFixed(1)} ms` : `+${(afterMs / 1000).toFixed(1)} s`;
}

function shortened(text: string): string {
  return text.length > LABEL_MAX ? `${text.slice(0, LABEL_MAX - 1)}…` : text;
}

function bars(lanes: readonly Lane[]): string[] {
  const cells: string[] = Array.from({ length: lanes.length * WIDTH }, () => ' ');
  for (const at of lanes.keys()) cells[middle(at)] = '│';
  return cells;
}

function drawn({ from, to }: Arrow, lanes: readonly Lane[]): string {
  const cells = bars(lanes);
  const start = middle(lanes.indexOf(from));
  const end = middle(lanes.indexOf(to));
  if (start === end) cells[start] = '●';
  else {
    const step = start < end ? 1 : -1;
    for (let at = start; at !== end; at += step) cells[at] = '─';
    cells[start] = step > 0 ? '├' : '┤';
    cells[end] = step > 0 ? '▶' : '◀';
  }
  return cells.join('');
}

function middle(lane: number): number {
  return lane * WIDTH + WIDTH / 2;
}

function centred(text: string): string {
  const left = Math.floor((WIDTH + 1 - text.length) / 2);
  return `${' '.repeat(left)}${text}`.padEnd(WIDTH);
}
