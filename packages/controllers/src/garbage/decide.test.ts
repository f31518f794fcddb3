import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { judge } from './decide.ts';
import type { OwnerState, Verdict } from './decide.ts';

const rows: {
  name: string;
  owners: OwnerState[];
  finalizers?: string[];
  dependents?: { any: boolean; someWaiting: boolean };
  verdict: Verdict;
}[] = [
  { name: 'nobody owns it', owners: [], verdict: { kind: 'keep' } },
  { name: 'its owner lives', owners: ['solid'], verdict: { kind: 'keep' } },
  { name: 'one lives, one is gone', owners: ['solid', 'dangling'], verdict: { kind: 'drop-references', uids: ['1'] } },
  { name: 'one lives, one waits', owners: ['waiting', 'solid'], verdict: { kind: 'drop-references', uids: ['0'] } },
  { name: 'all gone', owners: ['dangling', 'dangling'], verdict: remove('Background') },
  { name: 'all gone, asks for orphaning', owners: ['dangling'], finalizers: ['orphan'], verdict: remove('Orphan') },
  {
    name: 'asks for foreground',
    owners: ['dangling'],
    finalizers: ['foregroundDeletion'],
    verdict: remove('Foreground'),
  },
  { name: 'owner waits, a leaf', owners: ['waiting'], verdict: remove('Background') },
  {
    name: 'owner waits, has dependents of its own',
    owners: ['waiting'],
    dependents: { any: true, someWaiting: false },
    verdict: remove('Foreground'),
  },
  {
    name: 'a circle of waiting',
    owners: ['waiting'],
    dependents: { any: true, someWaiting: true },
    verdict: { kind: 'delete', propagationPolicy: 'Foreground', unblock: true },
  },
];

function remove(propagationPolicy: 'Background' | 'Foreground' | 'Orphan'): Verdict {
  return { kind: 'delete', propagationPolicy, unblock: false };
}

for (const row of rows) {
  test(`garbage: ${row.name}`, () => {
    const object = { metadata: { finalizers: row.finalizers ?? [] } };
    const judged = row.owners.map((state, i) => ({
      state,
      reference: { apiVersion: 'v1', kind: 'X', name: 'x', uid: String(i) },
    }));
    assert.deepEqual(judge(object, judged, row.dependents ?? { any: false, someWaiting: false }), row.verdict);
  });
}
