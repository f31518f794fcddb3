import { DEFAULT_FEATURES } from '@binnacle/api';
import type { Features } from '@binnacle/api';
import { createSeededRandom, silentLogger, VirtualClock } from '@binnacle/base';
import type { HttpCaller, Logger } from '@binnacle/base';
import type { KubeObject, UserInfo } from '@binnacle/machinery';
import { createMemoryStore } from '@binnacle/store';
import type { EmbeddedStore } from '@binnacle/store';
import type { AuditOptions } from '../audit/auditor.ts';
import { valueOf } from '../encode/body.ts';
import type { Answer } from '../pipeline/pipeline.ts';
import type { ApiServerOptions } from '../options.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { Policy, PolicyWorld } from '../policy.ts';
import { parseQuery } from '../request/query.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { assemble } from '../assemble.ts';
import { LOOPBACK_USER } from '../own-calls.ts';
import type { Assembly } from '../assemble.ts';
import { startServer } from '../server.ts';
import type { ApiServer } from '../server.ts';

/** What a request came to, as an object. */
export interface Outcome {
  readonly code: number;
  readonly body: TestObject;
  readonly warnings: readonly string[];
}

/** An object of any kind, loose enough for assertions. */
export interface TestObject extends KubeObject {
  readonly [field: string]: unknown;
}

type Headers = { readonly [name: string]: string };

export interface TestServer {
  readonly server: ApiServer;
  /** The server's parts, for tests of one of them. */
  readonly parts: Assembly;
  readonly clock: VirtualClock;
  readonly store: EmbeddedStore;
  /** `POST /api/v1/pods?x=y`; a string body travels as bytes, anything else as a value. */
  readonly ask: (line: string, body?: unknown, headers?: Headers) => Promise<Outcome>;
  readonly answer: (line: string, body?: unknown, headers?: Headers) => Promise<Answer>;
}

export interface TestServerOptions {
  readonly policy?: (world: PolicyWorld) => Policy;
  readonly user?: UserInfo;
  readonly components?: () => readonly HealthCheck[];
  /** Answers what the server asks of others. */
  readonly http?: HttpCaller;
  readonly audit?: AuditOptions;
  /** Start with these instead of an empty store. */
  readonly store?: EmbeddedStore;
  /** Absent: as by default. */
  readonly trace?: boolean;
  readonly pauses?: boolean;
  /** Absent: no resources are served on request. */
  readonly onRequest?: ApiServerOptions['onRequest'];
  /** Absent: nobody hears of anything. */
  readonly log?: Logger;
  readonly profiling?: boolean;
  readonly features?: Partial<Features>;
  readonly flags?: ReadonlyMap<string, string>;
}

/** A server over a memory store under a clock that stands still; cached objects are frozen. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const clock = new VirtualClock();
  const store = options.store ?? createMemoryStore({ clock, startRevision: 100 });
  const parts = assemble({
    store,
    clock,
    random: createSeededRandom(7),
    log: options.log ?? silentLogger,
    ...(options.flags === undefined ? {} : { flags: options.flags }),
    ...(options.profiling === undefined ? {} : { profiling: options.profiling }),
    assertions: true,
    ...(options.trace === undefined ? {} : { trace: options.trace }),
    pauses: options.pauses ?? false,
    onRequest: options.onRequest ?? [],
    features: { ...DEFAULT_FEATURES, ...options.features },
    ...(options.components === undefined ? {} : { components: options.components }),
    ...(options.policy === undefined ? {} : { policy: options.policy }),
    ...(options.http === undefined ? {} : { http: options.http, passing: options.http }),
    ...(options.audit === undefined ? {} : { audit: options.audit }),
  });
  const server = await startServer(parts, { clock, log: silentLogger });
  const answer: TestServer['answer'] = async (line, body, headers = {}) =>
    server.handle(requestOf(line, body, { headers, user: options.user ?? LOOPBACK_USER }));
  return {
    server,
    parts,
    clock,
    store,
    answer,
    async ask(line, body, headers) {
      const { reply, exchange } = await answer(line, body, headers);
      const code = 'code' in reply ? reply.code : 200;
      if (reply.kind === 'watch' || reply.kind === 'stream' || reply.kind === 'upgrade')
        return { code, body: { metadata: {} }, warnings: exchange.warnings };
      const value = reply.kind === 'text' ? { metadata: {}, text: reply.body } : valueOf(reply);
      return { code, body: value as TestObject, warnings: exchange.warnings };
    },
  };
}

function requestOf(
  line: string,
  body: unknown,
  from: { readonly headers: { readonly [name: string]: string }; readonly user: UserInfo },
): ApiRequest {
  const [method = 'GET', target = '/'] = line.split(' ');
  const [path = '/', query = ''] = target.split('?');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : undefined;
  return {
    method,
    path,
    query: parseQuery(query),
    header: (name) => from.headers[name] ?? '',
    user: from.user,
    credentials: {},
    body:
      bytes !== undefined
        ? { kind: 'bytes', read: () => Promise.resolve(bytes) }
        : body === undefined
          ? { kind: 'none' }
          : { kind: 'value', value: body },
  };
}

export const PODS_PATH = '/api/v1/namespaces/default/pods';

/** A pod that is valid. */
export function podNamed(name: string, more: { labels?: object; spec?: object; finalizers?: string[] } = {}): object {
  return {
    metadata: {
      name,
      ...(more.labels === undefined ? {} : { labels: more.labels }),
      ...(more.finalizers === undefined ? {} : { finalizers: more.finalizers }),
    },
    spec: { containers: [{ name: 'c', image: 'busybox' }], ...more.spec },
  };
}
