import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { countedKinds, kindKey } from './counted-kinds.ts';

for (const [names, kinds] of [
  [['pods', 'requests.cpu', 'count/pods'], ['pods']],
  [
    ['services.nodeports', 'gold.storageclass.storage.k8s.io/requests.storage'],
    ['persistentvolumeclaims', 'services'],
  ],
  [
    ['count/deployments.apps', 'secrets', 'count/widgets.example.com'],
    ['deployments.apps', 'secrets', 'widgets.example.com'],
  ],
  [['gpu.deviceclass.resource.k8s.io/devices'], ['resourceclaims.resource.k8s.io']],
  [['example.com/unknown', 'deployments', 'count/events', 'count/constructor'], ['constructor']],
  [[], []],
] as const) {
  test(`what has to be watched for ${names.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(countedKinds(names).map(kindKey).toSorted(), kinds);
  });
}
