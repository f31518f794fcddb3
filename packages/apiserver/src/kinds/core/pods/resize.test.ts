import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeclaredFeatures } from '../../../admission/declared-features.ts';
import { openPolicyWith } from '../../../testing/open-policy.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import type { Outcome } from '../../../testing/test-server.ts';

const PODS = '/api/v1/namespaces/default/pods';
const asking = (cpu: string, memory = '8Mi'): object => ({ requests: { cpu, memory } });

/** Asks a server for a pod, and then for it to have so much as a whole and in an init container. */
async function resize(
  declaredFeatures: readonly string[],
  after: { readonly whole?: string; readonly init?: string },
): Promise<Outcome> {
  const { ask } = await startTestServer({
    policy: ({ cache }) => openPolicyWith({}, { admission: [createDeclaredFeatures(cache)] }),
  });
  assert.equal((await ask('POST /api/v1/namespaces', { metadata: { name: 'default' } })).code, 201);
  assert.equal((await ask('POST /api/v1/nodes', { metadata: { name: 'n' }, status: { declaredFeatures } })).code, 201);
  const pod = {
    metadata: { name: 'p' },
    spec: {
      nodeName: 'n',
      resources: asking('1'),
      initContainers: [{ name: 'i', image: 'i', resources: asking('100m') }],
      containers: [{ name: 'c', image: 'i', resources: asking('100m') }],
    },
  };
  assert.equal((await ask(`POST ${PODS}`, pod)).code, 201);
  const { whole = '1', init = '100m' } = after;
  const patch = {
    spec: { resources: asking(whole), initContainers: [{ name: 'i', resources: asking(init) }] },
  };
  const headers = { 'content-type': 'application/strategic-merge-patch+json' };
  return ask(`PATCH ${PODS}/p/resize`, patch, headers);
}

for (const [feature, after] of [
  ['InPlacePodLevelResourcesVerticalScaling', { whole: '2' }],
  ['InPlacePodVerticalScalingInitContainers', { init: '200m' }],
] as const) {
  test(`a node that declares ${feature} has its pods resized so, another has not`, async () => {
    const { code, body } = await resize([feature], after);
    assert.equal(code, 200, JSON.stringify(body));
    const spec = body['spec'] as { resources: object; initContainers: readonly { resources: object }[] };
    const has = 'whole' in after ? spec.resources : spec.initContainers[0]?.resources;
    assert.deepEqual(has, asking('whole' in after ? after.whole : after.init));

    const refused = await resize(['ExtendWebSocketsToKubelet'], after);
    assert.equal(refused.code, 403);
    const message = `pods "p" is forbidden: pod update requires features ${feature} which are not available on node "n"`;
    assert.equal(refused.body['message'], message);
  });
}
