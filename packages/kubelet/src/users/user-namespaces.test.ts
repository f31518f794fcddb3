import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { RuntimeHandler } from '@binnacle/runtime';
import { createSimulatedNode } from '@binnacle/runtime/simulated';
import { kubeletConfig } from '../config.ts';
import { PathError } from '../errors.ts';
import { pass, startTestNode, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { idRecordPath, writeIdRecord } from './id-record.ts';
import { UserNamespaces, userNamespacesRefusal } from './user-namespaces.ts';

const UNIT = 65_536;
const able = (name: string, userNamespaces = true): RuntimeHandler => ({
  name,
  userNamespaces,
  recursiveReadOnlyMounts: false,
});
const config = kubeletConfig({ nodeName: 'n', rootDirectory: '/k' });
const fine = { ready: true, reason: '', message: '' };

function usersOf(
  of: {
    readonly files?: ReturnType<typeof createMemoryFiles>;
    readonly handlers?: readonly RuntimeHandler[];
    readonly told?: { readonly first: number; readonly length: number };
  } = {},
): UserNamespaces {
  const { files = createMemoryFiles(), handlers = [able('')], told } = of;
  return new UserNamespaces({
    config,
    files,
    runtime: { status: async () => ({ runtime: fine, network: fine, handlers }) },
    machine: { cpus: 1, ...(told === undefined ? {} : { subordinateIds: async () => told }) },
  });
}

const podOf = (name: string): Pod => testPod({ name, spec: { hostUsers: false } });

const WORDS = "can't set `spec.hostUsers: false`, ";
for (const [name, handlers, handler, wanted] of [
  ['a runtime that can', [able('')], '', undefined],
  ['a class of which it can', [able('', false), able('kata')], 'kata', undefined],
  ['an old runtime', [], '', `${WORDS}runtime does not support user namespaces`],
  ['a runtime that cannot', [able('', false)], '', `${WORDS}runtime does not support user namespaces`],
  [
    'a class of which it cannot',
    [able(''), able('kata', false)],
    'kata',
    `${WORDS}RuntimeClass handler "kata" does not support user namespaces`,
  ],
  ['a class of an old runtime', [], 'kata', `${WORDS}RuntimeClass handler "kata" does not support user namespaces`],
  [
    'a class that it does not know',
    [able('')],
    'kata',
    `${WORDS}RuntimeClass handler "kata" does not support user namespaces: the handler "kata" is not known`,
  ],
] satisfies [string, RuntimeHandler[], string, string | undefined][])
  test(`users of a pod’s own: ${name}`, () => assert.equal(userNamespacesRefusal(handlers, handler), wanted));

test('pods that share the node’s users ask nobody', async () => {
  const users = usersOf({ handlers: [] });
  assert.equal(await users.of(testPod({ spec: { hostUsers: true } }), ''), undefined);
  assert.equal(await users.of(testPod(), ''), undefined);
});

test('each pod has its own, the same whenever it asks, also after a restart', async () => {
  const files = createMemoryFiles();
  const before = usersOf({ files });
  await before.recall();
  const a = await before.of(podOf('a'), '');
  assert.deepEqual(a, [{ containerId: 0, hostId: UNIT, length: UNIT }]);
  assert.deepEqual(await before.of(podOf('a'), ''), a);
  assert.equal((await before.of(podOf('b'), ''))?.[0]?.hostId, 2 * UNIT);
  const after = usersOf({ files });
  await after.recall();
  assert.equal((await after.of(podOf('c'), ''))?.[0]?.hostId, 3 * UNIT);
  assert.deepEqual(await after.of(podOf('a'), ''), a);
  await after.release('uid-a');
  assert.equal(await files.readFile(idRecordPath('/k/pods/uid-a')), undefined);
  const last = usersOf({ files });
  await last.recall();
  assert.equal((await last.of(podOf('d'), ''))?.[0]?.hostId, UNIT, 'given back');
});

test('ids that the node keeps for its kubelet', async () => {
  const users = usersOf({ told: { first: 10 * UNIT, length: 1_000 * UNIT } });
  await users.recall();
  assert.equal((await users.of(podOf('a'), ''))?.[0]?.hostId, 10 * UNIT);
  await assert.rejects(
    usersOf({ told: { first: 1, length: UNIT } }).recall(),
    /userNamespaces: kubelet user assigned ID 1/,
  );
});

test('a record that cannot be read keeps the kubelet from starting: whose ids are whose is not known', async () => {
  const files = createMemoryFiles();
  await files.writeFile(idRecordPath('/k/pods/u'), new TextEncoder().encode('{}'));
  await assert.rejects(usersOf({ files }).recall(), /\/k\/pods\/u\/userns: invalid user namespace configuration/);
  const twice = createMemoryFiles();
  for (const uid of ['u', 'v']) await writeIdRecord(twice, `/k/pods/${uid}`, { first: UNIT, length: UNIT });
  await assert.rejects(usersOf({ files: twice }).recall(), /range picked for pod "v" already taken/);
});

test('ids that cannot be written down are nobody’s', async () => {
  const files = createMemoryFiles();
  const makeDirectory = files.makeDirectory.bind(files);
  files.makeDirectory = () => Promise.reject(new PathError('/k', 'no space left on device'));
  const users = usersOf({ files });
  await users.recall();
  await assert.rejects(users.of(podOf('a'), ''), /create user namespace: .*no space left on device/);
  files.makeDirectory = makeDirectory;
  assert.ok(await users.of(podOf('a'), ''));
});

test('a kubelet tells its runtime, and counts', async () => {
  const node = await startTestNode({ files: createMemoryFiles() });
  node.source.put(podOf('web'));
  await pass(node.clock, 1_000);
  assert.equal(node.kubelet.pods()[0]?.status.phase, 'Running');
  assert.deepEqual(node.kubelet.given.users.counts, { started: 1, errors: 0 });
  await node.scope.close();
});

test('a pod whose runtime cannot is told so, in upstream’s words', async () => {
  const clock = new VirtualClock();
  const runtime = createSimulatedNode({ clock, random: createSeededRandom(1) }).connect();
  runtime.status = async () => ({ runtime: fine, network: fine, handlers: [] });
  const node = await startTestNode({ runtime, clock });
  node.source.put(podOf('web'));
  await pass(node.clock, 1_000);
  const wanted = `Warning FailedCreatePodSandBox Failed to create pod sandbox: ${WORDS}runtime does not support user namespaces`;
  assert.ok(node.events.lines.includes(wanted), node.events.lines.join('\n'));
  assert.equal(node.kubelet.pods()[0]?.status.phase, 'Pending');
  assert.deepEqual(node.kubelet.given.users.counts, { started: 1, errors: 1 });
  await node.scope.close();
});
