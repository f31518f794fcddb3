import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../errors.ts';
import type { DataDir } from './data-dir.ts';
import { storeChoice } from './store-choice.ts';

const nowhere = {} as DataDir;
const etcd = { store: 'etcd', etcdServers: ['https://a:2379'] } as const;

test('etcd, and how it is known', () => {
  assert.deepEqual(storeChoice(etcd, nowhere), { engine: 'etcd', endpoints: ['https://a:2379'] });
  assert.deepEqual(storeChoice({ ...etcd, etcdCafile: '/ca', etcdCertfile: '/crt', etcdKeyfile: '/key' }, nowhere), {
    engine: 'etcd',
    endpoints: ['https://a:2379'],
    tls: { ca: '/ca', cert: '/crt', key: '/key' },
  });
  assert.deepEqual(storeChoice({ ...etcd, etcdCafile: '/ca' }, nowhere), {
    engine: 'etcd',
    endpoints: ['https://a:2379'],
    tls: { ca: '/ca' },
  });
});

test('half of a pair is none', () => {
  for (const half of [{ etcdCertfile: '/crt' }, { etcdKeyfile: '/key' }])
    assert.throws(() => storeChoice({ ...etcd, ...half }, nowhere), UsageError);
});
