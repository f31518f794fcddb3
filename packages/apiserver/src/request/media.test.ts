import { StatusError } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { negotiate, wantsPretty } from './media.ts';

const TABLE =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';

const ROWS: readonly [name: string, accept: string, as: string, format: string, version: string][] = [
  ['nothing said', '', 'object', 'json', 'v1'],
  ['anything', '*/*', 'object', 'json', 'v1'],
  ['client-go with protobuf first', 'application/vnd.kubernetes.protobuf,application/json', 'object', 'json', 'v1'],
  ['kubectl get', TABLE, 'table', 'json', 'v1'],
  ['an old kubectl', 'application/json;as=Table;v=v1beta1;g=meta.k8s.io', 'table', 'json', 'v1beta1'],
  ['metadata informers', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'partial', 'json', 'v1'],
  ['YAML', 'application/yaml', 'object', 'yaml', 'v1'],
  ['by quality', 'application/json;q=0.5, application/yaml', 'object', 'yaml', 'v1'],
  [
    'an unknown projection falls through',
    'application/json;as=Nonsense;v=v1;g=x, application/json',
    'object',
    'json',
    'v1',
  ],
];

for (const [name, accept, as, format, version] of ROWS) {
  test(name, () => {
    const found = negotiate(accept, false);
    assert.deepEqual([found.as, found.format, found.metaVersion], [as, format, version]);
  });
}

test('406 for what is not served', () => {
  assert.throws(
    () => negotiate('text/html', false),
    (error: unknown) => error instanceof StatusError && error.httpCode === 406,
  );
});

test('what has no rows is no Table: 406, or the next form that is asked for', () => {
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  assert.throws(() => negotiate(table, false, { tables: false }), { httpCode: 406 });
  assert.equal(negotiate(`${table}, application/json`, false, { tables: false }).as, 'object');
});

test('pretty for people', () => {
  assert.equal(wantsPretty('', 'curl/8.0'), true);
  assert.equal(wantsPretty('', 'kubectl/v1.36'), false);
  assert.equal(wantsPretty('true', 'kubectl/v1.36'), true);
  assert.equal(wantsPretty('false', 'curl/8.0'), false);
});
