import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Wire } from '@binnacle/machinery';
import { isServed } from './is-served.ts';

const BUNDLES = { group: 'certificates.k8s.io', version: 'v1beta1', resource: 'clustertrustbundles' };

/** A wire that answers one text, with what it was asked. */
function answering(code: number, text: string): { readonly wire: Wire; readonly asked: string[] } {
  const asked: string[] = [];
  const raw: Wire['raw'] = async (call) => {
    asked.push(call.path);
    const body = [new TextEncoder().encode(text)];
    return { status: code, headers: {}, body } as unknown as Awaited<ReturnType<Wire['raw']>>;
  };
  return { wire: { raw } as Wire, asked };
}

const rows: readonly (readonly [what: string, code: number, text: string, served: boolean | RegExp])[] = [
  ['served', 200, '{"resources":[{"name":"x"},{"name":"clustertrustbundles"}]}', true],
  ['a version without it', 200, '{"resources":[{"name":"x"},null]}', false],
  ['a list that is none', 200, '{}', false],
  ['no such version', 404, '404 page not found', false],
  ['a server in trouble', 503, 'later', /later|503/],
];
for (const [what, code, text, served] of rows) {
  test(`whether a resource is served: ${what}`, async () => {
    const { wire, asked } = answering(code, text);
    if (served instanceof RegExp) await assert.rejects(isServed(wire, BUNDLES), served);
    else assert.equal(await isServed(wire, BUNDLES), served);
    assert.deepEqual(asked, ['/apis/certificates.k8s.io/v1beta1']);
  });
}

test('of the core group it is asked where that is', async () => {
  const { wire, asked } = answering(200, '{"resources":[{"name":"pods"}]}');
  assert.equal(await isServed(wire, { group: '', version: 'v1', resource: 'pods' }), true);
  assert.deepEqual(asked, ['/api/v1']);
});
