import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { LifecycleHandler, Pod } from '@binnacle/api/core/v1';
import type { HttpProbeRequest } from '../network-probe.ts';
import { pass, startTestNode, testPod } from '../testing/node.ts';
import { portNumber } from '../container/http-action.ts';
import { runHook } from './hooks.ts';
import type { PodWorld } from './world.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function run(
  handler: LifecycleHandler,
  of: { exitCode?: number; http?: object; stderr?: string } = {},
): Promise<string | undefined> {
  const clock = new VirtualClock();
  const world = {
    clock,
    runtime: {
      exec: async () => ({ exitCode: of.exitCode ?? 0, stdout: bytes(''), stderr: bytes(of.stderr ?? 'oh no') }),
    },
    network: { http: async () => of.http ?? { status: 200, body: '' } },
  } as unknown as PodWorld;
  const pod = testPod();
  const done = runHook(world, handler, {
    pod,
    container: pod.spec.containers[0]!,
    containerId: 'c',
    podIP: '10.1.0.2',
  });
  await pass(clock, 5_000);
  return done;
}

const rows: readonly [string, Parameters<typeof run>, string | undefined][] = [
  ['exec well', [{ exec: { command: ['true'] } }], undefined],
  ['exec badly', [{ exec: { command: ['sh', '-c', 'x'] } }, { exitCode: 2 }], "command 'sh -c x' exited with 2: oh no"],
  ['http well', [{ httpGet: { port: 80 } }], undefined],
  [
    'http answered with an error, which upstream does not look at',
    [{ httpGet: { port: 80 } }, { http: { status: 500, body: '' } }],
    undefined,
  ],
  ['http refused', [{ httpGet: { port: 80 } }, { http: { error: 'refused' } }], 'refused'],
  ['sleep', [{ sleep: { seconds: 3 } }], undefined],
];

for (const [name, args, wanted] of rows) test(`hook: ${name}`, async () => assert.equal(await run(...args), wanted));

// It comes to stand in the pod's status and in the log.
test('of what a hook said no more is told than of last words', async () => {
  const said = await run({ exec: { command: ['x'] } }, { exitCode: 1, stderr: 'é'.repeat(1 << 20) });
  assert.match(said ?? '', /^command 'x' exited with 1: é{2000,2048}$/);
});

test('a hook by TLS whose server speaks none: asked without it, what is secret left out, and told of', async () => {
  const asked: HttpProbeRequest[] = [];
  const told: string[] = [];
  const world = {
    clock: new VirtualClock(),
    events: {
      pod: (_pod: Pod, ...[type, of]: ['Warning', { reason: string; message: string }]) =>
        void told.push(`${type} ${of.reason} ${of.message}`),
    },
    network: {
      http: async (request: HttpProbeRequest) => {
        asked.push(request);
        return request.scheme === 'HTTPS' ? { error: 'no', speaksPlain: true } : { status: 200, body: '' };
      },
    },
  } as unknown as PodWorld;
  const pod = testPod();
  const httpHeaders = [
    { name: 'authorization', value: 'secret' },
    { name: 'X-One', value: '1' },
  ];
  const handler: LifecycleHandler = { httpGet: { port: 80, scheme: 'HTTPS', httpHeaders } };
  const call = { pod, container: pod.spec.containers[0]!, containerId: 'c', podIP: '10.1.0.2' };
  assert.equal(await runHook(world, handler, call), undefined);
  assert.deepEqual(
    asked.map(({ scheme, headers, userAgent }) => [scheme, headers.map(({ name }) => name), userAgent]),
    [
      ['HTTPS', ['authorization', 'X-One'], 'kube-lifecycle'],
      ['HTTP', ['X-One'], 'kube-lifecycle'],
    ],
  );
  assert.deepEqual(told, [
    'Warning LifecycleHTTPFallback request to HTTPS lifecycle hook 10.1.0.2:80 got HTTP response, retry with HTTP succeeded',
  ]);
});

test('ports by number and by name', () => {
  const container = { name: 'c', ports: [{ name: 'http', containerPort: 8080 }] };
  assert.deepEqual(
    [portNumber(80, container), portNumber('http', container), portNumber('81', container)],
    [80, 8080, 81],
  );
  for (const [port, message] of [
    ['no', 'strconv.Atoi: parsing "no": invalid syntax'],
    [0, 'invalid port number: 0'],
    ['70000', 'invalid port number: 70000'],
  ] as const) {
    assert.throws(() => portNumber(port, container), { message });
  }
});

test('a postStart hook that fails ends the container', async () => {
  const t = await startTestNode();
  t.source.put(
    testPod({
      container: { lifecycle: { postStart: { exec: { command: ['false'] } } } },
      metadata: { annotations: { 'simulated.binnacle.dev/exec-exit-code': '1' } },
    }),
  );
  await pass(t.clock, 100);
  assert.ok(t.events.lines.includes('Warning FailedPostStartHook PostStartHook failed'));
  assert.equal(t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.state?.waiting?.reason, 'CrashLoopBackOff');
  assert.ok((await t.runtime.listContainers()).every((c) => c.state !== 'running'));
  await t.scope.close();
});
