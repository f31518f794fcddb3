import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemas } from '@binnacle/api';
import { podFieldPage } from './field-table.ts';

test('each field of each type stands once, under what is done about it', () => {
  const page = podFieldPage(schemas.table);
  assert.match(page, /## Probe\n\n- acted on: `exec`, .*`grpc`/);
  const spec = page.slice(page.indexOf('## PodSpec'), page.indexOf('## Container\n'));
  assert.match(spec, /- not the kubelet's: `affinity`/);
  assert.match(spec, /- by its value: .*`os`/);
  assert.match(page.slice(page.indexOf('## Volume\n')), /- refused: .*`nfs`/);
  const fields = Object.keys(schemas.table['core.v1.PodSpec']?.fields ?? {});
  for (const field of fields) assert.equal(spec.split(`\`${field}\``).length, 2, field);
});
