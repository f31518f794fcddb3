import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom, HttpConnectError, VirtualClock } from '@binnacle/base';
import type { HttpCall, HttpCaller } from '@binnacle/base';
import { runAdmission, admissionOf } from '../testing/admission.ts';
import type { AdmissionCase } from '../testing/admission.ts';
import { createImagePolicy } from './image-policy.ts';
import type { ImagePolicySettings } from './image-policy-file.ts';

const SETTINGS: ImagePolicySettings = {
  kubeConfigFile: '/k',
  allowTtlMs: 50_000,
  denyTtlMs: 10_000,
  retryBackoffMs: 500,
  defaultAllow: false,
};
const DENIED = 'pods "p" is forbidden: image policy webhook backend denied one or more images';

interface Asked {
  readonly kind: string;
  readonly apiVersion: string;
  readonly spec: object;
}

/** For the answer of nobody. */
const DOWN = 'down';

function start(answer: () => string, settings: Partial<ImagePolicySettings> = {}) {
  const clock = new VirtualClock();
  const asked: Asked[] = [];
  const http: Pick<HttpCaller, 'request'> = {
    async request(call: HttpCall) {
      asked.push(JSON.parse(new TextDecoder().decode(call.body as Uint8Array)) as Asked);
      const text = answer();
      if (text === DOWN) throw new HttpConnectError(call, { fault: 'dial', why: 'connection refused' });
      const body = (async function* () {
        yield new TextEncoder().encode(text);
      })();
      return { status: 200, headers: {}, body };
    },
  };
  // Waits between tries end at once.
  clock.after = (_ms, run) => {
    queueMicrotask(run);
    return { cancel: () => undefined };
  };
  const world = { http: http as HttpCaller, clock, random: createSeededRandom(1) };
  const plugin = createImagePolicy(world, { ...SETTINGS, ...settings }, { url: 'https://images/' });
  return { clock, asked, plugin };
}

const pod = (spec: object = {}, metadata: object = {}): AdmissionCase => ({
  operation: 'CREATE',
  resource: 'pods',
  object: { metadata: { name: 'p', namespace: 'n', ...metadata }, spec: { containers: [{ image: 'a' }], ...spec } },
});
const status = (fields: object): string => JSON.stringify({ status: fields });
const YES = status({ allowed: true });

test('what is asked: the images of all containers, and the annotations that are meant for it', async () => {
  const { asked, plugin } = start(() => YES);
  const annotations = { 'a.image-policy.k8s.io/x': '1', 'image-policy.k8s.io/y': '2', z: '3' };
  assert.equal(await runAdmission(plugin, pod({ initContainers: [{ image: 'i' }] }, { annotations })), undefined);
  const spec = {
    containers: [{ image: 'a' }, { image: 'i' }],
    annotations: { 'a.image-policy.k8s.io/x': '1' },
    namespace: 'n',
  };
  assert.deepEqual(
    asked.map((one) => [one.kind, one.apiVersion, one.spec]),
    [['ImageReview', 'imagepolicy.k8s.io/v1alpha1', spec]],
  );
});

test('ephemeral containers are asked about when they come', async () => {
  const { asked, plugin } = start(() => status({ allowed: false }));
  const given = pod({ ephemeralContainers: [{ image: 'e' }] });
  const refusal = await runAdmission(plugin, { ...given, operation: 'UPDATE', resource: 'pods/ephemeralcontainers' });
  assert.equal(refusal, 'pods "p" is forbidden: one or more images rejected by webhook backend');
  assert.deepEqual(asked[0]?.spec, { containers: [{ image: 'e' }], namespace: 'n' });
});

for (const [operation, resource] of [
  ['DELETE', 'pods'],
  ['UPDATE', 'pods/status'],
  ['CONNECT', 'pods/exec'],
  ['CREATE', 'deployments.apps'],
  ['CREATE', 'pods.metrics.k8s.io'],
] as const) {
  test(`not asked: ${operation} of ${resource}`, () => {
    const { plugin } = start(() => YES);
    const { info, subresource } = admissionOf({ operation, resource });
    assert.equal(plugin.handles(operation, info, subresource), false);
  });
}

