import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { discover } from './discovery.ts';

const pods = { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['get', 'list'], shortNames: ['po'] };
const scale = { name: 'hpas', kind: 'Hpa', namespaced: false, verbs: ['list'] };
const groupVersion = (group: string, version: string) => ({ groupVersion: `${group}/${version}`, version });
/** As a server of 1.25 answers. */
const ANSWERS: { readonly [path: string]: unknown } = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/api/v1': { resources: [pods, { ...pods, name: 'pods/log', verbs: ['get'] }, { ...pods, name: 'podsets' }] },
  '/apis': {
    groups: [
      {
        name: 'autoscaling',
        versions: [groupVersion('autoscaling', 'v1'), groupVersion('autoscaling', 'v2')],
        preferredVersion: groupVersion('autoscaling', 'v2'),
      },
      { name: 'away.example.com', versions: [groupVersion('away.example.com', 'v1')] },
    ],
  },
  '/apis/autoscaling/v1': { resources: [scale] },
  '/apis/autoscaling/v2': { resources: [scale] },
};

test('a server that tells of its groups one by one shows all its kinds, but those of servers that are away', async () => {
  const found = await discover((path) =>
    Object.hasOwn(ANSWERS, path) ? Promise.resolve(ANSWERS[path]) : Promise.reject(new RangeError(path)),
  );
  deepEqual(
    found.map(({ group, version, resource, namespaced, shortNames, subresources }) => [
      [group, version, resource, namespaced].join(' '),
      shortNames,
      subresources,
    ]),
    [
      [' v1 pods true', ['po'], ['log']],
      [' v1 podsets true', ['po'], []],
      ['autoscaling v2 hpas false', [], []],
    ],
  );
});
