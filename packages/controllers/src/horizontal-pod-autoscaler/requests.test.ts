import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { requestsOf } from './requests.ts';

const container = (name: string, cpu?: string) => ({
  name,
  image: 'x',
  ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }),
});
const sidecar = { ...container('side', '50m'), restartPolicy: 'Always' as const };
const once = container('init', '5');
const pod: Pod = {
  metadata: { name: 'p' },
  spec: { containers: [container('a', '100m'), container('b', '1')], initContainers: [sidecar, once] },
};
const whole: Pod = { ...pod, spec: { ...pod.spec, resources: { requests: { cpu: '2' } } } };
const silent: Pod = { ...pod, spec: { containers: [container('a')] } };

for (const [name, of, resource, only, expected] of [
  ['all containers and sidecars', pod, 'cpu', undefined, 1150],
  ['one container', pod, 'cpu', 'b', 1000],
  ['the pod as a whole', whole, 'cpu', undefined, 2000],
  ['one container of a pod that speaks as a whole', whole, 'cpu', 'a', 100],
  ['a pod that does not say', whole, 'memory', undefined, 'missing pod-level request for memory in Pod p'],
  ['a container that does not say', silent, 'cpu', undefined, 'missing request for cpu in container a of Pod p'],
  [
    'what only a prototype has',
    pod,
    'constructor',
    undefined,
    'missing request for constructor in container a of Pod p',
  ],
] as const) {
  test(`requests: ${name}`, () => {
    const found = requestsOf([of], resource, only);
    assert.equal('refused' in found ? found.refused : found.get('p'), expected);
  });
}
