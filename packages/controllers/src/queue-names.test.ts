import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, Scope, silentLogger } from '@binnacle/base';
import type { QueueMeasures, QueueMeter } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import { underUpstreamNames } from './queue-names.ts';
import { startControllers } from './start-controllers.ts';
import { createTestWorld } from './test-world.ts';

const METER: QueueMeter = {
  added: () => undefined,
  taken: () => undefined,
  done: () => undefined,
  retried: () => undefined,
  ended: () => undefined,
};

test('queues are called as upstream calls them, and no two alike', async () => {
  const heard: string[] = [];
  const queues: QueueMeasures = { queue: (name) => (heard.push(name), METER) };
  const outside = createTestWorld();
  const scope = new Scope('controllers');
  const world = { clock: outside.clock, random: createSeededRandom(1), log: silentLogger, queues };
  const client = createClient(outside.api.connect());
  startControllers({ clientAs: () => client, world, scope, rootCA: 'CA' });
  await outside.run(1);
  const closed = scope.close();
  await outside.run(1);
  await closed;
  for (const name of ['deployment', 'replicaset', 'replicationmanager', 'endpoint_slice', 'claims', 'ttlcontroller'])
    assert.ok(heard.includes(name), `${name} in ${heard.join()}`);
  assert.equal(new Set(heard).size, heard.length, 'two queues would be counted as one');
  for (const name of heard) assert.equal(nameOf(name), name, `${name} has another name`);
});

function nameOf(name: string): string {
  let found = '';
  underUpstreamNames({ queue: (told) => ((found = told), METER) }).queue(name);
  return found;
}

test('a name that objects know is a name', () => assert.equal(nameOf('constructor'), 'constructor'));
