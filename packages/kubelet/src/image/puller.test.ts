import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock, silentLogger } from '@binnacle/base';
import { ImagePullError } from '@binnacle/runtime';
import type { Container, Secret } from '@binnacle/api/core/v1';
import type { ImageStatus, RegistryAuth, Runtime } from '@binnacle/runtime';
import { Backoff } from '../backoff.ts';
import { createPodEvents } from '../pod-events.ts';
import { EventLog, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { PullAccess } from './pull-access.ts';
import { PullRecords } from './pull-records.ts';
import { ImagePuller } from './puller.ts';
import { readAllowlist } from './verification.ts';

const image: ImageStatus = { id: 'sha256:1', tags: ['x:1'], digests: [], sizeBytes: 42 };

function accessOf(clock: VirtualClock): PullAccess {
  return new PullAccess({
    records: new PullRecords(createMemoryFiles(), '/k'),
    runtime: { listImages: async () => [image] },
    policy: 'NeverVerifyPreloadedImages',
    allowlist: readAllowlist([]),
    clock,
    log: silentLogger,
  });
}

function bench(
  of: {
    present?: boolean;
    failure?: Error;
    secrets?: { readonly [name: string]: Secret };
    parallelMax?: number;
    withRecords?: boolean;
  } = {},
): {
  clock: VirtualClock;
  events: EventLog;
  pulls: string[];
  ensure(policy?: 'Always' | 'Never', name?: string): Promise<ImageStatus>;
  retryIn(): number;
  readonly puller: ImagePuller;
} {
  const clock = new VirtualClock();
  const events = new EventLog();
  const pulls: string[] = [];
  let present = of.present ?? false;
  const runtime = {
    imageStatus: async () => (present ? image : undefined),
    pullImage: async (name: string, _pod: unknown, auth?: RegistryAuth) => {
      pulls.push(auth === undefined ? name : `${auth.username}@${name}`);
      await Promise.resolve();
      if (auth?.username === 'stranger') throw new ImagePullError(name, 'unauthorized');
      if (of.failure !== undefined) throw of.failure;
      present = true;
      return image.id;
    },
  } as unknown as Runtime;
  const puller = new ImagePuller({
    runtime,
    clock,
    events: createPodEvents(events),
    backoff: new Backoff(10_000, 300_000),
    secret: async (_pod, name) => of.secrets?.[name],
    parallelMax: of.parallelMax ?? 0,
    access: of.withRecords === true ? accessOf(clock) : undefined,
  });
  const container = { name: 'main', image: 'x:1' };
  return {
    clock,
    events,
    pulls,
    ensure: (policy, name = 'web') =>
      puller.ensure(testPod({ name }), { ...container, ...(policy === undefined ? {} : { imagePullPolicy: policy }) }),
    puller,
    retryIn: () => puller.retryIn(testPod(), container),
  };
}

test('what is present is not pulled', async () => {
  const b = bench({ present: true });
  assert.equal(await b.ensure(), image);
  assert.deepEqual(b.pulls, []);
});

test('no more pulls at once than the node allows, in their order; a failed one gives its turn on', async () => {
  for (const [parallelMax, most] of [
    [0, 4],
    [1, 1],
    [2, 2],
  ] as const) {
    let [now, peak] = [0, 0];
    const order: string[] = [];
    const runtime = {
      imageStatus: async () => (order.length > 4 ? image : undefined),
      async pullImage(name: string) {
        order.push(name);
        peak = Math.max(peak, ++now);
        await new Promise<void>((resolve) => setImmediate(resolve));
        now--;
        if (name === 'b:1') throw new ImagePullError(name, 'gone');
      },
    } as unknown as Runtime;
    const clock = new VirtualClock();
    const events = createPodEvents(new EventLog());
    const backoff = new Backoff(10_000, 300_000);
    const puller = new ImagePuller({ runtime, clock, events, backoff, secret: async () => undefined, parallelMax });
    const pulled = ['a:1', 'b:1', 'c:1', 'd:1'].map((name) =>
      puller.ensure(testPod({ name: name[0] ?? '' }), { name: 'main', image: name }),
    );
    await Promise.allSettled(pulled);
    assert.deepEqual([order, peak], [['a:1', 'b:1', 'c:1', 'd:1'], most]);
  }
});

test('Always pulls all the same', async () => {
  const b = bench({ present: true });
  await b.ensure('Always');
  assert.deepEqual(b.pulls, ['x:1']);
});

test('pods that want one image share its pull', async () => {
  const b = bench();
  await Promise.all([b.ensure(undefined, 'a'), b.ensure(undefined, 'b')]);
  assert.deepEqual(b.pulls, ['x:1']);
  assert.deepEqual(b.events.lines.slice(-1), [
    'Normal Pulled Successfully pulled image "x:1" in 0s (0s including waiting). Image size: 42 bytes.',
  ]);
});

test('a failure, its back-off, and another try', async () => {
  const b = bench({ failure: new ImagePullError('x:1', 'no such image') });
  await assert.rejects(b.ensure(), { reason: 'ErrImagePull', message: 'no such image' });
  assert.equal(b.retryIn(), 10_000);
  await assert.rejects(b.ensure(), {
    reason: 'ImagePullBackOff',
    message: 'Back-off pulling image "x:1": ErrImagePull: no such image',
  });
  assert.equal(b.pulls.length, 1);
  await b.clock.advance(10_000);
  await assert.rejects(b.ensure(), { reason: 'ErrImagePull' });
  assert.equal(b.retryIn(), 20_000);
  assert.deepEqual(b.events.reasons(), [
    'Pulling',
    'Failed',
    'Failed',
    'BackOff',
    'Failed',
    'Pulling',
    'Failed',
    'Failed',
  ]);
});

const registrySecret = (username: string): Secret => ({
  metadata: {},
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': btoa(JSON.stringify({ auths: { 'docker.io': { username, password: 'p' } } })) },
});
const withSecrets = (...names: string[]) => testPod({ spec: { imagePullSecrets: names.map((name) => ({ name })) } });

test('credentials of pull secrets are tried one after the other', async () => {
  const b = bench({ secrets: { a: registrySecret('stranger'), b: registrySecret('friend') } });
  const pod = withSecrets('a', 'b');
  await b.puller.ensure(pod, { name: 'main', image: 'x:1' });
  assert.deepEqual(b.pulls, ['stranger@x:1', 'friend@x:1']);
});

test('the refusal of the last one counts', async () => {
  const b = bench({ secrets: { a: registrySecret('stranger') } });
  const asked = b.puller.ensure(withSecrets('a'), { name: 'main', image: 'x:1' });
  await assert.rejects(asked, { reason: 'ErrImagePull', message: 'unauthorized' });
});

test('a secret that there is not is said, and the image is asked for as nobody', async () => {
  const b = bench();
  await b.puller.ensure(withSecrets('reg'), { name: 'main', image: 'x:1' });
  assert.equal(
    b.events.lines[0],
    'Warning FailedToRetrieveImagePullSecret Unable to retrieve some image pull secrets (reg); attempting to pull the image may not succeed.',
  );
  assert.deepEqual(b.pulls, ['x:1']);
});

const names: readonly [string, boolean][] = [
  ['busybox', true],
  ['localhost:5000/a/b_c.d-e:1.2', true],
  ['registry.example.com/team/app@sha256:' + '0'.repeat(64), true],
  ['[::1]:5000/a', true],
  ['Busybox', false],
  ['a b', false],
  ['', false],
  ['a//b', false],
  ['a:-x', false],
  ['a'.repeat(600), false],
];

for (const [name, valid] of names) {
  test(`image name ${JSON.stringify(name.slice(0, 40))} is ${valid ? 'taken' : 'refused'}`, async () => {
    const b = bench({ present: true });
    const asked = b.puller.ensure(testPod(), { name: 'main', image: name });
    if (valid) await asked;
    else await assert.rejects(asked, { reason: 'InvalidImageName' });
    assert.equal(b.events.reasons().includes('InspectFailed'), !valid);
    assert.equal(b.events.lines.includes('Warning Failed Error: InvalidImageName'), !valid);
  });
}

const tenant = (name: string) => testPod({ name, spec: { imagePullSecrets: [{ name }] } });

test('what one tenant got with a secret another one gets by asking the registry, and nobody with policy Never', async () => {
  const secrets = { a: registrySecret('friend'), b: registrySecret('stranger'), c: registrySecret('friend') };
  const b = bench({ secrets, withRecords: true });
  const wanted = (policy: 'IfNotPresent' | 'Never' = 'IfNotPresent') => ({
    name: 'main',
    image: 'x:1',
    imagePullPolicy: policy,
  });
  await b.puller.ensure(tenant('a'), wanted());
  assert.deepEqual(b.pulls.splice(0), ['friend@x:1']);
  await b.puller.ensure(tenant('a'), wanted());
  await b.puller.ensure(tenant('c'), wanted('Never'));
  assert.deepEqual(b.pulls, []);
  await assert.rejects(b.puller.ensure(tenant('b'), wanted()), {
    reason: 'ErrImagePull',
    message: 'unauthorized',
  });
  assert.deepEqual(b.pulls.splice(0), ['stranger@x:1']);
  const message =
    'Container image "x:1" is present with pull policy of Never but does not have the proper credentials to access the image';
  await assert.rejects(b.puller.ensure(testPod({ name: 'nobody' }), wanted('Never')), {
    reason: 'ErrImageNeverPull',
    message,
  });
  assert.deepEqual(b.events.lines.slice(-2), [
    `Warning ErrImageNeverPull ${message}`,
    'Warning Failed Error: ErrImageNeverPull',
  ]);
  await b.puller.ensure(testPod({ name: 'anybody' }), wanted());
  assert.deepEqual(b.pulls, ['x:1']);
  await b.puller.ensure(testPod({ name: 'other' }), wanted('Never'));
  assert.deepEqual(b.pulls, ['x:1']);
});

test('what was looked at before its start is not looked at again, but where it was not everybody’s', async () => {
  const b = bench({ secrets: { a: registrySecret('friend') }, withRecords: true });
  const wanted: Container = { name: 'main', image: 'x:1', imagePullPolicy: 'IfNotPresent' };
  assert.deepEqual(await b.puller.look(tenant('a'), wanted), { image: undefined, isOpen: false });
  await b.puller.ensure(tenant('a'), wanted);
  const known = await b.puller.look(tenant('b'), wanted);
  assert.deepEqual(known, { image, isOpen: false });
  await b.puller.ensure(testPod({ name: 'b' }), wanted, { known });
  assert.deepEqual(b.pulls, ['friend@x:1', 'x:1']);
  assert.deepEqual(await b.puller.look(tenant('c'), wanted), { image, isOpen: true });
  assert.deepEqual(await b.puller.look(tenant('c'), { ...wanted, imagePullPolicy: 'Always' }), {
    image,
    isOpen: false,
  });
  await b.puller.ensure(tenant('c'), wanted, { known: { image, isOpen: true } });
  assert.equal(b.pulls.length, 2);
});
