import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { createSeededRandom, silentLogger, VirtualClock } from '@binnacle/base';
import { createAuthorizers } from '../access/authorizers.ts';
import type { AuthorizerSettings } from '../ports/authorization-settings.ts';
import type { Credentials } from '../ports/authentication.ts';
import { createTokenKeys } from '../node/token-keys.ts';
import { createPolicy } from '../policy.ts';
import { parseQuery } from '../request/query.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { attributesOf } from '../testing/attributes.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { startTestServer } from '../testing/test-server.ts';
import { Metrics } from './metrics.ts';
import { TrustFigures } from './trust-figures.ts';

function shown(figures: TrustFigures): string {
  const out: string[] = [];
  figures.render(out);
  return `${out.join('\n')}\n`;
}

function holds(text: string, lines: readonly string[]): void {
  for (const line of lines) assert.ok(text.includes(`${line}\n`), `${line}\n— in —\n${text}`);
}

const LEFT = 'apiserver_client_certificate_expiration_seconds';
const DAY_MS = 86_400_000;
const VERSION: ApiRequest = {
  method: 'GET',
  path: '/version',
  query: parseQuery(''),
  header: () => '',
  credentials: {},
  body: { kind: 'none' },
};

describe('client certificates', () => {
  test('nobody showed one: a distribution of none, in the buckets of the usual alert', () => {
    const text = new Metrics(new VirtualClock()).render([]);
    const bounds = [...text.matchAll(new RegExp(`^${LEFT}_bucket\\{le="(.*)"\\} 0$`, 'gm'))].map(([, bound]) => bound);
    const hours = [0, 0.5, 1, 2, 6, 12, 24, 48, 96, 168];
    const days = ['2.592e+06', '7.776e+06', '1.5552e+07', '3.1104e+07'];
    assert.deepEqual(bounds, [...hours.map((hour) => String(hour * 3600)), ...days, '+Inf']);
    holds(text, [`${LEFT}_count 0`, `# TYPE ${LEFT} histogram`]);
  });

  test('each request counts how long its certificate still holds, one that nobody vouches for too', async () => {
    const { server, parts, clock } = await startTestServer({
      policy: (world) => createPolicy(world, { tokenKeys: createTokenKeys() }),
    });
    const now = clock.now();
    const certificate = { commonName: 'jane', organizations: [], fingerprint: 'ab' };
    const all: readonly Credentials[] = [
      { certificate, certificateEndsMs: now + 3 * DAY_MS },
      { certificate, certificateEndsMs: now + 3 * DAY_MS },
      { foreignCertificate: true, certificateEndsMs: now - 1000 },
      {},
    ];
    for (const credentials of all) await server.handle({ ...VERSION, credentials });
    const text = parts.metrics.render([]);
    holds(text, [
      `${LEFT}_bucket{le="0"} 1`,
      `${LEFT}_bucket{le="172800"} 1`,
      `${LEFT}_bucket{le="345600"} 3`,
      `${LEFT}_count 3`,
    ]);
  });
});

describe('authorizers', () => {
  const world = {
    clock: new VirtualClock(),
    log: silentLogger,
    random: createSeededRandom(1),
    http: undefined,
    cache: new MemoryCache(),
  };
  const asked = attributesOf({ name: 'u', groups: ['g'] }, 'get core/pods n/p');

  test('the last word is counted, by whose it was; no opinion is none', async () => {
    const figures = new TrustFigures();
    const chosen: readonly AuthorizerSettings[] = [
      { type: 'Node', name: 'node' },
      { type: 'RBAC', name: 'rbac' },
    ];
    let answer: 'allow' | 'deny' = 'allow';
    const own = {
      node: { authorize: () => ({ decision: 'noOpinion', reason: '' }) as const },
      rbac: { authorize: () => Promise.resolve({ decision: answer, reason: '' } as const) },
    };
    const chain = createAuthorizers({ ...world, accessMeasures: figures }, own, chosen);
    assert.ok(!shown(figures).includes('decisions_total'));
    assert.deepEqual(await chain.authorize(asked), { decision: 'allow', reason: '' });
    await chain.authorize(asked);
    answer = 'deny';
    await chain.authorize(asked);
    const text = shown(figures);
    holds(text, [
      'apiserver_authorization_decisions_total{type="RBAC",name="rbac",decision="allowed"} 2',
      'apiserver_authorization_decisions_total{type="RBAC",name="rbac",decision="denied"} 1',
    ]);
    assert.ok(!text.includes('"node"'), text);
  });
});

test('issuers are shown by the hash of their address', () => {
  const figures = new TrustFigures();
  const url = 'https://issuer.example';
  const meter = figures.issuerMeter(url);
  meter.ended('success', 0.002);
  meter.ended('failure', 0.0005);
  const name = 'apiserver_authentication_jwt_authenticator_latency_seconds';
  const hash = `jwt_issuer_hash="sha256:${createHash('sha256').update(url).digest('hex')}"`;
  holds(shown(figures), [
    `${name}_bucket{result="success",${hash},le="0.001"} 0`,
    `${name}_bucket{result="success",${hash},le="0.005"} 1`,
    `${name}_bucket{result="failure",${hash},le="0.001"} 1`,
    `${name}_count{result="failure",${hash}} 1`,
  ]);
});

test('how long it took to find out who asks and whether they may', () => {
  const metrics = new Metrics(new VirtualClock());
  metrics.access.authenticated('jane', 0.0002);
  metrics.access.unauthenticated('error', 0.002);
  metrics.access.authorized('allowed', 0.2);
  const name = 'apiserver_request_filter_duration_seconds';
  holds(metrics.render([]), [
    `${name}_bucket{filter="authentication",le="0.0001"} 0`,
    `${name}_bucket{filter="authentication",le="0.0003"} 1`,
    `${name}_count{filter="authentication"} 2`,
    `${name}_bucket{filter="authorization",le="0.3"} 1`,
    `${name}_count{filter="authorization"} 1`,
  ]);
});
