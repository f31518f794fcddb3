import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock, silentLogger } from '@binnacle/base';
import type { ImageStatus } from '@binnacle/runtime';
import type { VerificationPolicy } from '../config.ts';
import { digest } from '../digest.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import type { MemoryFiles } from '../volume/memory-files.ts';
import type { PodCredential } from './credentials.ts';
import { PullAccess } from './pull-access.ts';
import { PullRecords } from './pull-records.ts';
import { readAllowlist } from './verification.ts';

const IMAGE = 'r.io/team/app:1';
const ID = 'sha256:app';
const PULLING = `/k/image_manager/pulling/sha256-${digest(IMAGE)}`;
const PULLED = `/k/image_manager/pulled/sha256-${digest(ID)}`;

const credential = (name: string, password = `of ${name}`, namespace = 'ns'): PodCredential => ({
  auth: { username: 'me', password },
  secret: { uid: `uid-${name}`, namespace, name },
});

interface Wish {
  readonly policy?: VerificationPolicy;
  readonly images?: readonly ImageStatus[];
  readonly files?: MemoryFiles;
  readonly clock?: VirtualClock;
}

function bench({
  policy = 'NeverVerifyPreloadedImages',
  images = [],
  files = createMemoryFiles(),
  clock = new VirtualClock(),
}: Wish = {}) {
  const records = new PullRecords(files, '/k');
  const runtime = { listImages: async () => images };
  const allowlist = readAllowlist([]);
  let pods = 0;
  const access = new PullAccess({ records, runtime, policy, allowlist, clock, log: silentLogger });
  const must = (credentials: readonly PodCredential[] = [], { image = IMAGE, id = ID } = {}): Promise<boolean> =>
    access.mustPull({ pod: `pod-${pods++}`, image, id, credentials: async () => credentials });
  const pull = async (by?: PodCredential): Promise<void> => {
    await access.begin(IMAGE);
    await access.pulled({ pod: 'puller', image: IMAGE, id: ID }, by);
  };
  const recordText = async (): Promise<string> => new TextDecoder().decode(await files.readFile(PULLED));
  return { access, files, clock, must, pull, recordText };
}

test("what nobody pulled is everybody's, what was pulled as nobody or as the node too", async () => {
  const found = bench();
  assert.equal(await found.must(), false);
  for (const by of [undefined, { auth: { username: 'node', password: 'p' } }]) {
    const b = bench();
    await b.pull(by);
    assert.equal(await b.must(), false);
    assert.deepEqual(JSON.parse(await b.recordText()), {
      kind: 'ImagePulledRecord',
      lastUpdatedTime: '2026-01-01T00:00:00Z',
      imageRef: ID,
      credentialMapping: { 'r.io/team/app': { nodePodsAccessible: true } },
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
    });
  }
});

const rows: readonly [string, readonly PodCredential[], boolean][] = [
  ['with the secret that it was pulled with', [credential('a')], false],
  ['with that secret, in which there is something else by now', [credential('a', 'new')], false],
  ['with another secret of the same words', [credential('b', 'of a', 'other')], false],
  ['with one of several', [credential('b'), credential('a')], false],
  ['with nothing', [], true],
  ['with another secret', [credential('b')], true],
  ['with a secret of that name of another namespace', [credential('a', 'x', 'other')], true],
  ['with what the node itself knows', [{ auth: { username: 'me', password: 'of a' } }], true],
];

for (const [name, credentials, wanted] of rows)
  test(`what was pulled with a secret, ${name}: ${wanted ? 'the registry is asked' : 'is there'}`, async () => {
    const b = bench();
    await b.pull(credential('a'));
    assert.equal(await b.must(credentials), wanted);
    const next = bench({ files: b.files });
    assert.equal(await next.must(credentials), wanted, 'the next kubelet');
  });

test('another repository of the same image is another matter', async () => {
  const b = bench();
  await b.pull();
  assert.equal(await b.must([], { image: 'r.io/team/app:2' }), false);
  assert.equal(await b.must([], { image: 'r.io/other/app:1' }), true);
});

