import { arrowsOf, lanesOf } from './arrows.ts';
import type { Arrow } from './arrows.ts';
import type { TraceHop } from './hop.ts';

/** A story as a sequence diagram of Mermaid. Texts can be nothing but text in it. */
export function mermaidDiagram(hops: readonly TraceHop[]): string {
  const arrows = arrowsOf(hops);
  const lanes = lanesOf(arrows);
  return ['sequenceDiagram', ...lanes.map((lane) => `  participant ${lane}`), ...arrows.map(lineOf), ''].join('\n');
}

function lineOf({ from, to, label, step, durationMs, failed, lines }: Arrow): string {
  const mark = step === undefined ? '' : `${step}. `;
  const took = durationMs >= 0.05 ? ` (${durationMs.toFixed(1)} ms)` : '';
  const text = [`${mark}${plain(label)}${took}`, ...lines.map(plain)].join('<br/>');
  if (from === to) return `  Note over ${from}: ${text}`;
  return `  ${from}${failed ? '-x' : '->>'}${to}: ${text}`;
}

/** Mermaid's own marks as its entities: `;` ends a line, `#` begins an entity, angle brackets are HTML. */
function plain(text: string): string {
  return text.replace(/[#;<>&"\\`{}[\]%$|]/g, (mark) => `#${mark.codePointAt(0)};`);
}
