import { BoundedQueue, detailOf, messageOf } from '@binnacle/base';
import type { Clock, Hop, Logger, Scope, Timer, Trace } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { Client } from './ports.ts';

const REPORTS = { group: 'trace.binnacle.dev', version: 'v1', resource: 'hopreports' };
const WAITING_MAX = 4_096;
const BATCH = 256;
const DELAY_MS = 250;
/** A server that does not take reports (another Kubernetes, no rights, no trace) is asked again after so long. */
const PAUSE_MS = 300_000;

/** Through which client a component reports, and for how long. */
export interface TraceReporterOptions {
  readonly client: Client;
  readonly world: { readonly clock: Clock; readonly log: Logger };
  readonly scope: Scope;
}

/**
 * The trace of a component that is not in the process of its API server: hops are sent there in batches, in the
 * background. Nobody waits for it; what is too much is dropped and counted; a server that has no ear for it is left alone.
 */
export function createTraceReporter(options: TraceReporterOptions): Trace {
  return new Reporter(options);
}

class Reporter implements Trace {
  readonly #options: TraceReporterOptions;
  readonly #waiting = new BoundedQueue<Hop>('hops', WAITING_MAX);
  readonly #offset: number;
  #timer: Timer | undefined;
  #dropped = 0;
  #deafUntil = 0;

  constructor(options: TraceReporterOptions) {
    this.#options = options;
    const { clock } = options.world;
    this.#offset = clock.now() - clock.monotonic();
    options.scope.defer(() => this.#timer?.cancel());
  }

  get on(): boolean {
    return !this.#options.scope.closing && this.#options.world.clock.monotonic() >= this.#deafUntil;
  }

  now(): number {
    return this.#offset + this.#options.world.clock.monotonic();
  }

  record(hop: Hop): void {
    if (!this.on) return;
    if (!this.#waiting.offer(hop)) this.#dropped++;
    this.#arm();
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#options.scope.closing) return;
    this.#timer = this.#options.world.clock.after(DELAY_MS, () => this.#start(), { background: true });
  }

  #start(): void {
    this.#options.scope.run('trace reporter', async (signal) => {
      try {
        await this.#send(signal);
      } catch (error) {
        if (!signal.aborted) this.#refused(error);
      } finally {
        this.#timer = undefined;
        if (this.#waiting.length > 0) this.#arm();
      }
    });
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    while (this.#waiting.length > 0 && !signal.aborted) {
      const hops: object[] = [];
      for (let hop = this.#waiting.shift(); hop !== undefined; hop = this.#waiting.shift()) {
        if (hops.push(reported(hop)) >= BATCH) break;
      }
      const body = {
        apiVersion: 'trace.binnacle.dev/v1',
        kind: 'HopReport',
        metadata: {},
        hops,
        dropped: this.#dropped,
      };
      this.#dropped = 0;
      // A report is about causes and has none of its own.
      await client.wire.call({ verb: 'create', resource: REPORTS, body, signal });
    }
  }

  /** What was waiting is of no use any more; a server that is only busy is asked again soon. */
  #refused(error: unknown): void {
    const isDeaf = status.isNotFound(error) || status.isForbidden(error);
    const { clock, log } = this.#options.world;
    log.info(isDeaf ? 2 : 4, 'hops were not taken', { reason: messageOf(error) });
    this.#dropped += this.#waiting.length;
    while (this.#waiting.shift() !== undefined);
    if (isDeaf) this.#deafUntil = clock.monotonic() + PAUSE_MS;
  }
}

function reported(hop: Hop): object {
  const { kind, name, startedAt, durationMs, cause, ...rest } = hop;
  const detail = detailOf(hop);
  return {
    ...rest,
    type: kind,
    title: name,
    atMs: startedAt,
    durationMs: Math.max(0, durationMs),
    ...(cause === undefined
      ? {}
      : {
          cause: {
            id: cause.id,
            component: cause.component,
            request: cause.request,
            ...(cause.revision === undefined ? {} : { revision: cause.revision }),
          },
        }),
    ...(detail === undefined ? {} : { detail }),
  };
}
