import { createHash, randomBytes } from 'node:crypto';
import type { Tracer } from '@opentelemetry/api';
import { linesOf, messageOf, sleep } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { readReplyText, replyFailure } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';
import type { TraceHop } from '@binnacle/trace';
import { ClusterError } from '../errors.ts';
import type { World } from '../world.ts';

/** Where the trace goes, and whose it is. */
export interface TraceExportOptions {
  /** Of an API server that keeps a trace; what its identity may see is exported. */
  readonly wire: Pick<Wire, 'raw'>;
  /** Of a collector that speaks OTLP over HTTP: `http://localhost:4318`. */
  readonly endpoint: string;
  readonly world: Pick<World, 'clock' | 'log'>;
  /** The export ends with it, what is gathered is sent before. */
  readonly scope: Scope;
}

const PATH = '/apis/trace.binnacle.dev/v1/hops?watch=true';
const RETRY_MS = 5_000;
/** So many hops are known by the trace that they belong to. */
const KNOWN_MAX = 65_536;
/** What a collector that is slow or away may leave waiting; beyond it spans are dropped. */
const WAITING_MAX = 8_192;
const LINES = {
  bytesMax: 8 << 20,
  tooLong: () => new ClusterError('trace-line', 'the API server sends a hop without end'),
};

/**
 * Exports the trace as OpenTelemetry spans: a hop is a span whose parent is its cause, a chain of causes is one trace.
 * The official library is loaded when this is called and not before.
 */
export function exportTrace({ wire, endpoint, world, scope }: TraceExportOptions): void {
  scope.run('trace export', async (signal) => {
    const spans = await openSpans(endpoint);
    scope.defer(() => spans.close());
    let from = '0';
    while (!signal.aborted) {
      try {
        for await (const { type, object } of hopLines(wire, `${PATH}&resourceVersion=${from}`, signal)) {
          if (type === 'ADDED') spans.add(object);
          else from = object.metadata.resourceVersion;
        }
      } catch (error) {
        if (signal.aborted) return;
        world.log.warn('the trace is not exported for now', { reason: messageOf(error) });
      }
      // Rejects when the export ends, as its scope expects.
      await sleep(world.clock, RETRY_MS, signal);
    }
  });
}

interface StreamLine {
  readonly type: 'ADDED' | 'BOOKMARK';
  readonly object: TraceHop;
}

async function* hopLines(wire: Pick<Wire, 'raw'>, path: string, signal: AbortSignal): AsyncGenerator<StreamLine> {
  const reply = await wire.raw({ path, signal });
  if (reply.status >= 400) throw replyFailure({ status: reply.status, text: await readReplyText(reply) }, path);
  const pieces = reply.body[Symbol.asyncIterator]();
  const stop = (): void => {
    // Never rejects: what the source still had to say is not wanted any more.
    void pieces.return?.();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const line of linesOf({ [Symbol.asyncIterator]: () => pieces }, LINES)) {
      if (signal.aborted) return;
      yield JSON.parse(line) as StreamLine;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    await pieces.return?.();
  }
}

interface Spans {
  add(hop: TraceHop): void;
  close(): Promise<void>;
}

async function openSpans(endpoint: string): Promise<Spans> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const ids = new SpanIds();
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new sdk.TracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': 'binnacle' }),
    sampler: new sdk.AlwaysOnSampler(),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, maxQueueSize: WAITING_MAX, scheduledDelayMillis: 1_000 })],
  });
  const tracer: Tracer = provider.getTracer('trace.binnacle.dev');
  return {
    add(hop) {
      const { traceId, spanId, parentId } = ids.take(hop);
      const parent =
        parentId === undefined ? undefined : { traceId, spanId: parentId, traceFlags: api.TraceFlags.SAMPLED };
      const context = parent === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
      ids.next = { traceId, spanId };
      const span = tracer.startSpan(hop.title, { startTime: timeOf(hop.atMs), attributes: attributesOf(hop) }, context);
      if (hop.error !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: hop.error });
      span.end(timeOf(hop.atMs + hop.durationMs));
    },
    close: () => provider.shutdown(),
  };
}

/** Seconds and nanoseconds since the epoch. */
function timeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

function attributesOf({ type, component, user, object, revision, detail, metadata }: TraceHop): Record<string, string> {
  const name = object?.name;
  return {
    'binnacle.hop': metadata.name,
    'binnacle.type': type,
    'binnacle.component': component,
    ...(user === undefined ? {} : { 'enduser.id': user }),
    ...(object === undefined
      ? {}
      : { 'k8s.resource': `${object.resource}${object.group === '' ? '' : `.${object.group}`}` }),
    ...(object?.namespace === undefined ? {} : { 'k8s.namespace.name': object.namespace }),
    ...(name === undefined || name === '' ? {} : { 'k8s.object.name': name }),
    ...(revision === undefined ? {} : { 'binnacle.revision': revision }),
    ...(detail === undefined ? {} : { 'binnacle.detail': JSON.stringify(detail).slice(0, 4096) }),
  };
}

interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
}

/** Gives hops the same identities wherever they are named: by their names, and a word that only this process knows. */
export class SpanIds {
  readonly #word = randomBytes(8).toString('hex');
  readonly #traces = new Map<string, string>();
  /** What the next span is to be called. */
  next: SpanPlace | undefined;

  /** Where a hop belongs: in the trace of its cause, as far as that is still known; else it begins one. */
  take({
    metadata: { name },
    cause,
  }: Pick<TraceHop, 'metadata' | 'cause'>): SpanPlace & { readonly parentId?: string } {
    const known = cause.type === 'hop' ? this.#traces.get(cause.hop) : undefined;
    const traceId = known ?? this.#hash(`trace ${name}`, 32);
    this.#traces.set(name, traceId);
    if (this.#traces.size > KNOWN_MAX) {
      for (const oldest of this.#traces.keys()) {
        this.#traces.delete(oldest);
        break;
      }
    }
    const spanId = this.#hash(name, 16);
    return cause.type === 'hop' && known !== undefined
      ? { traceId, spanId, parentId: this.#hash(cause.hop, 16) }
      : { traceId, spanId };
  }

  generateTraceId(): string {
    return this.next?.traceId ?? randomBytes(16).toString('hex');
  }

  generateSpanId(): string {
    return this.next?.spanId ?? randomBytes(8).toString('hex');
  }

  #hash(text: string, length: number): string {
    return createHash('sha256').update(`${this.#word} ${text}`).digest('hex').slice(0, length);
  }
}
