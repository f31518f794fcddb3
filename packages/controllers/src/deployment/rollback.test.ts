import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { DEPLOYMENTS, EVENTS, REPLICA_SETS } from '@binnacle/api';
import { startFakeNode } from '../test-node.ts';
import { createTestWorld } from '../test-world.ts';
import { withoutHash } from './replica-sets.ts';
import { planRollback, rollbackAsked } from './rollback.ts';

const ASKED = 'deprecated.deployment.rollback.to';
const WHICH = ['deployment-controller', 'replicaset-controller'];
const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image }] },
});

async function setUp() {
  const world = createTestWorld(4);
  startFakeNode(world);
  const process = world.start(WHICH);
  const deployments = world.client.resource(DEPLOYMENTS, 'default');
  const selector = { matchLabels: { app: 'web' } };
  await deployments.create({
    metadata: { name: 'web', annotations: { why: 'first' } },
    spec: { replicas: 1, selector, template: template('web:1') },
  });
  await world.run(10_000);
  await deployments.patch('web', 'merge', {
    metadata: { annotations: { why: 'second', more: 'x' } },
    spec: { template: template('web:2') },
  });
  await world.run(20_000);
  const ask = async (text: string): Promise<unknown> => {
    await deployments.patch('web', 'merge', { metadata: { annotations: { [ASKED]: text } } });
    await world.run(20_000);
    const [now] = world.api.objects(DEPLOYMENTS);
    const events = world.api.objects(EVENTS).filter(({ reason }) => reason?.startsWith('DeploymentRollback') === true);
    const { why, more, [ASKED]: left } = now?.metadata.annotations ?? {};
    const image = now?.spec.template.spec.containers[0]?.image;
    return [image, why, more, left, events.at(-1)?.type, events.at(-1)?.reason, events.at(-1)?.message];
  };
  return { world, process, ask };
}

for (const [name, asked, expected] of [
  [
    'a revision',
    '1',
    [
      'web:1',
      'first',
      undefined,
      undefined,
      'Normal',
      'DeploymentRollback',
      'Rolled back deployment "web" to revision 1',
    ],
  ],
  [
    'the one before',
    '0',
    [
      'web:1',
      'first',
      undefined,
      undefined,
      'Normal',
      'DeploymentRollback',
      'Rolled back deployment "web" to revision 1',
    ],
  ],
  [
    'the same template',
    '2',
    [
      ...['web:2', 'second', 'x', undefined, 'Warning', 'DeploymentRollbackTemplateUnchanged'],
      'The rollback revision contains the same template as current deployment "web"',
    ],
  ],
  [
    'a revision that there is not',
    '9',
    [
      ...['web:2', 'second', 'x', undefined, 'Warning', 'DeploymentRollbackRevisionNotFound'],
      'Unable to find the revision to rollback to.',
    ],
  ],
  ['no number', 'back', ['web:2', 'second', 'x', 'back', undefined, undefined, undefined]],
] as const) {
  test(`by annotation, to ${name}`, async () => {
    const { world, process, ask } = await setUp();
    assert.deepEqual(await ask(asked), expected);
    assert.equal(world.api.objects(REPLICA_SETS).length, 2);
    await process.kill();
  });
}

test('without any revision before there is nothing to go back to', () => {
  const deployment = { metadata: { name: 'd', annotations: { [ASKED]: '0' } }, spec: { template: template('a') } };
  const seen = { deployment, newSet: undefined, oldSets: [] } as unknown as Parameters<typeof planRollback>[0];
  assert.equal(rollbackAsked(seen.deployment), 0n);
  const { told, deployment: after } = planRollback(seen, 0n);
  assert.deepEqual([told.message, after.metadata.annotations], ['Unable to find last revision.', {}]);
});

for (const [name, labels, expected] of [
  ['its own labels stay', { app: 'web', 'pod-template-hash': 'h' }, { labels: { app: 'web' } }],
  ['none are left', { 'pod-template-hash': 'h' }, {}],
  ['there are none', undefined, {}],
] as const) {
  test(`a template without the hash of its set: ${name}`, () => {
    const metadata = { creationTimestamp: '2026-01-01T00:00:00Z', ...(labels === undefined ? {} : { labels }) };
    const { spec } = template('x');
    assert.deepEqual(withoutHash({ metadata, spec }), { metadata: expected, spec });
    assert.equal(withoutHash(undefined), undefined);
  });
}
