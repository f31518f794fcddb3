/** Names that callers make up must not fill the memory: of one family so many series are counted, and no more. */
const SERIES_MAX = 4096;
const SEPARATOR = '\u0000';

type Values = readonly string[];

interface Named {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Counters of one name, one for each combination of labels; Prometheus' text form. */
export class CounterFamily {
  readonly #named: Named;
  readonly #series = new Map<string, { readonly labels: string; count: number }>();

  constructor(named: Named) {
    this.#named = named;
  }

  /** `values` in the order of the labels. */
  add(values: Values, by = 1): void {
    const key = values.join(SEPARATOR);
    const known = this.#series.get(key);
    if (known !== undefined) known.count += by;
    else if (this.#series.size < SERIES_MAX) {
      this.#series.set(key, { labels: labelsText(this.#named.labels, values), count: by });
    }
  }

  render(out: string[]): void {
    if (this.#series.size === 0) return;
    const { name, help } = this.#named;
    out.push(`# HELP ${name} ${help}`, `# TYPE ${name} counter`);
    for (const { labels, count } of this.#series.values()) out.push(`${name}${braced(labels)} ${count}`);
  }
}

interface Distribution {
  readonly labels: string;
  readonly counts: number[];
  sum: number;
  total: number;
}

/** Histograms of one name, in seconds. */
export class HistogramFamily {
  readonly #named: Named;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Distribution>();

  constructor(named: Named, bounds: readonly number[]) {
    this.#named = named;
    this.#bounds = bounds;
  }

  /** `values` in the order of the labels. */
  observe(values: Values, seconds: number): void {
    const found = this.#find(values);
    if (found === undefined) return;
    found.sum += seconds;
    found.total++;
    const bucket = this.#bounds.findIndex((bound) => seconds <= bound);
    if (bucket !== -1) found.counts[bucket] = (found.counts[bucket] ?? 0) + 1;
  }

  render(out: string[]): void {
    if (this.#series.size === 0) return;
    const { name, help } = this.#named;
    out.push(`# HELP ${name} ${help}`, `# TYPE ${name} histogram`);
    for (const one of this.#series.values()) this.#renderOne(one, out);
  }

  #renderOne({ labels, counts, sum, total }: Distribution, out: string[]): void {
    const { name } = this.#named;
    const comma = labels === '' ? '' : ',';
    let below = 0;
    for (const [i, bound] of this.#bounds.entries()) {
      below += counts[i] ?? 0;
      out.push(`${name}_bucket{${labels}${comma}le="${bound}"} ${below}`);
    }
    out.push(`${name}_bucket{${labels}${comma}le="+Inf"} ${total}`);
    out.push(`${name}_sum${braced(labels)} ${sum}`, `${name}_count${braced(labels)} ${total}`);
  }

  #find(values: Values): Distribution | undefined {
    const key = values.join(SEPARATOR);
    const known = this.#series.get(key);
    if (known !== undefined || this.#series.size >= SERIES_MAX) return known;
    const labels = labelsText(this.#named.labels, values);
    const made = { labels, counts: this.#bounds.map(() => 0), sum: 0, total: 0 };
    this.#series.set(key, made);
    return made;
  }
}

/** `a="x",b="y"`; values escaped as Prometheus reads them. */
function labelsText(names: readonly string[], values: Values): string {
  return names.map((name, i) => `${name}="${escaped(values[i] ?? '')}"`).join(',');
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}
