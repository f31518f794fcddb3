import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givenDevices, makeClaim, makeClass, makeSlice, request } from '../testing/devices.ts';
import { DescribedDevices } from './described-devices.ts';
import { DeviceInventory } from './inventory.ts';
import type { NodePool } from './inventory.ts';
import { requestsOf } from './requests.ts';
import type { Wish } from './requests.ts';
import { DeviceSelectors } from './selectors.ts';

/** Counts how often a device is looked at. */
class CountingSelectors extends DeviceSelectors {
  looks = 0;

  override matches(...asked: Parameters<DeviceSelectors['matches']>): boolean {
    this.looks++;
    return super.matches(...asked);
  }
}

const DEVICES = ['a', 'b', 'c'].map((name) => ({
  name,
  attributes: { kind: { string: name === 'c' ? 'net' : 'gpu' } },
}));

function poolOf(node: string): NodePool {
  const inventory = new DeviceInventory(() => [makeSlice(node, DEVICES)]);
  const [pool] = inventory.poolsOf({ name: node, labels: {} });
  assert.ok(pool);
  return pool;
}

/** What a claim for a device of the class wishes for. */
function wishFor(more: NonNullable<Parameters<typeof request>[1]> = {}): Wish {
  const gpus = makeClass('gpu', 'device.attributes["d.example.org"].kind == "gpu"');
  const [asked] = requestsOf(makeClaim('c', [request('r', more)]), () => gpus);
  const wish = asked?.wishes[0];
  assert.ok(wish);
  return wish;
}

const names = (devices: ReturnType<DescribedDevices['of']>): string => devices.map(({ device }) => device.name).join();

test('devices of a pool are looked at once for all claims that wish for the same', () => {
  const selectors = new CountingSelectors();
  const described = new DescribedDevices(selectors, givenDevices());
  const pools = ['n', 'm'].map(poolOf);
  for (let i = 0; i < 5; i++) for (const pool of pools) assert.equal(names(described.of(wishFor(), pool)), 'a,b');
  assert.equal(selectors.looks, 6);
});

test('a device that a claim has is none for others until it is let go, and there for who asks for all or only looks', () => {
  const given = givenDevices();
  const described = new DescribedDevices(new DeviceSelectors(), given);
  const pool = poolOf('n');
  assert.equal(names(described.of(wishFor(), pool)), 'a,b');
  const results = [{ request: 'r', driver: 'd.example.org', pool: 'n', device: 'a' }];
  given.promise('uid', { devices: { results } });
  assert.equal(names(described.of(wishFor(), pool)), 'b');
  assert.equal(names(described.of(wishFor({ allocationMode: 'All' }), pool)), 'a,b');
  assert.equal(names(described.of(wishFor({ adminAccess: true }), pool)), 'a,b');
  given.withdraw('uid');
  assert.equal(names(described.of(wishFor(), pool)), 'a,b');
});

test('what is given of one pool leaves what is known of the others', () => {
  const given = givenDevices();
  const [n, m] = ['n', 'm'].map(poolOf);
  assert.ok(n && m);
  const before = given.changesOf(m.pool);
  given.promise('uid', { devices: { results: [{ request: 'r', driver: 'd.example.org', pool: 'n', device: 'a' }] } });
  assert.equal(given.changesOf(m.pool), before);
  assert.notEqual(given.changesOf(n.pool), before);
});
