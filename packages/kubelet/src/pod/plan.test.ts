import assert from 'node:assert/strict';
import { test } from 'node:test';
import { container, sandbox, seenOf } from '../testing/seen.ts';
import { testPod } from '../testing/node.ts';
import { decidePod } from './plan.ts';
import type { Container } from '@binnacle/api/core/v1';
import type { PodSeen } from './seen.ts';

const pod = testPod();
const never = testPod({ spec: { restartPolicy: 'Never' } });
const onFailure = testPod({ spec: { restartPolicy: 'OnFailure' } });
const two = testPod({
  spec: {
    containers: [
      { name: 'main', image: 'a' },
      { name: 'side', image: 'b' },
    ],
  },
});
const inits = testPod({
  spec: {
    initContainers: [
      { name: 'i1', image: 'a' },
      { name: 'i2', image: 'a' },
    ],
  },
});
const neverInits = testPod({ spec: { restartPolicy: 'Never', initContainers: [{ name: 'i1', image: 'a' }] } });
const sidecar = testPod({ spec: { initContainers: [{ name: 'sc', image: 'a', restartPolicy: 'Always' }] } });

const anew = testPod({
  spec: {
    restartPolicy: 'Never',
    initContainers: [{ name: 'i1', image: 'a', ...anewAfter(43) }],
    containers: [
      { name: 'main', image: 'a' },
      { name: 'side', image: 'b', ...anewAfter(42) },
    ],
  },
});

function anewAfter(code: number): Partial<Container> {
  const exitCodes = (...values: number[]): object => ({ exitCodes: { operator: 'In', values } });
  return {
    restartPolicy: 'Never',
    restartPolicyRules: [
      { action: 'Restart', ...exitCodes(7) },
      { action: 'RestartAllContainers', ...exitCodes(code, 7) },
    ],
  };
}

/** `kill pod`, `sandbox 1`, `kill main: …`, `start main`; nothing: an empty list. */
function said(seen: PodSeen): string[] {
  const plan = decidePod(seen);
  return [
    ...(plan.restartAll ? ['restart all'] : []),
    ...(plan.killPod ? ['kill pod'] : []),
    ...(plan.createSandbox === undefined ? [] : [`sandbox ${plan.createSandbox}`]),
    ...plan.kill.map((k) => `kill ${k.name}: ${k.message}`),
    ...plan.start.map((s) => `start ${s.container.name}`),
  ];
}

const exited = (of: typeof pod, exitCode: number, name = 'main', attempt = 0): ReturnType<typeof container> =>
  container(of, { name, attempt, state: 'exited', exitCode });

