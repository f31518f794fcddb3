import type { ResourceInfo } from '@binnacle/api';
import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { CheckedBytes } from './checked-bytes.ts';

const INFO = { group: 'ships.io', version: 'v1', kind: 'Boat' } as ResourceInfo;
const WRAP = { before: '', after: '' };
const STORED = '{"kind":"Boat","apiVersion":"ships.io/v1","metadata":{"name":"a"},"spec":{"masts":3}}';

function entry(object: object): { value: Uint8Array; revision: number; object: KubeObject } {
  return { value: new TextEncoder().encode(STORED), revision: 7, object: object as KubeObject };
}

function parsed(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
}

const same = JSON.parse(STORED) as object;
for (const [name, object] of [
  ['bytes of an object that is still what was stored', same],
  ['an object that today has a default', { ...same, spec: { masts: 3, sails: 1 } }],
  ['an object that was pruned', { ...same, spec: {} }],
] as const) {
  test(`sends ${name}`, () => {
    const bytes = new CheckedBytes(INFO);
    const metadata = { name: 'a', resourceVersion: '7' };
    assert.deepEqual(parsed(bytes.served(entry({ ...object, metadata }), 7, WRAP)), { ...object, metadata });
    const { kind: _kind, apiVersion: _version, ...item } = object as { kind: string; apiVersion: string };
    assert.deepEqual(parsed(bytes.item(entry({ ...object, metadata }), WRAP)), { ...item, metadata });
  });
}
