import assert from 'node:assert/strict';
import type { Cause } from '@binnacle/base';
import type { UserInfo } from '@binnacle/machinery';
import type { TraceHopList } from '@binnacle/trace';
import { createTokenKeys } from '../node/token-keys.ts';
import { createPolicy } from '../policy.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { parseQuery } from '../request/query.ts';
import { startTestServer } from './test-server.ts';
import type { TestServer } from './test-server.ts';

/** Where the trace is served. */
export const ROOT = '/apis/trace.binnacle.dev/v1';
export const ALICE: UserInfo = { name: 'alice', groups: ['system:authenticated'] };
export const BOB: UserInfo = { name: 'bob', groups: ['system:authenticated'] };
export const ADMIN: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

interface Sent {
  readonly user?: UserInfo;
  readonly body?: unknown;
  readonly cause?: Cause;
  readonly auditId?: string;
  /** Lines of the request's head, names in lower case. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/** A server with RBAC, asked as its clients ask it. */
export class TracedServer {
  readonly test: TestServer;

  constructor(started: TestServer) {
    this.test = started;
  }

  /** What the server remembers. */
  get recorder(): Recorder {
    return this.test.server.trace as Recorder;
  }

  /** `line`: method, path and query. */
  async send(line: string, { user = ADMIN, body, cause, auditId = '', headers = [] }: Sent = {}) {
    const [method = 'GET', target = ''] = line.split(' ');
    const [path = '', query = ''] = target.split('?');
    const request: ApiRequest = {
      method,
      path,
      query: parseQuery(query),
      header: (name) => {
        if (name === 'audit-id') return auditId;
        return name === 'user-agent' && user === ADMIN ? 'kubectl/v1.33' : '';
      },
      ...(headers.length === 0 ? {} : { headerLines: () => headers }),
      user,
      credentials: {},
      body: body === undefined ? { kind: 'none' } : { kind: 'value', value: body },
      ...(cause === undefined ? {} : { cause }),
    };
    const { reply } = await this.test.server.handle(request);
    return reply;
  }

  /** What a request is answered with, which must be a success. */
  async get<T>(line: string, sent: Sent = {}): Promise<T> {
    const reply = await this.send(line, sent);
    const { object, code } = reply as { object: object; code: number };
    assert.ok((code ?? 200) < 300, `${line}: ${JSON.stringify(object)}`);
    return object as T;
  }

  hops(query = '', user = ADMIN): Promise<TraceHopList> {
    return this.get<TraceHopList>(`GET ${ROOT}/hops${query}`, { user });
  }

  /** Lets somebody have these rights in the namespace `default`. */
  async allow(user: UserInfo, rules: readonly object[]): Promise<void> {
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const name = `of-${user.name}`;
    await this.send(`POST ${rbac}/roles`, { body: { metadata: { name }, rules } });
    await this.send(`POST ${rbac}/rolebindings`, { body: bindingOf(user, { name, kind: 'Role' }) });
  }
}

function bindingOf(user: UserInfo, { name, kind }: { readonly name: string; readonly kind: string }): object {
  return {
    metadata: { name: `${user.name}-${name}s` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user.name }],
  };
}

/** A server with RBAC and a service account to make pods with; `alice` may view what is in the namespace `default`. */
export async function startTraced(): Promise<TracedServer> {
  const tokenKeys = createTokenKeys();
  const started = await startTestServer({ policy: (world) => createPolicy(world, { tokenKeys }) });
  await started.server.bootstrap({ addresses: ['192.0.2.1'], port: 6443 });
  const cluster = new TracedServer(started);
  const account = { metadata: { name: 'default' } };
  await cluster.send('POST /api/v1/namespaces/default/serviceaccounts', { body: account });
  await cluster.send('POST /apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
    body: bindingOf(ALICE, { name: 'view', kind: 'ClusterRole' }),
  });
  return cluster;
}
