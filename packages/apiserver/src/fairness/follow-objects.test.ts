import assert from 'node:assert/strict';
import test from 'node:test';
import { FLOW_SCHEMAS } from '@binnacle/api';
import type { FlowSchema } from '@binnacle/api/flowcontrol/v1';
import { createOpenPolicy } from '../policy-open.ts';
import { startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';
import { settled } from '../testing/watch-probe.ts';
import { danglingCondition } from './follow-objects.ts';

const PATH = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';

interface Followed extends TestServer {
  readonly schemas: () => readonly FlowSchema[];
  /** Updates that were sent until now. */
  readonly updates: () => number;
}

/** A server on which writes take their time, each another, as on a disk: events come while others are under way. */
async function startFollowed(): Promise<Followed> {
  let updates = 0;
  const admit = (): Promise<void> =>
    new Promise<void>((resolve) => void started.clock.after(1 + (updates++ % 5), resolve));
  const handles = (operation: string): boolean => operation === 'UPDATE';
  const started = await startTestServer({
    policy: () => ({ ...createOpenPolicy(), admission: [{ name: 'Slow', handles, admit }] }),
  });
  const { caches } = started.parts.foundation;
  await started.server.bootstrap({ addresses: [], port: 6443 });
  await settle(started);
  return { ...started, updates: () => updates, schemas: () => caches.list(FLOW_SCHEMAS) as readonly FlowSchema[] };
}

async function settle({ clock }: TestServer): Promise<void> {
  for (let turn = 0; turn < 100; turn++) {
    await clock.advance(1);
    await settled();
  }
}

function findingOf({ status }: FlowSchema): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Dangling')?.reason;
}

test('a start writes the status of each schema once: what it writes itself makes no further round', async () => {
  const { schemas, updates, server } = await startFollowed();
  assert.equal(schemas().length, 11);
  assert.deepEqual(new Set(schemas().map(findingOf)), new Set(['Found']));
  assert.equal(updates(), 11);
  await server.close();
});

test('a level that comes and goes is told of each time, and all schemas that went come back', async () => {
  const { ask, schemas, clock, ...rest } = await startFollowed();
  const settleAll = (): Promise<void> => settle({ ask, clock, ...rest });
  const priorityLevelConfiguration = { name: 'own' };
  await ask(`POST ${PATH}`, { metadata: { name: 'mine' }, spec: { priorityLevelConfiguration } });
  await settleAll();
  const mine = (): FlowSchema | undefined => schemas().find(({ metadata }) => metadata.name === 'mine');
  assert.equal(findingOf(mine()!), 'NotFound');
  await ask(`POST ${PATH.replace('flowschemas', 'prioritylevelconfigurations')}`, {
    metadata: { name: 'own' },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  });
  await settleAll();
  assert.equal(findingOf(mine()!), 'Found');
  await ask(`DELETE ${PATH}`);
  await settleAll();
  // What was written a moment ago is looked at after a breath.
  await clock.advance(2_000);
  await settleAll();
  assert.equal(schemas().length, 11);
  await rest.server.close();
});

test("the words are upstream's", () => {
  const schema = { metadata: { name: 's' }, spec: { priorityLevelConfiguration: { name: 'l' } } } as FlowSchema;
  assert.deepEqual(danglingCondition({ schema, dangling: true } as never), {
    type: 'Dangling',
    status: 'True',
    reason: 'NotFound',
    message: 'This FlowSchema references the PriorityLevelConfiguration object named "l" but there is no such object',
  });
});
