/** What callers in this process ask of the server, in the names of upstream's clients (client-go, rest). */
import { CounterFamily, HistogramFamily } from './series.ts';
import type { Counter, Histogram } from './series.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** They open no connection: whom they ask is told by a name. */
const HOST = 'in-process';

export class CallFigures {
  /** Seconds since some moment. */
  readonly now: () => number;
  readonly #requests = new CounterFamily({
    name: 'rest_client_requests_total',
    help: 'Requests of callers in this process.',
    labels: ['code', 'method', 'host'],
  });
  readonly #durations = new HistogramFamily(
    {
      name: 'rest_client_request_duration_seconds',
      help: 'How long they waited for the answer.',
      labels: ['verb', 'host'],
    },
    SECONDS,
  );
  readonly #codes = new Map<string, Counter | undefined>();
  readonly #verbs = new Map<string, Histogram | undefined>();

  constructor(now: () => number) {
    this.now = now;
  }

  /** `method`: one of HTTP's, upper case. */
  answered(method: string, code: number, seconds: number): void {
    const key = `${code} ${method}`;
    let counter = this.#codes.get(key);
    if (counter === undefined) {
      counter = this.#requests.series([String(code), method, HOST]);
      this.#codes.set(key, counter);
    }
    if (counter !== undefined) counter.count++;
    let durations = this.#verbs.get(method);
    if (durations === undefined) {
      durations = this.#durations.series([method, HOST]);
      this.#verbs.set(method, durations);
    }
    durations?.observe(seconds);
  }

  render(out: string[]): void {
    this.#requests.render(out);
    this.#durations.render(out);
  }
}
