import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceInfo } from '@binnacle/api';
import { StatusError } from '@binnacle/machinery';
import type { Exchange } from '../request/exchange.ts';
import { negotiate } from '../request/media.ts';
import { parseQuery } from '../request/query.ts';
import { checkProjection, notesOf } from './call-of.ts';

const PODS = { group: '', kind: 'Pod' } as ResourceInfo;
const ROLES = { group: 'rbac.authorization.k8s.io', kind: 'Role' } as ResourceInfo;

for (const [name, verb, as, query, info, refusal] of [
  [
    'a list as one',
    'list',
    'PartialObjectMetadata',
    '',
    PODS,
    '406 you requested PartialObjectMetadata, but the requested object is a list (*core.PodList)',
  ],
  [
    'one as a list',
    'get',
    'PartialObjectMetadataList',
    '',
    ROLES,
    '406 you requested PartialObjectMetadataList, but the requested object is not a list (*rbac.Role)',
  ],
  ['a list as a list', 'list', 'PartialObjectMetadataList', '', PODS, ''],
  ['one as one', 'get', 'PartialObjectMetadata', '', PODS, ''],
  ['a watch as one', 'watch', 'PartialObjectMetadata', '', PODS, ''],
  ['rows with what is not', 'list', 'Table', 'includeObject=All', PODS, '400 unrecognized includeObject value: "All"'],
  ['rows with objects', 'list', 'Table', 'includeObject=Object', PODS, ''],
] as const) {
  test(`a projection: ${name}`, () => {
    const exchange = { info: { verb }, request: { query: parseQuery(query) } } as unknown as Exchange;
    const rendering = negotiate(`application/json;as=${as};v=v1;g=meta.k8s.io`, false);
    let got = '';
    try {
      checkProjection(exchange, rendering, info);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      got = `${error.httpCode} ${error.message}`;
    }
    assert.ok(got.includes(refusal) && (refusal !== '' || got === ''), got);
  });
}

for (const [name, notes, kept] of [
  ['many', Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 'v'] as const), 1000],
  ['long', [['a', 'v'.repeat(200_000)] as const, ['b', 'v'.repeat(200_000)] as const, ['c', 'v'] as const], 2],
] as const) {
  test(`the audit record keeps some of too ${name} annotations, and says that they are not all`, () => {
    const exchange = { audit: { received: () => undefined } } as unknown as Exchange;
    const { annotate } = notesOf(exchange);
    for (const [key, value] of notes) annotate(key, value);
    assert.equal(exchange.annotations?.get('audit.k8s.io/truncated'), 'true');
    assert.equal(exchange.annotations.size, kept + 1);
  });
}
