import { deepEqual, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../api/request.ts';
import type { ApiRequest } from '../api/request.ts';
import type { ActionWorld } from './action.ts';
import { drain } from './drain.ts';

const pod = (name: string, more: object = {}) => ({ metadata: { name, namespace: 'n', ...more } });
const PODS = [
  pod('web'),
  pod('agent', { ownerReferences: [{ kind: 'DaemonSet' }] }),
  pod('static', { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
  pod('db'),
];

function world(refusals: readonly ApiError[]) {
  const sent: string[] = [];
  const told: string[] = [];
  const left = [...refusals];
  const send = (call: ApiRequest): Promise<unknown> => {
    sent.push(`${call.method ?? 'GET'} ${call.path.split('?')[0]}`);
    if (call.method === undefined) return Promise.resolve({ items: PODS });
    const refusal = call.method === 'POST' ? left.shift() : undefined;
    return refusal === undefined ? Promise.resolve({}) : Promise.reject(refusal);
  };
  const acting = { nowMs: 0, send, tell: (text: string) => told.push(text), wait: () => Promise.resolve() };
  return { sent, told, acting: acting as unknown as ActionWorld };
}

const EVICT = 'POST /api/v1/namespaces/n/pods';

test('a node is cordoned, then its pods are evicted, but static ones and those of DaemonSets; budgets are waited for', async () => {
  const { sent, told, acting } = world([new ApiError(429, 'the budget', 'TooManyRequests'), new ApiError(404, '', '')]);
  await drain('a', acting);
  deepEqual(sent, [
    'PATCH /api/v1/nodes/a',
    'GET /api/v1/pods',
    ...['web', 'web', 'db'].map((name) => `${EVICT}/${name}/eviction`),
  ]);
  deepEqual(told, ['1 / 2: n/web', 'n/web: the budget', '2 / 2: n/db']);
});

test('what is refused for another reason ends it', async () => {
  await rejects(drain('a', world([new ApiError(403, 'no', 'Forbidden')]).acting), /no/);
});
