import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VALUES_MAX } from '@binnacle/machinery';
import type { ApiRequest } from '../request/api-request.ts';
import { readYamlBody } from './yaml-body.ts';

const encoder = new TextEncoder();
const SMALL = encoder.encode('a: 1');
const LARGE = encoder.encode(`a: ${'x'.repeat(100_000)}`);

/** A request with a converter that answers so. */
function requestWith(json: string): { readonly request: ApiRequest; readonly asked: Uint8Array[] } {
  const asked: Uint8Array[] = [];
  const yaml: ApiRequest['yaml'] = {
    toJson(text) {
      asked.push(text);
      return Promise.resolve({ json: encoder.encode(json), problems: ['said'] });
    },
    fromJson: () => assert.fail('nothing is written'),
  };
  return { request: { yaml } as ApiRequest, asked };
}

test('a small text is read here', async () => {
  const { request, asked } = requestWith('2');
  assert.deepEqual(await readYamlBody(request, SMALL), { value: { a: 1 }, problems: [] });
  assert.deepEqual(asked, []);
});

test('a large one is read elsewhere, its digits kept', async () => {
  const { request, asked } = requestWith('{"n":12345678901234567890}');
  const { value, problems } = await readYamlBody(request, LARGE);
  assert.equal(JSON.stringify(value), '{"n":12345678901234567890}');
  assert.deepEqual(problems, ['said']);
  assert.deepEqual(asked, [LARGE]);
});

test('or here, where there is no such place', async () => {
  const { value } = await readYamlBody({} as ApiRequest, LARGE);
  assert.equal((value as { a: string }).a.length, 100_000);
});

test('aliases written out count as values', async () => {
  const { request } = requestWith(`[${'10,'.repeat(VALUES_MAX)}1]`);
  await assert.rejects(readYamlBody(request, LARGE), { httpCode: 413 });
});
