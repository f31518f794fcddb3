import { goDouble } from '@binnacle/machinery';

/** Names that callers make up must not fill the memory: of one family so many series are counted, and no more. */
const SERIES_MAX = 4096;
const SEPARATOR = '\u0000';

/** Of one series, in the order of its family's labels. */
export type Values = readonly string[];

/** Part of what `/metrics` shows. */
export interface Figures {
  /** Adds lines of Prometheus' text form. */
  render(out: string[]): void;
}

interface Named {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Of single values. Absent: they count. */
  readonly type?: 'counter' | 'gauge';
}

/** The count of one series: for who counts often and keeps it at hand. */
export class Counter {
  readonly labels: string;
  count = 0;

  /** `labels` as they stand between the braces; empty: none. */
  constructor(labels: string) {
    this.labels = labels;
  }
}

/** Counters, or gauges, of one name, one for each combination of labels; Prometheus' text form. */
export class CounterFamily {
  readonly #named: Named;
  readonly #series = new Map<string, Counter>();

  constructor(named: Named) {
    this.#named = named;
  }

  /** `values` in the order of the labels. */
  add(values: Values, by = 1): void {
    const counter = this.series(values);
    if (counter !== undefined) counter.count += by;
  }

  /** What a gauge shows from now on. */
  set(values: Values, count: number): void {
    const gauge = this.series(values);
    if (gauge !== undefined) gauge.count = count;
  }

  /** There is none of these labels any more. */
  drop(values: Values): void {
    this.#series.delete(values.join(SEPARATOR));
  }

  /** `values` in the order of the labels. Undefined: there are too many already. */
  series(values: Values): Counter | undefined {
    const key = values.join(SEPARATOR);
    const known = this.#series.get(key);
    if (known !== undefined || this.#series.size >= SERIES_MAX) return known;
    const counter = new Counter(labelsText(this.#named.labels, values));
    this.#series.set(key, counter);
    return counter;
  }

  render(out: string[]): void {
    if (this.#series.size === 0) return;
    const { name, help, type = 'counter' } = this.#named;
    out.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const { labels, count } of this.#series.values()) out.push(`${name}${braced(labels)} ${count}`);
  }
}

/** The distribution of one series: for who observes it often and keeps it at hand. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #total = 0;

  /** `bounds`: upper, ascending. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  /** `weight`: how often the value was seen. */
  observe(value: number, weight = 1): void {
    this.#sum += value * weight;
    this.#total += weight;
    const bounds = this.#bounds;
    let bucket = 0;
    // By hand: it is done several times for each request.
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
    if (bucket < bounds.length) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + weight;
  }

  /** `labels` as they stand between the braces; empty: none. */
  render(name: string, labels: string, out: string[]): void {
    const comma = labels === '' ? '' : ',';
    let below = 0;
    for (const [i, bound] of this.#bounds.entries()) {
      below += this.#counts[i] ?? 0;
      out.push(`${name}_bucket{${labels}${comma}le="${goDouble(bound)}"} ${below}`);
    }
    out.push(`${name}_bucket{${labels}${comma}le="+Inf"} ${this.#total}`);
    out.push(`${name}_sum${braced(labels)} ${this.#sum}`, `${name}_count${braced(labels)} ${this.#total}`);
  }
}

/** Histograms of one name, in seconds. */
export class HistogramFamily {
  readonly #named: Named;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, { readonly labels: string; readonly histogram: Histogram }>();

  constructor(named: Named, bounds: readonly number[]) {
    this.#named = named;
    this.#bounds = bounds;
  }

  /** `values` in the order of the labels. */
  observe(values: Values, seconds: number): void {
    this.series(values)?.observe(seconds);
  }

  /** `values` in the order of the labels. Undefined: there are too many already. */
  series(values: Values): Histogram | undefined {
    const key = values.join(SEPARATOR);
    const known = this.#series.get(key);
    if (known !== undefined || this.#series.size >= SERIES_MAX) return known?.histogram;
    const histogram = new Histogram(this.#bounds);
    this.#series.set(key, { labels: labelsText(this.#named.labels, values), histogram });
    return histogram;
  }

  render(out: string[]): void {
    if (this.#series.size === 0) return;
    const { name, help } = this.#named;
    out.push(`# HELP ${name} ${help}`, `# TYPE ${name} histogram`);
    for (const { labels, histogram } of this.#series.values()) histogram.render(name, labels, out);
  }
}

/** `a="x",b="y"`; values escaped as Prometheus reads them. */
export function labelsText(names: readonly string[], values: Values): string {
  return names.map((name, i) => `${name}="${escaped(values[i] ?? '')}"`).join(',');
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}
