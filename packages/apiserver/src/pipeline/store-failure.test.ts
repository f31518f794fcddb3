import assert from 'node:assert/strict';
import test from 'node:test';
import {
  RequestTooLargeError,
  StoreClosedError,
  StoreFullError,
  StoreTimeoutError,
  StoreUnavailableError,
} from '@binnacle/store';
import { startTestServer } from '../testing/test-server.ts';
import { storeFailure } from './store-failure.ts';

const ROWS: readonly { error: Error; code: number; reason: string | undefined; message: string }[] = [
  {
    error: new StoreFullError('/data/binnacle.db: the disk is full'),
    code: 500,
    reason: undefined,
    message: 'etcdserver: mvcc: database space exceeded',
  },
  {
    error: new RequestTooLargeError({}),
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: 'Request entity too large: etcdserver: request is too large',
  },
  {
    error: new StoreTimeoutError('etcd: Deadline exceeded'),
    code: 504,
    reason: 'Timeout',
    message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
  },
  {
    error: new StoreClosedError(),
    code: 503,
    reason: 'ServiceUnavailable',
    message: 'The apiserver is shutting down, please try again later.',
  },
];

for (const { error, code, reason, message } of ROWS) {
  test(`${error.name} is ${code}`, async (t) => {
    const { ask, store } = await startTestServer();
    t.mock.method(store, 'txn', () => Promise.reject(error));
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const reply = await ask('POST /api/v1/namespaces/default/configmaps', object);
    assert.deepEqual([reply.code, reply.body['reason'], reply.body['message']], [code, reason, message]);
  });
}

test('other failures of the store have no words of their own', () => {
  assert.equal(storeFailure(new StoreUnavailableError('no connection')), undefined);
});
