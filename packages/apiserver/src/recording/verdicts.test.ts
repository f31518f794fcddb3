import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdmittedBy } from './record.ts';
import { Verdicts } from './verdicts.ts';

const ACCOUNT = ['spec.serviceAccountName', 'spec.volumes'];
const PRIORITY = ['spec.priority'];
const by = (plugin: string, changed: readonly string[]): AdmittedBy => ({ plugin, changed });

const ROWS: readonly [name: string, allowed: string | undefined, admitted: AdmittedBy[] | undefined][] = [
  ['nobody came to ask', undefined, undefined],
  ['not allowed, but admitted', undefined, [by('Priority', PRIORITY)]],
  ['allowed without a reason', '', undefined],
  ['allowed', 'RBAC', undefined],
  ['two plugins', 'RBAC', [by('ServiceAccount', ACCOUNT), by('Priority', PRIORITY)]],
  ['the second alone', 'RBAC', [by('Priority', PRIORITY)]],
  ['the other way round', 'RBAC', [by('Priority', PRIORITY), by('ServiceAccount', ACCOUNT)]],
  ['for another reason', 'Node', [by('Priority', PRIORITY)]],
  ['the same fields by another list', 'RBAC', [by('Webhook', ['spec.priority'])]],
  ['a reason as a prototype is named', 'constructor', [by('__proto__', ['__proto__'])]],
];

test('a verdict says what it was made of, and is made once', () => {
  const verdicts = new Verdicts();
  const made = ROWS.map(([name, allowed, admitted]) => {
    const verdict = verdicts.of({ allowed, admitted });
    assert.deepEqual([verdict.allowed, verdict.admitted], [allowed, admitted], name);
    return verdict;
  });
  assert.equal(new Set(made).size, ROWS.length);
  for (const [at, [name, allowed, admitted]] of ROWS.entries()) {
    assert.equal(verdicts.of({ allowed, admitted: admitted?.map((one) => ({ ...one })) }), made[at], name);
  }
});

test('an endless reason is cut', () => {
  const { allowed = '' } = new Verdicts().of({ allowed: 'x'.repeat(100_000), admitted: undefined });
  assert.equal(allowed.length, 1025);
});
