import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { PODS } from '@binnacle/api';
import { status as statusErrors } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import { createTestApi } from '../testing/api.ts';
import { testPod } from '../testing/node.ts';
import { deleteApiPod } from './remains.ts';

const conflict = (): StatusError =>
  statusErrors.conflict({ group: '', resource: 'pods' }, 'web', 'somebody was faster');

const ROWS: readonly [
  name: string,
  there: string | undefined,
  refusal: (() => StatusError) | undefined,
  outcome: string,
][] = [
  ['it goes', 'uid-web', undefined, 'gone'],
  ['one that is gone is gone', undefined, undefined, 'gone'],
  ['another one of its name stays', 'another', undefined, 'another'],
  ['a conflict with another one of its name ends it', 'another', conflict, 'another'],
  ['a conflict about one that is gone ends it', undefined, conflict, 'gone'],
  ['a conflict about itself is no end', 'uid-web', conflict, 'Conflict'],
  ['nor is a server that is away', 'uid-web', () => statusErrors.serviceUnavailable('no'), 'ServiceUnavailable'],
];

for (const [name, there, refusal, outcome] of ROWS) {
  test(`the object of a pod that has ended: ${name}`, async () => {
    const api = createTestApi(new VirtualClock());
    if (there !== undefined) api.fake.seed(PODS, testPod({ metadata: { uid: there } }));
    api.fake.faults.call = ({ verb }) =>
      refusal !== undefined && verb === 'delete' ? { kind: 'refuse', error: refusal() } : undefined;
    const failure = await deleteApiPod({ client: api.client, nodeName: 'n' }, testPod()).then(
      () => undefined,
      (error: { readonly code?: string }) => error.code,
    );
    assert.equal(failure ?? api.fake.objects(PODS)[0]?.metadata.uid ?? 'gone', outcome);
  });
}
