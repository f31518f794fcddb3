import assert from 'node:assert/strict';
import test from 'node:test';
import { flagz, statusz } from './zpages.ts';

const AT = Date.UTC(2026, 8, 6, 6, 19, 51);
const FACTS = { startedAt: AT, now: AT + 3_723_500, version: 'v1.36.0', paths: ['/healthz', '/metrics'] };
const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

test('statusz as text', () => {
  const page = statusz('', FACTS);
  assert.equal(
    'text' in page && page.text,
    `\nkube-apiserver statusz\n${WARNING}\n\nStarted: Sun Sep  6 06:19:51 UTC 2026\nUp: 1 hr 02 min 03 sec\nGo version: none\nBinary version: 1.36.0\nEmulation version: 1.36\nPaths: /healthz /metrics\n`,
  );
});

test('flagz as text, in the order of names', () => {
  const page = flagz(
    'text/plain, */*',
    new Map([
      ['v', '2'],
      ['store', 'memory'],
    ]),
  );
  assert.equal('text' in page && page.text, `\nkube-apiserver flagz\n${WARNING}\n\nstore=memory\nv=2\n`);
});

test('both as objects', () => {
  const asked = (kind: string): string => `application/json;as=${kind};v=v1beta1;g=config.k8s.io`;
  const status = statusz(asked('Statusz'), FACTS);
  assert.deepEqual('object' in status && status.object, {
    kind: 'Statusz',
    apiVersion: 'config.k8s.io/v1beta1',
    metadata: { name: 'kube-apiserver' },
    startTime: '2026-09-06T06:19:51Z',
    uptimeSeconds: 3723,
    goVersion: 'none',
    binaryVersion: '1.36.0',
    emulationVersion: '1.36',
    paths: ['/healthz', '/metrics'],
  });
  const flags = flagz(asked('Flagz'), new Map([['v', '2']]));
  assert.deepEqual('object' in flags && (flags.object as { flags: object }).flags, { v: '2' });
});

for (const accept of ['application/json', 'application/yaml', 'application/json;as=Flagz;v=v2;g=config.k8s.io']) {
  test(`406 for ${accept}`, () => assert.throws(() => flagz(accept, new Map()), { httpCode: 406 }));
}
