import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';
import { commitStatus, deleteIfThere, getOrUndefined } from './committer.ts';
import { setUpPods } from './test-pods.ts';

const phaseOf = (phase: 'Running' | 'Failed') => (pod: Pod) => ({ ...pod, status: { ...pod.status, phase } });
const CONFLICT = status.conflict(PODS, 'p', 'the object has been modified');

async function setUp() {
  const world = setUpPods();
  world.pod('p', { a: 'b' });
  const pods = world.client.resource(PODS, 'ns');
  const seen = await pods.get('p');
  const { wire, context } = world;
  const before = wire.calls.length;
  /** What was asked for since. */
  const calls = (): string[] =>
    wire.calls
      .slice(before)
      .map(({ verb, subresource }) => (subresource === undefined ? verb : `${verb} ${subresource}`));
  return { wire, pods, seen, calls, by: { client: pods, context } };
}

describe('a status that is committed', () => {
  test('is written once, with its cause', async () => {
    const { by, seen, calls, wire } = await setUp();
    const after = await commitStatus(by, seen, phaseOf('Running'));
    assert.equal(after?.status?.phase, 'Running');
    assert.deepEqual(calls(), ['update status']);
    assert.equal(wire.calls.at(-1)?.cause, by.context.cause);
  });

  test('that changes nothing is not written', async () => {
    const { by, seen, calls } = await setUp();
    assert.equal(await commitStatus(by, seen, (pod) => ({ ...pod, status: { ...pod.status } })), seen);
    assert.deepEqual(calls(), []);
  });

  test('of an object that has changed is decided anew on what it is by now', async () => {
    const { by, seen, calls, pods } = await setUp();
    await pods.patch('p', 'merge', { metadata: { labels: { newer: 'yes' } } });
    const labels: (string | undefined)[] = [];
    const after = await commitStatus(by, seen, (pod) => {
      labels.push(pod.metadata.labels?.['newer']);
      return phaseOf('Running')(pod);
    });
    assert.deepEqual(labels, [undefined, 'yes']);
    assert.equal(after?.status?.phase, 'Running');
    assert.deepEqual(calls(), ['patch', 'update status', 'get', 'update status']);
  });

  test('that somebody else has written meanwhile is left', async () => {
    const { by, seen, calls, wire } = await setUp();
    wire.setStatus(PODS, seen, { phase: 'Running' });
    const after = await commitStatus(by, seen, phaseOf('Running'));
    assert.equal(after?.status?.phase, 'Running');
    assert.deepEqual(calls(), ['update status', 'get']);
  });

  test('is tried five times against others, no more', async () => {
    const { by, seen, calls, wire } = await setUp();
    wire.faults.call = ({ verb }) => (verb === 'update' ? { kind: 'refuse', error: CONFLICT } : undefined);
    await assert.rejects(commitStatus(by, seen, phaseOf('Running')), CONFLICT);
    assert.equal(calls().filter((call) => call === 'update status').length, 5);
  });

  test('that is refused for any other reason is not tried again', async () => {
    const { by, seen, calls, wire } = await setUp();
    const forbidden = status.forbidden(PODS, 'p', 'no');
    wire.faults.call = ({ verb }) => (verb === 'update' ? { kind: 'refuse', error: forbidden } : undefined);
    await assert.rejects(commitStatus(by, seen, phaseOf('Running')), forbidden);
    assert.deepEqual(calls(), ['update status']);
  });

  test('of an object that is gone is nobody’s', async () => {
    const { by, seen, pods } = await setUp();
    await pods.delete('p', { gracePeriodSeconds: 0 });
    assert.equal(await commitStatus(by, seen, phaseOf('Running')), undefined);
  });

  test('goes to no other object of its name', async () => {
    const { by, seen, pods, wire } = await setUp();
    wire.faults.call = ({ verb }) => (verb === 'update' ? { kind: 'refuse', error: CONFLICT } : undefined);
    await pods.delete('p', { gracePeriodSeconds: 0 });
    assert.equal(await commitStatus(by, seen, phaseOf('Failed')), undefined, 'gone when it was read again');
    await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    assert.equal(await commitStatus(by, seen, phaseOf('Failed')), undefined, 'another one by then');
    assert.notEqual((await pods.get('p')).status?.phase, 'Failed');
  });
});

test('what is not there is undefined; what may not be read is an error', async () => {
  const { pods, wire } = await setUp();
  assert.equal((await getOrUndefined(pods, 'p'))?.metadata.name, 'p');
  assert.equal(await getOrUndefined(pods, 'nobody'), undefined);
  const forbidden = status.forbidden(PODS, 'p', 'no');
  wire.faults.call = () => ({ kind: 'refuse', error: forbidden });
  await assert.rejects(getOrUndefined(pods, 'p'), forbidden);
});

test('a deletion says whether it was there; one that is refused is an error', async () => {
  const { by, wire, seen } = await setUp();
  const wrong = { preconditions: { uid: 'another' } };
  await assert.rejects(deleteIfThere(by, 'p', wrong), { code: 'Conflict' });
  const right = { gracePeriodSeconds: 0, preconditions: { uid: seen.metadata.uid ?? '' } };
  assert.deepEqual([await deleteIfThere(by, 'p', right), await deleteIfThere(by, 'p', right)], [true, false]);
  assert.equal(wire.objects(PODS).length, 0);
});
