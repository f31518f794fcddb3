import type { AuditEvent, AuditSink } from '../ports/audit.ts';

/** Upstream's `--audit-*-truncate-*` flags, in bytes of JSON. */
export interface TruncateOptions {
  /** Of what is passed on at once. */
  readonly batchBytesMax: number;
  /** A larger event loses its objects; one that is still too large is lost. */
  readonly eventBytesMax: number;
}

/** Upstream's defaults. */
export const TRUNCATE_DEFAULTS: TruncateOptions = { batchBytesMax: 10 * 1024 * 1024, eventBytesMax: 100 * 1024 };

const MARK = { 'audit.k8s.io/truncated': 'true' };
const utf8 = new TextEncoder();

/** Keeps events and batches within bounds before another sink. `lost` is told of events that cannot be made to fit. */
export class TruncatingSink implements AuditSink {
  readonly name: string;
  readonly strict: boolean;
  readonly #behind: AuditSink;
  readonly #options: TruncateOptions;
  readonly #lost: (plugin: string, events: number) => void;

  constructor(behind: AuditSink, options: TruncateOptions, lost: (plugin: string, events: number) => void) {
    this.name = behind.name;
    this.strict = behind.strict;
    this.#behind = behind;
    this.#options = options;
    this.#lost = lost;
  }

  write(events: readonly AuditEvent[]): void | Promise<void> {
    const waiting: Promise<void>[] = [];
    for (const batch of this.#batches(events)) {
      const writing = this.#behind.write(batch);
      if (writing !== undefined) waiting.push(writing);
    }
    if (waiting.length > 0) return Promise.all(waiting).then(() => undefined);
  }

  lastCall(): void {
    this.#behind.lastCall?.();
  }

  close(): Promise<void> {
    return this.#behind.close();
  }

  *#batches(events: readonly AuditEvent[]): Generator<readonly AuditEvent[]> {
    const { batchBytesMax } = this.#options;
    let batch: AuditEvent[] = [];
    let bytes = 0;
    for (const event of events) {
      const fitting = this.#fitted(event);
      if (fitting === undefined) continue;
      if (batch.length > 0 && bytes + fitting.bytes > batchBytesMax) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(fitting.event);
      bytes += fitting.bytes;
    }
    if (batch.length > 0) yield batch;
  }

  #fitted(event: AuditEvent): { readonly event: AuditEvent; readonly bytes: number } | undefined {
    const { eventBytesMax } = this.#options;
    const whole = { event, bytes: bytesOf(event) };
    if (whole.bytes <= eventBytesMax) return whole;
    const { requestObject: _request, responseObject: _response, ...rest } = event;
    const less = { ...rest, annotations: { ...rest.annotations, ...MARK } };
    const bytes = event.level === 'Metadata' ? whole.bytes : bytesOf(less);
    if (bytes <= eventBytesMax) return { event: less, bytes };
    this.#lost('truncate', 1);
    return undefined;
  }
}

function bytesOf(event: AuditEvent): number {
  return utf8.encode(JSON.stringify(event)).length;
}
