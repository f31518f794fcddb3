import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { createClient, TransportError } from '@binnacle/client';
import { overFaultyNetwork } from '@binnacle/client/testing';
import { status } from '@binnacle/machinery';
import { firstSeen } from './first-seen.ts';

function setUp() {
  const clock = new VirtualClock();
  const network = overFaultyNetwork(createMemoryApi({ clock, random: createSeededRandom(1) }), clock);
  const nodes = createClient(network).resource(NODES);
  const stop = new AbortController();
  const named = (name: string): Promise<string> =>
    firstSeen(
      nodes,
      { find: (node: Node) => (node.metadata.name === name ? name : undefined) },
      { clock, signal: stop.signal },
    );
  const make = (name: string): Promise<unknown> => nodes.create({ metadata: { name }, spec: {} });
  return { clock, network, nodes, stop, named, make };
}

test('what is there is seen at once, what comes when it comes; no watch is left', async () => {
  const { clock, network, named, make } = setUp();
  await make('a');
  const there = named('a');
  const coming = named('b');
  await clock.advance(10);
  assert.equal(await there, 'a');
  await make('b');
  await clock.advance(10);
  assert.equal(await coming, 'b');
  assert.equal(network.watchCount, 0);
});

for (const [how, error] of [
  ['cleanly, as servers end them', null],
  ['by a cut connection', new TransportError('cut', 'gone')],
  ['by a server that stops', status.serviceUnavailable('stopping')],
  ['by one that has forgotten the version', status.expired('too old')],
] as const) {
  test(`a watch that ends ${how} is opened again, and what came meanwhile is seen`, async () => {
    const { clock, network, named, make } = setUp();
    const seen = named('a');
    await clock.advance(10);
    network.cutWatches(error);
    await make('a');
    await clock.advance(600);
    assert.equal(await seen, 'a');
    assert.equal(network.watchCount, 0);
  });
}

test('who may not look is told so, who is called off stops; what is deleted is not seen', async () => {
  const { clock, network, stop, nodes, named, make } = setUp();
  const refused = assert.rejects(named('a'), { httpCode: 403 });
  await clock.advance(10);
  network.cutWatches(status.forbidden(NODES, '', 'no'));
  await refused;
  await make('a');
  const { resourceVersion } = (await nodes.get('a')).metadata;
  // Only the event of its deletion has another version.
  const find = ({ metadata }: Node): true | undefined =>
    metadata.resourceVersion === resourceVersion ? undefined : true;
  const gone = firstSeen(nodes, { find }, { clock, signal: stop.signal });
  await clock.advance(10);
  await nodes.delete('a');
  await clock.advance(10);
  const stopped = assert.rejects(gone, /enough/);
  stop.abort(new Error('enough'));
  await stopped;
  await assert.rejects(named('a'), /enough/);
  assert.equal(network.watchCount, 0);
});
