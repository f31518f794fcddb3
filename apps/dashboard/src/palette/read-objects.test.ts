import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Resource } from '../api/discovery.ts';
import { replaceGlobals } from '../testing.ts';
import { readObjects } from './read-objects.ts';

const kind = (resource: string, verbs: readonly string[], namespaced = true): Resource => ({
  ...{ group: '', version: 'v1', resource, kind: resource, namespaced },
  ...{ shortNames: [], categories: [], verbs, subresources: [] },
});
const KEPT = ['list', 'delete'];

/** Answers by path; what it was asked comes back. */
function serve(t: TestContext, answer: (path: string) => Response | Promise<Response>): string[] {
  const asked: string[] = [];
  replaceGlobals(t, {
    sessionStorage: { getItem: () => 's', removeItem: () => undefined },
    dispatchEvent: () => true,
    fetch: (path: string) => {
      asked.push(path);
      return Promise.resolve(answer(path));
    },
  });
  return asked;
}
const page = (names: readonly string[], next = ''): Response =>
  new Response(JSON.stringify({ items: names.map((name) => ({ metadata: { name } })), metadata: { continue: next } }), {
    headers: { 'content-type': 'application/json' },
  });

async function read(kinds: readonly Resource[], namespace = '', signal = new AbortController().signal) {
  const told: string[] = [];
  await readObjects(kinds, {
    ...{ namespace, signal },
    tell: (objects) =>
      told.push(...objects.map(({ kind: { resource }, object }) => `${resource}/${object.metadata.name}`)),
  });
  return told;
}

test('names of all kinds that are kept, page by page; Events and what nobody keeps are not asked for', async (t) => {
  const asked = serve(t, (path) =>
    path.includes('continue') ? page(['b']) : page(['a'], path.includes('pods') ? 'x y' : ''),
  );
  const kinds = [kind('pods', KEPT), kind('nodes', KEPT, false), kind('events', KEPT), kind('hops', ['list', 'watch'])];
  deepEqual((await read(kinds, 'shop')).toSorted(), ['nodes/a', 'pods/a', 'pods/b']);
  deepEqual(asked.toSorted(), [
    '/api/v1/namespaces/shop/pods?limit=1000',
    '/api/v1/namespaces/shop/pods?limit=1000&continue=x%20y',
    '/api/v1/nodes?limit=1000',
  ]);
});

test('a list without end is left, and one that the viewer may not see hides no other', async (t) => {
  const asked = serve(t, (path) =>
    path.includes('secrets') ? new Response('{"message":"no"}', { status: 403 }) : page(['a'], 'more'),
  );
  equal((await read([kind('secrets', KEPT), kind('pods', KEPT)])).length, 20);
  equal(asked.filter((path) => path.includes('pods')).length, 20);
});

test('who closes the search is told nothing more, and no failure', async (t) => {
  const gone = new AbortController();
  serve(t, () => {
    gone.abort();
    return Promise.reject(gone.signal.reason as Error);
  });
  deepEqual(await read([kind('pods', KEPT)], '', gone.signal), []);
  serve(t, () => new Response('no JSON', { headers: { 'content-type': 'application/json' } }));
  await rejects(read([kind('pods', KEPT)]), SyntaxError);
});