test('whom it knows by the same words is written down, and who comes after a pull as nobody is not', async () => {
  const b = bench();
  await b.pull(credential('a'));
  await b.must([credential('b', 'of a')]);
  assert.equal(await b.must([credential('b', 'of b by now')]), false);
  await b.pull();
  await b.pull(credential('c'));
  assert.equal((await b.recordText()).includes('Secrets'), false);
  assert.equal(await b.must(), false);
});

test("while it is pulled, and after a kubelet was killed in the middle, it is nobody's", async () => {
  const b = bench();
  await b.access.begin(IMAGE);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(await b.files.readFile(PULLING))), {
    kind: 'ImagePullIntent',
    image: IMAGE,
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
  });
  assert.equal(await b.must(), true);
  // Not there yet, when the next one begins; nor does it know the image by that name.
  const next = bench({ files: b.files });
  assert.equal(await next.must(), true);
  const status: ImageStatus = { id: ID, tags: [IMAGE], digests: [], sizeBytes: 1 };
  const third = bench({ files: b.files, images: [status] });
  assert.equal(await third.must([], { image: 'r.io/team/app:another-tag' }), true);
  assert.deepEqual([await b.files.kind(PULLING), await b.files.kind(PULLED)], ['absent', 'file']);
});

test('a pull that fails leaves nothing, unless another one of the image goes on', async () => {
  const b = bench();
  await Promise.all([b.access.begin(IMAGE), b.access.begin(IMAGE)]);
  await b.access.failed(IMAGE);
  assert.equal(await b.files.kind(PULLING), 'file');
  await Promise.all([b.access.failed(IMAGE), b.access.begin(IMAGE)]);
  assert.equal(await b.files.kind(PULLING), 'file');
  await b.access.failed(IMAGE);
  assert.equal(await b.files.kind(PULLING), 'absent');
  assert.equal(await b.must(), false);
});

test('what cannot be written down before a pull keeps it from beginning; after it, nobody is known', async () => {
  const files = createMemoryFiles();
  const write = files.writeFile.bind(files);
  let full = true;
  files.writeFile = async (...all) => (full ? Promise.reject(new RangeError('no room')) : write(...all));
  const b = bench({ files });
  await assert.rejects(b.access.begin(IMAGE), /no room/);
  assert.equal(await b.must(), false);
  full = false;
  await b.access.begin(IMAGE);
  full = true;
  await b.access.pulled({ pod: 'puller', image: IMAGE, id: ID }, undefined);
  full = false;
  assert.equal(await b.must(), true);
});

const broken: readonly [string, string][] = [
  ['no JSON', '{'],
  ['another kind', '{"kind":"ImagePullIntent","apiVersion":"kubelet.config.k8s.io/v1beta1","image":"a"}'],
  ['another version', '{"kind":"ImagePulledRecord","apiVersion":"v9","imageRef":"sha256:app","lastUpdatedTime":""}'],
  [
    'of another image',
    '{"kind":"ImagePulledRecord","apiVersion":"kubelet.config.k8s.io/v1beta1","imageRef":"b","lastUpdatedTime":""}',
  ],
  [
    'readers that are none',
    '{"kind":"ImagePulledRecord","apiVersion":"kubelet.config.k8s.io/v1beta1","imageRef":"sha256:app","lastUpdatedTime":"","credentialMapping":{"r.io/team/app":{"nodePodsAccessible":"yes"}}}',
  ],
];

for (const [name, text] of broken)
  test(`a record that nobody can read opens nothing, and the next pull mends it: ${name}`, async () => {
    const b = bench();
    await b.files.writeFile(PULLED, new TextEncoder().encode(text));
    assert.equal(await b.must(), true);
    await b.pull();
    assert.equal(await b.must(), false);
  });

