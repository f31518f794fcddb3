import assert from 'node:assert/strict';
import type { ResourceRequirements } from '@binnacle/api/core/v1';
import { eventsSince, gone, requests } from '../api-operations.ts';
import { podOf } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const amounts = (cpu: string, memory: string, storage: string) => ({ cpu, memory, 'ephemeral-storage': storage });

/** Makes a pod with these resources; answers with what its container was given. */
async function given(world: World, name: string, resources: ResourceRequirements): Promise<unknown> {
  const spec = { containers: [{ name: 'c', image: 'pause', resources }] };
  const api = requests(world, `/api/v1/namespaces/${world.namespace}/pods`);
  const pod = await api.create({ apiVersion: 'v1', kind: 'Pod', ...podOf(name, spec) });
  return (pod.spec as { containers: { resources: unknown }[] }).containers[0]?.resources;
}

async function refused(world: World, asked: { [name: string]: string }, code: number, message: RegExp): Promise<void> {
  const at = `/api/v1/namespaces/${world.namespace}/pods`;
  const spec = { containers: [{ name: 'c', image: 'pause', resources: { requests: asked } }] };
  const body = { apiVersion: 'v1', kind: 'Pod', ...podOf('refused', spec) };
  const status = await requests(world, at).refused({ method: 'POST', at, code }, body);
  assert.match(status.message, message);
}

behaviours('simulated', 'limit ranges', (check) => {
  check(
    '[sig-scheduling] LimitRange should create a LimitRange with defaults and ensure pod has those defaults applied. [Conformance]',
    async (world) => {
      const api = requests(world, `/api/v1/namespaces/${world.namespace}/limitranges`);
      const { resourceVersion } = (await api.list()).metadata;
      const limit = {
        type: 'Container',
        min: amounts('50m', '100Mi', '100Gi'),
        max: amounts('500m', '500Mi', '500Gi'),
        default: amounts('500m', '500Mi', '500Gi'),
        defaultRequest: amounts('100m', '200Mi', '200Gi'),
      };
      const made = await api.create({
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'limit-range' },
        spec: { limits: [limit] },
      });
      const path = `/api/v1/namespaces/${world.namespace}/limitranges`;
      const [seen] = await eventsSince(world, { path, resourceVersion }, (all) => all.length > 0);
      assert.equal(seen?.type, 'ADDED');
      assert.deepEqual((await api.get('limit-range')).spec, { limits: [limit] });
      assert.deepEqual(await given(world, 'pod-no-resources', {}), {
        limits: limit.default,
        requests: limit.defaultRequest,
      });
      // A limit without a request is the request too; a request of the range is for what has neither.
      assert.deepEqual(
        await given(world, 'pod-partial-resources', {
          requests: { memory: '150Mi', 'ephemeral-storage': '150Gi' },
          limits: { cpu: '300m' },
        }),
        { requests: amounts('300m', '150Mi', '150Gi'), limits: amounts('300m', '500Mi', '500Gi') },
      );
      await refused(
        world,
        amounts('10m', '50Mi', '50Gi'),
        403,
        /minimum cpu usage per Container is 50m, but request is 10m/,
      );
      await refused(world, amounts('600m', '600Mi', '600Gi'), 422, /must be less than or equal to cpu limit of 500m/);
      const wider = { ...limit, min: amounts('9m', '49Mi', '49Gi') };
      const updated = await api.update({ ...made, spec: { limits: [wider] } });
      assert.deepEqual(updated.spec, { limits: [wider] });
      await given(world, 'pod-below', { requests: amounts('10m', '50Mi', '50Gi') });
      await refused(world, amounts('600m', '600Mi', '600Gi'), 422, /must be less than or equal to cpu limit of 500m/);
      await api.delete('limit-range');
      await gone(api, 'limit-range');
      await given(world, 'pod-above', { requests: amounts('600m', '600Mi', '600Gi') });
    },
  );
});