const rows: readonly [string, PodSeen, string[]][] = [
  ['a new pod', seenOf(pod, { sandboxes: [] }), ['sandbox 0', 'start main']],
  ['all containers of a new pod, in order', seenOf(two, { sandboxes: [] }), ['sandbox 0', 'start main', 'start side']],
  ['a new pod with init containers starts the first', seenOf(inits, { sandboxes: [] }), ['sandbox 0', 'start i1']],
  ['a sandbox, and nothing in it', seenOf(pod), ['start main']],
  ['all is well', seenOf(pod, { containers: [container(pod)] }), []],
  ['made, but never started', seenOf(pod, { containers: [container(pod, { state: 'created' })] }), ['start main']],
  ['ended, restarted always', seenOf(pod, { containers: [exited(pod, 0)] }), ['start main']],
  ['ended well, restarted on failure', seenOf(onFailure, { containers: [exited(onFailure, 0)] }), ['kill pod']],
  ['ended badly, restarted on failure', seenOf(onFailure, { containers: [exited(onFailure, 1)] }), ['start main']],
  ['ended, never restarted', seenOf(never, { containers: [exited(never, 1)] }), ['kill pod']],
  ['one of two ended', seenOf(two, { containers: [container(two), exited(two, 1, 'side')] }), ['start side']],
  ['the newest of a name counts', seenOf(pod, { containers: [exited(pod, 1), container(pod, { attempt: 1 })] }), []],
  [
    'the sandbox died',
    seenOf(pod, { sandboxes: [sandbox({ state: 'notReady' })], containers: [exited(pod, 137)] }),
    ['kill pod', 'sandbox 1', 'start main'],
  ],
  [
    'the sandbox died, never restarted',
    seenOf(never, { sandboxes: [sandbox({ state: 'notReady' })], containers: [exited(never, 0)] }),
    ['kill pod'],
  ],
  [
    'the sandbox died, the work was done',
    seenOf(onFailure, { sandboxes: [sandbox({ state: 'notReady' })], containers: [exited(onFailure, 0)] }),
    ['kill pod'],
  ],
  [
    'the sandbox has no address',
    seenOf(pod, { sandboxes: [sandbox({ ips: [] })] }),
    ['kill pod', 'sandbox 1', 'start main'],
  ],
  [
    'two sandboxes are ready',
    seenOf(pod, { sandboxes: [sandbox(), sandbox({ attempt: 1 })] }),
    ['kill pod', 'sandbox 2', 'start main'],
  ],
  [
    'another image',
    seenOf(pod, { containers: [container(pod, { annotations: { 'io.kubernetes.container.hash': 'old' } })] }),
    ['kill main: Container main definition changed, will be restarted', 'start main'],
  ],
  [
    'liveness failed',
    seenOf(pod, { containers: [container(pod)], verdicts: { 'main-0': { liveness: 'failure' } } }),
    ['kill main: Container main failed liveness probe, will be restarted', 'start main'],
  ],
  [
    'startup failed',
    seenOf(pod, { containers: [container(pod)], verdicts: { 'main-0': { startup: 'failure' } } }),
    ['kill main: Container main failed startup probe, will be restarted', 'start main'],
  ],
  [
    'readiness failed: nothing to do',
    seenOf(pod, { containers: [container(pod)], verdicts: { 'main-0': { readiness: 'failure' } } }),
    [],
  ],
  ['the first init container runs', seenOf(inits, { containers: [container(inits, { name: 'i1' })] }), []],
  ['the first init container is done', seenOf(inits, { containers: [exited(inits, 0, 'i1')] }), ['start i2']],
  [
    'all init containers are done',
    seenOf(inits, { containers: [exited(inits, 0, 'i1'), exited(inits, 0, 'i2')] }),
    ['start main'],
  ],
  ['an init container failed: again', seenOf(inits, { containers: [exited(inits, 1, 'i1')] }), ['start i1']],
  [
    'an init container failed for good',
    seenOf(neverInits, { containers: [exited(neverInits, 1, 'i1')] }),
    ['kill pod'],
  ],
  [
    'what ran in an older sandbox does not count',
    seenOf(inits, {
      sandboxes: [sandbox({ state: 'notReady' }), sandbox({ attempt: 1 })],
      containers: [exited(inits, 0, 'i1')],
    }),
    ['start i1'],
  ],
  ['initialised: no init container runs again', seenOf(inits, { containers: [container(inits)] }), []],
  [
    'a sidecar that has started lets the others in',
    seenOf(sidecar, { containers: [container(sidecar, { name: 'sc' })] }),
    ['start main'],
  ],
  [
    'a sidecar whose startup probe has not passed',
    seenOf(sidecar, { containers: [container(sidecar, { name: 'sc' })], verdicts: { 'sc-0': { startup: 'unknown' } } }),
    [],
  ],
  [
    'a sidecar that died is restarted beside the others',
    seenOf(sidecar, { containers: [exited(sidecar, 0, 'sc'), container(sidecar)] }),
    ['start sc'],
  ],
  [
    'an end that asks for all to begin anew',
    seenOf(anew, { containers: [exited(anew, 0, 'i1'), container(anew), exited(anew, 42, 'side')] }),
    ['restart all'],
  ],
  [
    'so it is after the others are gone, and where the sandbox has died',
    seenOf(anew, { sandboxes: [sandbox({ state: 'notReady' })], containers: [exited(anew, 42, 'side')] }),
    ['restart all'],
  ],
  ['an init container whose end asks for it', seenOf(anew, { containers: [exited(anew, 43, 'i1')] }), ['restart all']],
  ['everything was taken away', seenOf(anew), ['start i1']],
  [
    'the first rule that fits counts',
    seenOf(anew, { containers: [exited(anew, 0, 'i1'), container(anew), exited(anew, 7, 'side')] }),
    ['start side'],
  ],
  [
    'an end that no rule is about',
    seenOf(anew, { containers: [exited(anew, 0, 'i1'), container(anew), exited(anew, 1, 'side')] }),
    [],
  ],
];

for (const [name, seen, wanted] of rows) test(`plan: ${name}`, () => assert.deepEqual(said(seen), wanted));

test('a never-restarted pod whose liveness failed is killed and not started', () => {
  const seen = seenOf(never, { containers: [container(never)], verdicts: { 'main-0': { liveness: 'failure' } } });
  assert.deepEqual(decidePod(seen).start, []);
});

test('one whose own rules may start it again is started after its liveness failed', () => {
  const rules = { restartPolicy: 'Never', restartPolicyRules: [{ action: 'Restart' }] };
  const own = testPod({ spec: { restartPolicy: 'Never' }, container: rules });
  const seen = seenOf(own, { containers: [container(own)], verdicts: { 'main-0': { liveness: 'failure' } } });
  assert.deepEqual(said(seen), ['kill main: Container main failed liveness probe, will be restarted', 'start main']);
});

test('of one whose end may ask for all to begin anew it is waited how it ends when its liveness failed', () => {
  const rules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [137] } }];
  const own = testPod({
    spec: { restartPolicy: 'Never' },
    container: { restartPolicy: 'Never', restartPolicyRules: rules },
  });
  const seen = seenOf(own, { containers: [container(own)], verdicts: { 'main-0': { liveness: 'failure' } } });
  assert.deepEqual(said(seen), ['kill main: Container main failed liveness probe']);
  assert.deepEqual(said(seenOf(own, { containers: [exited(own, 137)] })), ['restart all']);
  assert.deepEqual(said(seenOf(own, { containers: [exited(own, 0)] })), ['kill pod']);
});

test('a probe may have a grace of its own', () => {
  const own = testPod({ container: { livenessProbe: { exec: {}, terminationGracePeriodSeconds: 3 } } });
  const seen = seenOf(own, { containers: [container(own)], verdicts: { 'main-0': { liveness: 'failure' } } });
  assert.equal(decidePod(seen).kill[0]?.graceSeconds, 3);
});

test('an ephemeral container is started once', () => {
  const debugged = testPod({ spec: { ephemeralContainers: [{ name: 'dbg', image: 'a' }] } });
  assert.deepEqual(said(seenOf(debugged, { containers: [container(debugged)] })), ['start dbg']);
  assert.deepEqual(said(seenOf(debugged, { containers: [container(debugged), exited(debugged, 1, 'dbg')] })), []);
});