test("a record of upstream's, of its first version and with an account that ours does not ask for, stays", async () => {
  const b = bench();
  const account = { uid: 'u', namespace: 'ns', name: 'builder' };
  const text = JSON.stringify({
    kind: 'ImagePulledRecord',
    apiVersion: 'kubelet.config.k8s.io/v1alpha1',
    lastUpdatedTime: '2026-01-01T00:00:00Z',
    imageRef: ID,
    credentialMapping: { 'r.io/team/app': { kubernetesServiceAccounts: [account] } },
  });
  await b.files.writeFile(PULLED, new TextEncoder().encode(text));
  assert.equal(await b.must([credential('a')]), true);
  await b.pull(credential('a'));
  assert.equal(await b.must([credential('a')]), false);
  const { credentialMapping } = JSON.parse(await b.recordText()) as { credentialMapping: object };
  assert.deepEqual(
    (Object.values(credentialMapping)[0] as { kubernetesServiceAccounts: object }).kubernetesServiceAccounts,
    [account],
  );
});

test('namespaces that come and go by the thousand make no record longer without a pull, nor a pull too long a one', async () => {
  const b = bench();
  await b.pull(credential('a'));
  for (let i = 0; i < 150; i++) assert.equal(await b.must([credential(`s${i}`, 'of a')]), false);
  const { length } = (await b.recordText()).split('credentialHash');
  assert.equal(length - 1, 100);
  const long = 'x'.repeat(250);
  for (let i = 0; i < 900; i++) await b.pull(credential(`${i}${long}`));
  assert.ok((await b.recordText()).length < 1 << 20);
  assert.equal(await b.must([credential(`899${long}`)]), false);
});

test('records go with their images, but for those that came since', async () => {
  const b = bench();
  await b.pull(credential('a'));
  await b.clock.advance(5_000);
  await b.access.prune([ID], b.clock.now());
  assert.equal(await b.files.kind(PULLED), 'file');
  await b.access.prune([], b.clock.now() - 5_000);
  assert.equal(await b.files.kind(PULLED), 'file');
  await b.files.writeFile('/k/image_manager/pulled/other', new Uint8Array());
  await b.access.prune([], b.clock.now());
  assert.deepEqual(
    [await b.files.kind(PULLED), await b.files.kind('/k/image_manager/pulled/other')],
    ['absent', 'file'],
  );
});

test('where nothing is to be shown nothing is looked at', async () => {
  const b = bench({ policy: 'NeverVerify' });
  await b.pull(credential('a'));
  assert.equal(await b.must(), false);
  assert.equal(await bench({ policy: 'AlwaysVerify' }).must(), true);
});

test('a pod that has shown who it is has the image again though nobody can tell what its secrets are', async () => {
  const b = bench();
  await b.pull(credential('a'));
  const away = (): Promise<never> => assert.fail('the API is asked');
  const wanted = { pod: 'reader', image: IMAGE, id: ID };
  assert.equal(await b.access.mustPull({ ...wanted, credentials: async () => [credential('a')] }), false);
  assert.equal(await b.access.mustPull({ ...wanted, credentials: away }), false);
  assert.equal(await b.access.mustPull({ ...wanted, pod: 'puller', credentials: away }), false);
  assert.equal(await b.access.mustPull({ ...wanted, pod: 'other', credentials: async () => [] }), true);
  const other = { ...wanted, image: 'r.io/other/app:1' };
  assert.equal(await b.access.mustPull({ ...other, credentials: async () => [credential('a')] }), true);
});

test('what needs no credentials is known while they cannot be had', async () => {
  const b = bench();
  const wanted = { pod: 'reader', image: IMAGE, id: ID };
  assert.equal(await b.access.isOpen(wanted), true);
  await b.pull(credential('a'));
  assert.equal(await b.access.isOpen(wanted), false);
  assert.equal(await b.access.isOpen({ ...wanted, pod: 'puller' }), true);
  await b.pull();
  assert.equal(await b.access.isOpen(wanted), true);
  b.files.kind = async () => Promise.reject(new RangeError('no'));
  assert.equal(await b.access.isOpen({ ...wanted, id: 'sha256:another' }), false);
});
