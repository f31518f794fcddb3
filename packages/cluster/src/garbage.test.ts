import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_MAPS } from '@binnacle/api';
import { withCluster } from './testing/virtual-cluster.ts';

const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const ROBOTS = { group: 'example.com', version: 'v1', resource: 'robots' };
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'robots.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'robots', singular: 'robot', kind: 'Robot', listKind: 'RobotList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

test('objects of kinds that came at run time own and are owned like any others', () =>
  withCluster(8, async (client, clock) => {
    await client.dynamic(DEFINITIONS).create(DEFINITION as never);
    await clock.advance(40_000);
    const robots = client.dynamic(ROBOTS, 'default');
    const maps = client.resource(CONFIG_MAPS, 'default');
    const robot = (name: string, ownerReferences: readonly object[] = []) =>
      robots.create({ apiVersion: 'example.com/v1', kind: 'Robot', metadata: { name, ownerReferences } } as never);
    const owner = await robot('owner');
    const ofRobot = { apiVersion: 'example.com/v1', kind: 'Robot', name: 'owner', uid: owner.metadata.uid ?? '' };
    await maps.create({ metadata: { name: 'owned', ownerReferences: [ofRobot] } });
    await maps.create({ metadata: { name: 'free' } });
    await robot('child', [ofRobot]);
    await robot('free');
    await clock.advance(5_000);
    await robots.delete('owner');
    await clock.advance(20_000);
    const names = async (
      list: Promise<{ readonly items: readonly { readonly metadata: { readonly name?: string } }[] }>,
    ) => (await list).items.map(({ metadata }) => metadata.name);
    assert.deepEqual(await names(robots.list()), ['free']);
    assert.deepEqual(await names(maps.list()), ['free', 'kube-root-ca.crt']);
  }));
