import { deepEqual, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { replaceGlobals } from '../testing.ts';
import { ApiError, request, warningsOf } from './request.ts';

test('texts of warnings', () => {
  deepEqual(warningsOf(null), []);
  deepEqual(warningsOf('299 - "a \\"b\\" c", 299 - "d, e"'), ['a "b" c', 'd, e']);
});

test('a refusal that comes after somebody else has logged in does not end his session', async (t) => {
  const held = new Map([['session', 'first']]);
  const over: string[] = [];
  replaceGlobals(t, {
    sessionStorage: {
      getItem: (key: string) => held.get(key) ?? null,
      removeItem: (key: string) => void held.delete(key),
    },
    dispatchEvent: (event: Event) => over.push(event.type),
    fetch: () => {
      held.set('session', 'second');
      return Promise.resolve(new Response('no session', { status: 401 }));
    },
  });
  await rejects(request({ path: '/api' }), ApiError);
  deepEqual([held.get('session'), over], ['second', []]);
  await rejects(request({ path: '/api' }), ApiError);
  deepEqual([held.get('session'), over], [undefined, ['session-over']]);
});
