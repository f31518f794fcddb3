import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditIdOf, requestId } from './exchange.ts';

const OWN = '01234567-89ab-4cde-8f01-23456789abcd';
const OTHER = 'f1234567-89ab-4cde-8f01-23456789abcd';

for (const [what, auditId] of [
  ['the server', OWN],
  ['a client, a UUID', OTHER],
  ['a client, a letter', 'a'],
  ['a client, another request', `${OTHER}:${OWN}`],
  ['a client, what divides', ':'],
] as const) {
  test(`an audit ID that ${what} chose is found again, and is the ID of no other request`, () => {
    assert.equal(auditIdOf(requestId(auditId, OWN)), auditId);
    assert.notEqual(requestId(auditId, OWN), requestId(auditId, OTHER));
  });
}
