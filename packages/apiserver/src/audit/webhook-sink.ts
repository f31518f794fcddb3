import { messageOf } from '@binnacle/base';
import { askEndpoint } from '../outbound/json-endpoint.ts';
import type { AskingWorld } from '../outbound/json-endpoint.ts';
import type { AuditEvent, AuditSink } from '../ports/audit.ts';
import type { JsonEndpoint } from '../ports/json-endpoint.ts';
import { AuditSinkError } from './errors.ts';

/** Upstream's `--audit-webhook-initial-backoff` and its five tries. */
const TRIES = 5;
export const INITIAL_BACKOFF_MS = 10_000;
const TIMEOUT_MS = 30_000;

export interface WebhookSinkOptions {
  readonly endpoint: JsonEndpoint;
  /** The request waits, and is refused when its first event is lost. */
  readonly strict?: boolean;
  readonly initialBackoffMs?: number;
}

/** Sends events as an EventList. `write` resolves when they have been taken, after some tries at the most. */
export class WebhookSink implements AuditSink {
  readonly name = 'webhook';
  readonly strict: boolean;
  readonly #world: AskingWorld;
  readonly #options: WebhookSinkOptions;
  readonly #closing = new AbortController();

  constructor(world: AskingWorld, options: WebhookSinkOptions) {
    this.#world = world;
    this.#options = options;
    this.strict = options.strict ?? false;
  }

  async write(events: readonly AuditEvent[]): Promise<void> {
    const body = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items: events };
    const { endpoint, initialBackoffMs = INITIAL_BACKOFF_MS } = this.#options;
    const retries = {
      tries: TRIES,
      firstWaitMs: initialBackoffMs,
      timeoutMs: TIMEOUT_MS,
      lastCall: this.#closing.signal,
    };
    try {
      await askEndpoint(this.#world, endpoint, { body, retries });
    } catch (error) {
      throw new AuditSinkError(messageOf(error), error);
    }
  }

  /** What is sent from now on is sent once. */
  lastCall(): void {
    this.#closing.abort();
  }

  close(): Promise<void> {
    this.#closing.abort();
    return Promise.resolve();
  }
}
