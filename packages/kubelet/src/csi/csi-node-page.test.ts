import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { CSI_NODES, NODES } from '@binnacle/api';
import { createTestApi } from '../testing/api.ts';
import { createCsiNodePage, nodePatch } from './csi-node-page.ts';

const INFO = { nodeId: 'id-1', volumesMax: 5, topology: { zone: 'a', rack: 'r' } };
const ANNOTATION = 'csi.volume.kubernetes.io/nodeid';

async function bench() {
  const clock = new VirtualClock();
  const api = createTestApi(clock);
  const node = await api.client.resource(NODES).create({ metadata: { name: 'n' }, spec: {} });
  const page = createCsiNodePage({ client: api.client, nodeName: 'n', clock });
  return { api, node, page };
}

test('drivers come and go on both pages of a node', async () => {
  const { api, node, page } = await bench();
  await page.install('d', INFO);
  await page.install('e', { nodeId: 'id-2', volumesMax: 0, topology: {} });
  await page.install('d', INFO);
  const { metadata, spec } = await api.client.resource(CSI_NODES).get('n');
  assert.equal(metadata.ownerReferences?.[0]?.uid, node.metadata.uid);
  assert.deepEqual(spec.drivers, [
    { name: 'e', nodeID: 'id-2', topologyKeys: null },
    { name: 'd', nodeID: 'id-1', topologyKeys: ['rack', 'zone'], allocatable: { count: 5 } },
  ]);
  const told = await api.client.resource(NODES).get('n');
  assert.deepEqual(told.metadata.labels, { zone: 'a', rack: 'r' });
  assert.deepEqual(JSON.parse(told.metadata.annotations?.[ANNOTATION] ?? ''), { d: 'id-1', e: 'id-2' });
  await page.remove('d');
  await page.remove('e');
  await page.remove('e');
  // An empty list rests as null; the next driver finds that.
  assert.equal((await api.client.resource(CSI_NODES).get('n')).spec.drivers, null);
  await page.remove('e');
  await page.install('f', INFO);
  assert.equal((await api.client.resource(CSI_NODES).get('n')).spec.drivers?.length, 1);
  await page.remove('f');
  assert.equal((await api.client.resource(NODES).get('n')).metadata.annotations?.[ANNOTATION], undefined);
  await api.scope.close();
});

test('what an earlier node of that name had goes', async () => {
  const { api, page } = await bench();
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'another' };
  const drivers = [{ name: 'old', nodeID: 'x', topologyKeys: [] }];
  await api.client.resource(CSI_NODES).create({ metadata: { name: 'n', ownerReferences: [owner] }, spec: { drivers } });
  await page.install('d', INFO);
  assert.deepEqual(
    (await api.client.resource(CSI_NODES).get('n')).spec.drivers?.map(({ name }) => name),
    ['d'],
  );
  await api.scope.close();
});

test('a label that says otherwise is no place of this driver', () => {
  const node = { metadata: { name: 'n', labels: { zone: 'b' } }, spec: {} };
  assert.throws(() => nodePatch(node, 'd', INFO), /"zone":"a" but existing label is "zone":"b"/);
});

for (const text of ['{', 'null', '"x"', '{"d":7}'])
  test(`somebody else's annotation (${text}) gives way`, () => {
    const node = { metadata: { name: 'n', annotations: { [ANNOTATION]: text } }, spec: {} };
    const patch = nodePatch(node, 'd', { ...INFO, topology: {} });
    assert.deepEqual(patch, { metadata: { annotations: { [ANNOTATION]: '{"d":"id-1"}' } } });
  });
