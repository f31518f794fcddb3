import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPreconditions } from './preconditions.ts';

const FOUND = { resource: { group: '', resource: 'pods' }, name: 'x', uid: 'u', resourceVersion: '7' };
const REFUSED = 'Operation cannot be fulfilled on pods "x": the';

for (const [meant, message] of [
  [undefined, undefined],
  [{}, undefined],
  [{ uid: 'u', resourceVersion: '7' }, undefined],
  [
    { uid: 'v', resourceVersion: '8' },
    `${REFUSED} UID in the precondition (v) does not match the UID in record (u). The object might have been deleted and then recreated`,
  ],
  [
    { uid: 'u', resourceVersion: '8' },
    `${REFUSED} ResourceVersion in the precondition (8) does not match the ResourceVersion in record (7). The object might have been modified`,
  ],
] as const) {
  test(`an object that is meant as ${JSON.stringify(meant)} is ${message === undefined ? 'it' : 'another'}`, () => {
    const check = (): void => checkPreconditions(meant, FOUND);
    if (message === undefined) assert.doesNotThrow(check);
    else assert.throws(check, { message });
  });
}
