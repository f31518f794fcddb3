import { deepEqual, equal, rejects } from 'node:assert/strict';
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

test('a budget that holds for ever is given up after five minutes, and a dialog that is closed ends it at once', async () => {
  const budget = new ApiError(429, 'the budget', 'TooManyRequests');
  const patient = world(Array.from({ length: 100 }, () => budget));
  const waits: number[] = [];
  const wait = (delayMs: number): Promise<void> => Promise.resolve(void waits.push(delayMs));
  await rejects(drain('a', { ...patient.acting, wait }), /the budget/);
  equal(
    waits.reduce((sum, one) => sum + one, 0),
    59 * 5000,
  );
  const closed = world([budget]);
  const over = new DOMException('the dialog was closed', 'AbortError');
  await rejects(drain('a', { ...closed.acting, wait: () => Promise.reject(over) }), over);
  equal(closed.sent.at(-1), `${EVICT}/web/eviction`, 'nothing is sent after it');
});

test('what the server could not be asked about is no pod that is gone', async () => {
  await rejects(drain('a', world([new TypeError('Failed to fetch') as ApiError]).acting), /Failed to fetch/);
});
