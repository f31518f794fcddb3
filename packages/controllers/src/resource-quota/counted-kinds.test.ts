import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { ExtendedResourceClasses, quotaEvaluators } from '@binnacle/api';
import type { DeviceClass } from '@binnacle/api/resource/v1';
import { countedKinds, kindKey } from './counted-kinds.ts';

const GPU: DeviceClass = { metadata: { name: 'gpu' }, spec: { extendedResourceName: 'example.com/gpu' } };
const evaluatorOf = quotaEvaluators({
  ...{ classes: new ExtendedResourceClasses(() => [GPU]), pod: () => undefined, claimsForPod: () => [] },
});

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
  [['requests.example.com/gpu'], ['pods', 'resourceclaims.resource.k8s.io']],
  [['requests.deviceclass.resource.kubernetes.io/gpu'], ['pods', 'resourceclaims.resource.k8s.io']],
  [['requests.example.com/nic', 'requests.deviceclass.resource.kubernetes.io/nic'], ['pods']],
  [['example.com/unknown', 'deployments', 'count/events', 'count/constructor'], ['constructor']],
  [[], []],
] as const) {
  test(`what has to be watched for ${names.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(countedKinds(names, evaluatorOf).map(kindKey).toSorted(), kinds);
  });
}
