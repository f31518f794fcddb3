/** Prometheus' text format. Pure. */

type Labels = { readonly [name: string]: string };

/** One family: its name, what it counts, and its samples. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** Milliseconds since the epoch; absent: now. */
  readonly at?: number;
}

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Families that have samples, one after the other. */
export function exposition(families: readonly Family[]): string {
  const lines: string[] = [];
  for (const { name, help, type, samples } of families) {
    if (samples.length === 0) continue;
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const { labels, value, at } of samples)
      lines.push(`${name}${labelText(labels)} ${value}${at === undefined ? '' : ` ${at}`}`);
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function labelText(labels: Labels): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return all.length === 0 ? '' : `{${all.join(',')}}`;
}

const ESCAPES: Labels = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

function escaped(value: string): string {
  return value.replaceAll(/[\\"\n]/g, (one) => ESCAPES[one] ?? one);
}
