import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExecTimeoutError } from '@binnacle/runtime';
import type { ExecResult, Runtime } from '@binnacle/runtime';
import type { Probe } from '@binnacle/api/core/v1';
import type { GrpcProbeRequest, HttpProbeAnswer, HttpProbeRequest, NetworkProbe } from '../network-probe.ts';
import { attemptProbe } from './attempt.ts';
import type { ProbeResult } from './tally.ts';

const container = { name: 'main', ports: [{ name: 'http', containerPort: 8080 }] };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function attempt(
  probe: Probe,
  of: {
    exec?: () => Promise<ExecResult>;
    http?: HttpProbeAnswer;
    tcp?: string;
    grpc?: string;
    asked?: HttpProbeRequest[];
    health?: GrpcProbeRequest[];
  } = {},
): Promise<ProbeResult> {
  const network: NetworkProbe = {
    http: async (request) => {
      of.asked?.push(request);
      return of.http ?? { status: 200, body: '' };
    },
    tcp: async () => of.tcp,
    grpc: async (request) => {
      of.health?.push(request);
      return of.grpc;
    },
  };
  const runtime = { exec: of.exec } as unknown as Runtime;
  return attemptProbe({ runtime, network }, { probe, container, containerId: 'c', podIP: '10.1.0.2' });
}

const rows: readonly [string, Parameters<typeof attempt>, ProbeResult][] = [
  [
    'exec well',
    [{ exec: { command: ['true'] } }, { exec: async () => ({ exitCode: 0, stdout: bytes('ok'), stderr: bytes('') }) }],
    { kind: 'success', output: 'ok' },
  ],
  [
    'exec badly',
    [{ exec: { command: ['false'] } }, { exec: async () => ({ exitCode: 1, stdout: bytes('a'), stderr: bytes('b') }) }],
    { kind: 'failure', output: 'ab' },
  ],
  [
    'exec too long',
    [
      { exec: { command: ['sleep', '9'] }, timeoutSeconds: 2 },
      { exec: () => Promise.reject(new ExecTimeoutError(['sleep', '9'], 2_000)) },
    ],
    { kind: 'failure', output: 'command timed out: "sleep 9" timed out after 2s' },
  ],
  [
    'a port that the container does not have',
    [{ httpGet: { port: 'wed' } }],
    { kind: 'error', output: 'strconv.Atoi: parsing "wed": invalid syntax' },
  ],
  [
    'the same over TCP',
    [{ tcpSocket: { port: 'wed' } }],
    { kind: 'error', output: 'strconv.Atoi: parsing "wed": invalid syntax' },
  ],
  ['http 299', [{ httpGet: { port: 80 } }, { http: { status: 299, body: 'x' } }], { kind: 'success', output: 'x' }],
  [
    'http 302 that is not followed',
    [{ httpGet: { port: 80 } }, { http: { status: 302, body: 'x' } }],
    { kind: 'success', output: 'Probe terminated redirects, Response body: x', isWarning: true },
  ],
  [
    'http 400',
    [{ httpGet: { port: 80 } }, { http: { status: 400, body: 'x' } }],
    { kind: 'failure', output: 'HTTP probe failed with statuscode: 400' },
  ],
  ['http refused', [{ httpGet: { port: 80 } }, { http: { error: 'refused' } }], { kind: 'failure', output: 'refused' }],
  ['tcp well', [{ tcpSocket: { port: 80 } }], { kind: 'success', output: '' }],
  ['tcp refused', [{ tcpSocket: { port: 80 } }, { tcp: 'refused' }], { kind: 'failure', output: 'refused' }],
  ['grpc well', [{ grpc: { port: 80 } }], { kind: 'success', output: 'service healthy' }],
  ['grpc refused', [{ grpc: { port: 80 } }, { grpc: 'refused' }], { kind: 'failure', output: 'refused' }],
  ['no handler', [{}], { kind: 'error', output: 'missing probe handler' }],
];

for (const [name, args, wanted] of rows)
  test(`attempt: ${name}`, async () => assert.deepEqual(await attempt(...args), wanted));

test('a request is made of the action, the pod and the container', async () => {
  const asked: HttpProbeRequest[] = [];
  await attempt(
    {
      httpGet: { port: 'http', path: 'healthz', scheme: 'HTTPS', httpHeaders: [{ name: 'A', value: 'b' }] },
      timeoutSeconds: 3,
    },
    { asked },
  );
  assert.deepEqual(asked, [
    {
      scheme: 'HTTPS',
      host: '10.1.0.2',
      port: 8080,
      path: '/healthz',
      headers: [{ name: 'A', value: 'b' }],
      timeoutMs: 3_000,
    },
  ]);
});

test('a health server is asked at the pod for the service that is named, the whole server by default', async () => {
  const health: GrpcProbeRequest[] = [];
  await attempt({ grpc: { port: 5000, service: 'db' }, timeoutSeconds: 2 }, { health });
  await attempt({ grpc: { port: 5000 } }, { health });
  assert.deepEqual(health, [
    { host: '10.1.0.2', port: 5000, service: 'db', timeoutMs: 2_000 },
    { host: '10.1.0.2', port: 5000, service: '', timeoutMs: 1_000 },
  ]);
});
