import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Wire } from '@binnacle/machinery';
import { findNamedResource } from './resource-names.ts';

const DISCOVERY = {
  items: [
    {
      metadata: { name: 'example.org' },
      versions: [
        {
          resources: [
            {
              ...{ resource: 'widgets', singularResource: 'widget', shortNames: ['wd'], scope: 'Cluster' },
              responseKind: { kind: 'Widget' },
            },
          ],
        },
      ],
    },
  ],
};

const wire = {
  raw: () =>
    Promise.resolve({
      status: 200,
      headers: {},
      body: (async function* () {
        yield new TextEncoder().encode(JSON.stringify(DISCOVERY));
      })(),
    }),
} as unknown as Wire;

const ROWS: readonly [text: string, found: string][] = [
  ['po', 'pods. true'],
  ['Pod', 'pods. true'],
  ['rc', 'replicationcontrollers. true'],
  ['deployment', 'deployments.apps true'],
  ['deploy.apps', 'deployments.apps true'],
  ['no', 'nodes. false'],
  ['wd', 'widgets.example.org false'],
  ['widgets.example.org', 'widgets.example.org false'],
];

for (const [text, wanted] of ROWS) {
  test(`the resource that ${text} names`, async () => {
    const { resource, group, namespaced } = await findNamedResource(wire, text);
    assert.equal(`${resource}.${group} ${String(namespaced)}`, wanted);
  });
}

test('what nobody serves is said in words of kubectl', async () => {
  for (const text of ['constructor', 'x', 'pods.apps']) {
    await assert.rejects(findNamedResource(wire, text), /the server doesn't have a resource type/);
  }
});
