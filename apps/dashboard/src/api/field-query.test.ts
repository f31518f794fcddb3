import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { fieldQuery } from './field-query.ts';

for (const [name, fields, selector] of [
  ['a name', { 'metadata.name': 'web' }, 'metadata.name=web'],
  ['several', { kind: 'Pod', name: 'web' }, 'kind=Pod,name=web'],
  ['what selectors are written with', { 'metadata.name': 'a=b,c\\d&e' }, String.raw`metadata.name=a\=b\,c\\d&e`],
] as const) {
  test(name, () => equal(decodeURIComponent(fieldQuery(fields)), `fieldSelector=${selector}`));
}
