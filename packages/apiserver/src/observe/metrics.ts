import type { RequestInfo } from '../request/info.ts';

const BUCKETS_SECONDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10, 30, 60];

interface Durations {
  readonly counts: number[];
  sum: number;
  total: number;
}

/** One combination of labels. */
interface Row {
  readonly labels: string;
  readonly codes: Map<number, number>;
  readonly durations: Durations;
}

/** Paths and names that callers make up must not fill the memory: what comes beyond is not counted. */
const ROWS_MAX = 4096;

/** What the server counts of itself, in upstream's names. Bounded: one row per verb and resource. */
export class Metrics {
  readonly #rows = new Map<string, Row>();

  observe(info: RequestInfo, code: number, milliseconds: number): void {
    if (code === 404 && !info.isResource) return;
    const row = this.#row(info);
    if (row === undefined) return;
    row.codes.set(code, (row.codes.get(code) ?? 0) + 1);
    if (info.verb !== 'watch') count(row.durations, milliseconds / 1000);
  }

  /** Prometheus' text form. */
  render(extra: readonly (readonly [name: string, type: string, value: number])[]): string {
    const rows = [...this.#rows.values()];
    const out = ['# TYPE apiserver_request_total counter'];
    for (const { labels, codes } of rows) {
      for (const [code, times] of codes) out.push(`apiserver_request_total{code="${code}",${labels}} ${times}`);
    }
    out.push('# TYPE apiserver_request_duration_seconds histogram');
    for (const { labels, durations } of rows) if (durations.total > 0) out.push(...renderDurations(labels, durations));
    for (const [name, type, value] of extra) out.push(`# TYPE ${name.replace(/\{.*/, '')} ${type}`, `${name} ${value}`);
    return `${out.join('\n')}\n`;
  }

  #row(info: RequestInfo): Row | undefined {
    const { group, resource, subresource, verb, version } = info;
    const key = info.isResource ? `${verb} ${resource} ${subresource} ${group} ${version}` : info.path;
    const known = this.#rows.get(key);
    if (known !== undefined || this.#rows.size >= ROWS_MAX) return known;
    const labels = info.isResource
      ? { group, resource, subresource, verb: verb.toUpperCase(), version }
      : { group: '', resource: '', subresource: info.path, verb: 'GET', version: '' };
    const text = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    const durations = { counts: BUCKETS_SECONDS.map(() => 0), sum: 0, total: 0 };
    const row = { labels: text.join(','), codes: new Map<number, number>(), durations };
    this.#rows.set(key, row);
    return row;
  }
}

function count(durations: Durations, seconds: number): void {
  durations.sum += seconds;
  durations.total++;
  const bucket = BUCKETS_SECONDS.findIndex((bound) => seconds <= bound);
  if (bucket !== -1) durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1;
}

function renderDurations(labels: string, { counts, sum, total }: Durations): string[] {
  const name = 'apiserver_request_duration_seconds';
  let below = 0;
  const rows = BUCKETS_SECONDS.map((bound, i) => {
    below += counts[i] ?? 0;
    return `${name}_bucket{${labels},le="${bound}"} ${below}`;
  });
  return [
    ...rows,
    `${name}_bucket{${labels},le="+Inf"} ${total}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${total}`,
  ];
}
