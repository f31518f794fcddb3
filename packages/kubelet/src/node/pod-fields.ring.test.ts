import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { schemas } from '@binnacle/api';
import { podFieldPage } from '../pod/field-table.ts';

test('the page of docs says what the kubelet does (node packages/kubelet/src/node/write-pod-fields.ts writes it)', () => {
  const page = new URL('../../../../docs/what-a-pod-can-ask-for.md', import.meta.url);
  assert.equal(readFileSync(page, 'utf8'), podFieldPage(schemas.table));
});
