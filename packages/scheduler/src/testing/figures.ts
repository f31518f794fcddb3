import type { GaugeSink, SchedulerMeasures, Spread, Tally } from '@binnacle/base';

/** What a scheduler counts and measures, for a test to look at: `figure label…`. */
export class NotedFigures implements SchedulerMeasures {
  readonly tallies = new Map<string, Tally>();
  readonly observed = new Map<string, number[]>();
  readonly readers = new Set<(tell: GaugeSink) => void>();

  tally(figure: string, values: readonly string[]): Tally {
    const name = [figure, ...values].join(' ');
    const tally = this.tallies.get(name) ?? { count: 0 };
    this.tallies.set(name, tally);
    return tally;
  }

  spread(figure: string, values: readonly string[]): Spread {
    const name = [figure, ...values].join(' ');
    const seen = this.observed.get(name) ?? [];
    this.observed.set(name, seen);
    return { observe: (value) => void seen.push(value) };
  }

  gauges(read: (tell: GaugeSink) => void): () => void {
    this.readers.add(read);
    return () => {
      this.readers.delete(read);
    };
  }

  /** All that was counted. */
  get counted(): { readonly [name: string]: number } {
    return Object.fromEntries([...this.tallies].map(([name, { count }]) => [name, count]));
  }

  /** Of all series that have any. */
  get measured(): { readonly [name: string]: readonly number[] } {
    return Object.fromEntries([...this.observed].filter(([, values]) => values.length > 0));
  }

  get shown(): { readonly [name: string]: number } {
    const shown: { [name: string]: number } = {};
    for (const reader of this.readers) {
      reader((figure, values, value) => {
        const name = [figure, ...values].join(' ');
        shown[name] = (shown[name] ?? 0) + value;
      });
    }
    return shown;
  }
}
