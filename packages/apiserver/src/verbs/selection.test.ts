import assert from 'node:assert/strict';
import test from 'node:test';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';

const names = (body: { [field: string]: unknown }): string[] =>
  (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

const ROWS: readonly [selector: string, names: readonly string[]][] = [
  ['status.phase=Pending', ['a', 'b']],
  ['status.phase!=Pending', []],
  ['metadata.namespace=default,metadata.name=b', ['b']],
  ['spec.nodeName=n,metadata.name!=a', ['b']],
  ['spec.restartPolicy=Always,spec.nodeName=', ['a']],
];

for (const [selector, selected] of ROWS) {
  test(selector, async () => {
    const { ask } = await startTestServer();
    await ask(`POST ${PODS_PATH}`, podNamed('a'));
    await ask(`POST ${PODS_PATH}`, podNamed('b', { spec: { nodeName: 'n' } }));
    const { body } = await ask(`GET ${PODS_PATH}?fieldSelector=${encodeURIComponent(selector)}`);
    assert.deepEqual(names(body), selected);
  });
}

const REFUSED: readonly [query: string, message: RegExp][] = [
  ['fieldSelector=spec.foo%3Dx', /^field label not supported: spec\.foo$/],
  ['fieldSelector=nonsense', /invalid (field )?selector/],
  ['labelSelector=a%20in', /found|expected|unable to parse/],
];

for (const [query, message] of REFUSED) {
  test(`refused: ${query}`, async () => {
    const { ask } = await startTestServer();
    const { code, body } = await ask(`GET ${PODS_PATH}?${query}`);
    assert.equal(code, 400);
    assert.match(String(body['message']), message);
  });
}

test('both versions of events select by their own names', async () => {
  const { ask } = await startTestServer();
  const event = {
    metadata: { name: 'e', namespace: 'default' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
    reason: 'Started',
  };
  const made = await ask('POST /api/v1/namespaces/default/events', event);
  assert.equal(made.code, 201, JSON.stringify(made.body));
  const core = await ask('GET /api/v1/events?fieldSelector=involvedObject.name%3Dp');
  const group = await ask('GET /apis/events.k8s.io/v1/events?fieldSelector=regarding.name%3Dp');
  assert.deepEqual([core.code, group.code], [200, 200], JSON.stringify([core.body, group.body]));
  assert.deepEqual([names(core.body), names(group.body)], [['e'], ['e']]);
  const [shown] = group.body['items'] as { apiVersion: string; regarding: { name: string } }[];
  assert.deepEqual([shown?.apiVersion, shown?.regarding.name], ['events.k8s.io/v1', 'p']);
});
