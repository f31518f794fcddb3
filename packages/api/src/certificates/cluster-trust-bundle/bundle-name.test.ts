import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bundleNameErrors, bundlePrefix, bundleReferenceErrors } from './bundle-name.ts';

const ROWS: readonly (readonly [name: string, signer: string, error: RegExp | undefined])[] = [
  ['a.b', '', undefined],
  ['a:b', '', /without signer name must not have ":"/],
  ['A', '', /RFC 1123 subdomain/],
  ['a.b:c:d', 'a.b/c', undefined],
  ['a.b:c:d:e', 'a.b/c', /RFC 1123 subdomain/],
  ['a.b:d', 'a.b/c', /must be named with prefix a\.b:c:$/],
];
for (const [name, signer, error] of ROWS) {
  it(`a bundle of ${JSON.stringify(signer)} called ${name}`, () => {
    const [found] = bundleNameErrors(name, signer);
    if (error === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', error);
  });
}

it('of a name that is referred to the signer is taken from it', () => {
  assert.deepEqual(['plain', 'a.b:c:v1'].flatMap(bundleReferenceErrors), []);
  assert.match(bundleReferenceErrors('a.b:c:')[0] ?? '', /RFC 1123 subdomain/);
  assert.equal(bundlePrefix('a.b/c'), 'a.b:c:');
});
