/** What queues of work in this process do, in upstream's names (k8s.io/component-base, workqueue). */
import type { QueueMeasures, QueueMeter } from '@binnacle/base';
import { CounterFamily, HistogramFamily } from './series.ts';
import type { Counter, Histogram } from './series.ts';

/** From 10 ns to 10 s, as upstream has them and names them: each ten times the one before, with what that rounds to. */
const SECONDS: number[] = [];
for (let bound = 1e-8; SECONDS.length < 10; bound *= 10) SECONDS.push(bound);
const NAME = ['name'];

export class QueueFigures implements QueueMeasures {
  readonly #now: () => number;
  readonly #meters = new Map<string, Meter>();
  readonly #adds = counters('adds_total', 'Keys put into a queue.');
  readonly #retries = counters('retries_total', 'Keys put off to be tried again.');
  readonly #depth = gauges('depth', 'Keys that wait in a queue.');
  readonly #unfinished = gauges('unfinished_work_seconds', 'How long all that is worked on is worked on already.');
  readonly #longest = gauges('longest_running_processor_seconds', 'How long the oldest of that is.');
  readonly #waits = histograms('queue_duration_seconds', 'How long keys waited.');
  readonly #works = histograms('work_duration_seconds', 'How long keys were worked on.');

  /** `now`: seconds since some moment. */
  constructor(now: () => number) {
    this.#now = now;
  }

  queue(name: string): QueueMeter {
    const known = this.#meters.get(name);
    if (known !== undefined) return known;
    const meter = new Meter(this.#now, {
      adds: this.#adds.series([name]),
      retries: this.#retries.series([name]),
      waits: this.#waits.series([name]),
      works: this.#works.series([name]),
    });
    this.#meters.set(name, meter);
    return meter;
  }

  render(out: string[]): void {
    const now = this.#now();
    for (const [name, { waiting, running }] of this.#meters) {
      let sum = 0;
      let longest = 0;
      for (const since of running.values()) {
        sum += now - since;
        longest = Math.max(longest, now - since);
      }
      this.#depth.set([name], waiting.size);
      this.#unfinished.set([name], sum);
      this.#longest.set([name], longest);
    }
    for (const family of [this.#adds, this.#retries, this.#depth, this.#unfinished, this.#longest]) family.render(out);
    this.#waits.render(out);
    this.#works.render(out);
  }
}

interface Series {
  readonly adds: Counter | undefined;
  readonly retries: Counter | undefined;
  readonly waits: Histogram | undefined;
  readonly works: Histogram | undefined;
}

class Meter implements QueueMeter {
  /** Since when, by key. */
  readonly waiting = new Map<string, number>();
  readonly running = new Map<string, number>();
  readonly #now: () => number;
  readonly #series: Series;

  constructor(now: () => number, series: Series) {
    this.#now = now;
    this.#series = series;
  }

  added(key: string): void {
    this.waiting.set(key, this.#now());
    if (this.#series.adds !== undefined) this.#series.adds.count++;
  }

  taken(key: string): void {
    const now = this.#now();
    const since = this.waiting.get(key);
    if (since !== undefined) this.#series.waits?.observe(now - since);
    this.waiting.delete(key);
    this.running.set(key, now);
  }

  done(key: string): void {
    const since = this.running.get(key);
    if (since !== undefined) this.#series.works?.observe(this.#now() - since);
    this.running.delete(key);
  }

  retried(): void {
    if (this.#series.retries !== undefined) this.#series.retries.count++;
  }

  ended(): void {
    this.waiting.clear();
    this.running.clear();
  }
}

function counters(name: string, help: string): CounterFamily {
  return new CounterFamily({ name: `workqueue_${name}`, help, labels: NAME });
}

function gauges(name: string, help: string): CounterFamily {
  return new CounterFamily({ name: `workqueue_${name}`, help, labels: NAME, type: 'gauge' });
}

function histograms(name: string, help: string): HistogramFamily {
  return new HistogramFamily({ name: `workqueue_${name}`, help, labels: NAME }, SECONDS);
}
