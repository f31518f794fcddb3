import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptAffinities } from './affinities.ts';

const listing = JSON.stringify({
  nftables: [
    { metainfo: {} },
    {
      set: {
        family: 'ip',
        table: 't',
        name: 'affinity-1-a',
        elem: [
          { elem: { val: '10.0.0.1', expires: 41 } },
          { elem: { val: '10.0.0.2', expires: 0 } },
          { elem: { val: { range: [] }, expires: 4 } },
          '10.0.0.3',
        ],
      },
    },
    { set: { family: 'ip', table: 't', name: 'affinity-2-gone', elem: [{ elem: { val: '10.0.0.1', expires: 41 } }] } },
    { set: { family: 'ip', table: 'other', name: 'affinity-1-a', elem: [{ elem: { val: '10.0.0.9', expires: 41 } }] } },
    { set: { family: 'ip', table: 't', name: 'cluster-ips', elem: ['10.0.0.1'] } },
  ],
});

test('clients of sets that are wanted are told again, for as long as is left', () => {
  assert.deepEqual(
    keptAffinities(listing, 'ip t', (set) => set !== 'affinity-2-gone'),
    ['add element ip t affinity-1-a { 10.0.0.1 expires 41s }'],
  );
});

test('nothing is there', () =>
  assert.deepEqual(
    keptAffinities('{}', 'ip t', () => true),
    [],
  ));
