import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { flagz, statusz } from './zpages.ts';

const AT = Date.UTC(2026, 8, 6, 6, 19, 51);
const FACTS = { startedAt: AT, now: AT + 3_723_500, version: 'v1.36.0', paths: ['/healthz', '/metrics'] };
const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
const TEXT = 'text/plain; charset=utf-8';

function asked(accept: string): { readonly component: string; readonly accept: string } {
  return { component: 'kubelet', accept };
}

function structured(type: string, kind: string, version = 'v1beta1'): string {
  return `application/${type};as=${kind};v=${version};g=config.k8s.io`;
}

test('statusz as text', async () => {
  assert.deepEqual(await statusz(asked(''), FACTS), {
    contentType: TEXT,
    body: `\nkubelet statusz\n${WARNING}\n\nStarted: Sun Sep  6 06:19:51 UTC 2026\nUp: 1 hr 02 min 03 sec\nGo version: none\nBinary version: 1.36.0\nEmulation version: 1.36\nPaths: /healthz /metrics\n`,
  });
});

test('flagz as text, in the order of names, for kubectl too', async () => {
  const flags = new Map([
    ['v', '2'],
    ['store', 'memory'],
  ]);
  const body = `\nkubelet flagz\n${WARNING}\nstore=memory\nv=2\n`;
  for (const accept of ['', ' ', 'text/plain, */*', 'application/json, */*'])
    assert.deepEqual(await flagz(asked(accept), flags), { contentType: TEXT, body }, accept);
});

describe('as objects', () => {
  test('statusz', async () => {
    const { contentType, body, warning } = await statusz(asked(structured('json', 'Statusz')), FACTS);
    assert.deepEqual([contentType, warning], ['application/json', undefined]);
    assert.deepEqual(JSON.parse(body), {
      kind: 'Statusz',
      apiVersion: 'config.k8s.io/v1beta1',
      metadata: { name: 'kubelet' },
      startTime: '2026-09-06T06:19:51Z',
      uptimeSeconds: 3723,
      goVersion: 'none',
      binaryVersion: '1.36.0',
      emulationVersion: '1.36',
      paths: ['/healthz', '/metrics'],
    });
  });

  test('flagz as YAML, in the old version, with a warning', async () => {
    const accept = structured('yaml', 'Flagz', 'v1alpha1');
    assert.deepEqual(await flagz(asked(accept), new Map([['v', '2']])), {
      contentType: 'application/yaml',
      body: "apiVersion: config.k8s.io/v1alpha1\nflags:\n  v: '2'\nkind: Flagz\nmetadata:\n  name: kubelet\n",
      warning: '299 - "This version of the flagz endpoint is deprecated. Please use a newer version."',
    });
  });

  test('of several that are asked for the first that there is', async () => {
    const accept = `${structured('json', 'Statusz')}, ${structured('json', 'Flagz', 'v9')}, ${structured('json', 'Flagz')}, text/plain`;
    assert.equal((await flagz(asked(accept), new Map())).contentType, 'application/json');
  });
});

for (const accept of [
  'application/json',
  'application/yaml',
  structured('json', 'Flagz', 'v2'),
  structured('json', 'Flagz', '__proto__'),
  'text/plain;as=Flagz',
  'text/html',
]) {
  test(`406 for ${accept}`, async () => {
    const message = 'only the following media types are accepted: application/json, application/yaml, text/plain';
    await assert.rejects(flagz(asked(accept), new Map()), { httpCode: 406, message });
  });
}
