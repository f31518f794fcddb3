import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestTooLargeError, StoreTimeoutError } from '../errors.ts';
import type { TxnRequest } from '../ports.ts';
import { assertRequestSize, withinSignal } from './call-limits.ts';

const value = new Uint8Array(1000);
const put = { type: 'put', key: 'k', value } as const;

const SIZES: readonly { name: string; request: TxnRequest; bytesMax: number; fits: boolean }[] = [
  { name: 'one put that fits', request: { compare: [], success: [put], failure: [] }, bytesMax: 1100, fits: true },
  { name: 'one put that does not', request: { compare: [], success: [put], failure: [] }, bytesMax: 1000, fits: false },
  {
    name: 'both branches count',
    request: { compare: [], success: [put], failure: [put] },
    bytesMax: 2000,
    fits: false,
  },
  {
    name: 'compares count',
    request: { compare: [{ target: 'value', key: 'k', result: 'equal', value }], success: [put], failure: [] },
    bytesMax: 2000,
    fits: false,
  },
  {
    name: 'what is deleted does not',
    request: { compare: [], success: [{ type: 'delete', key: 'a', end: 'z' }], failure: [] },
    bytesMax: 100,
    fits: true,
  },
];

for (const { name, request, bytesMax, fits } of SIZES) {
  test(`size of a request: ${name}`, () => {
    if (fits) assertRequestSize(request, bytesMax);
    else assert.throws(() => assertRequestSize(request, bytesMax), RequestTooLargeError);
  });
}

test('who waits is told when the time is over; what comes later is dropped', async () => {
  const abort = new AbortController();
  const waiting = withinSignal(() => new Promise<never>(() => undefined), { signal: abort.signal }, true);
  abort.abort();
  await assert.rejects(waiting, (error: unknown) => error instanceof StoreTimeoutError && error.outcomeUnknown);
  let called = false;
  const late = withinSignal(() => Promise.resolve((called = true)), { signal: abort.signal }, true);
  await assert.rejects(late, (error: unknown) => error instanceof StoreTimeoutError && !error.outcomeUnknown);
  assert.equal(called, false);
});

test('an answer in time goes through, and leaves nothing at the signal', async () => {
  const abort = new AbortController();
  assert.equal(await withinSignal(() => Promise.resolve(5), { signal: abort.signal }, false), 5);
  await assert.rejects(
    withinSignal(() => Promise.reject(new RequestTooLargeError({})), { signal: abort.signal }, false),
    RequestTooLargeError,
  );
});