test('a yes and a no hold so long as each may', async () => {
  let answer = YES;
  const { asked, clock, plugin } = start(() => answer);
  const ask = (): Promise<string | undefined> => runAdmission(plugin, pod());
  assert.equal(await ask(), undefined);
  answer = status({ allowed: false, reason: 'no tags' });
  await clock.advance(49_999);
  assert.equal(await ask(), undefined);
  await clock.advance(1);
  assert.equal(await ask(), `${DENIED}: no tags`);
  answer = YES;
  await clock.advance(9999);
  assert.equal(await ask(), `${DENIED}: no tags`);
  await clock.advance(1);
  assert.equal(await ask(), undefined);
  assert.equal(asked.length, 3);
});

test('how long was waited is told to the request', async () => {
  const { plugin } = start(() => YES);
  const attributes = {
    ...admissionOf(pod()),
    seconds: [] as number[],
    waited(seconds: number): void {
      this.seconds.push(seconds);
    },
  };
  await plugin.validate?.(attributes);
  assert.deepEqual(attributes.seconds, [0]);
});

test('where answers do not hold, each pod is asked about', async () => {
  const { asked, plugin } = start(() => YES, { allowTtlMs: 0 });
  for (let i = 0; i < 3; i++) assert.equal(await runAdmission(plugin, pod()), undefined);
  assert.equal(asked.length, 3);
});

/** Answers of those who lie or break. */
const LIES: readonly [name: string, answer: string, refusal: RegExp | undefined][] = [
  ['nobody', DOWN, /connection refused/],
  ['no JSON', '<html>', /Post "https:\/\/images\/"/],
  ['nothing', '', /the answer is no ImageReview/],
  ['a list', '[]', /the answer is no ImageReview/],
  ['another kind', '{"kind":"TokenReview","status":{"allowed":true}}', /the answer is no ImageReview/],
  ['another group', '{"apiVersion":"x/v1","status":{"allowed":true}}', /the answer is no ImageReview/],
  ['a yes in words', status({ allowed: 'true' }), /rejected by webhook backend/],
  ['no status', '{}', /rejected by webhook backend/],
  ['a reason that is none', status({ allowed: false, reason: { a: 1 } }), /rejected by webhook backend/],
  ['a reason without end', status({ allowed: false, reason: 'x'.repeat(100_000) }), /: x{1000}$/],
  [
    'an answer without end',
    `{"status":{"allowed":true,"reason":"${'x'.repeat(11 << 20)}"}}`,
    /more than 10485760 bytes/,
  ],
  [
    'a version of its own',
    '{"kind":"ImageReview","apiVersion":"imagepolicy.k8s.io/v9","status":{"allowed":true}}',
    undefined,
  ],
];

describe('who lies or breaks lets nothing in', () => {
  for (const [name, answer, refusal] of LIES) {
    test(name, async () => {
      const { plugin } = start(() => answer);
      const said = await runAdmission(plugin, pod());
      if (refusal === undefined) assert.equal(said, undefined);
      else assert.match(said ?? '', refusal);
    });
  }
});

test('where it is to be let in without an answer the record says so, and it is asked again', async () => {
  const { asked, plugin } = start(() => DOWN, { defaultAllow: true });
  const record: string[] = [];
  const attributes = {
    ...admissionOf(pod()),
    annotate: (key: string, value: string) => void record.push(`${key}=${value}`),
  };
  await plugin.validate?.(attributes);
  assert.deepEqual(record, ['imagepolicywebhook.image-policy.k8s.io/failed-open=true']);
  const tries = asked.length;
  await plugin.validate?.(attributes);
  assert.equal(asked.length, 2 * tries);
});

test('what it wants to be recorded is, of a no too, and no more than so much', async () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i === 0 ? 1 : `v${i}`]));
  const { plugin } = start(() => status({ allowed: false, auditAnnotations: many }));
  const record: string[] = [];
  const attributes = { ...admissionOf(pod()), annotate: (key: string) => void record.push(key) };
  await assert.rejects(async () => plugin.validate?.(attributes));
  assert.equal(record[0], 'imagepolicywebhook.image-policy.k8s.io/k1');
  assert.ok(record.length <= 32);
});
