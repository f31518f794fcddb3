import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { reasonIn } from './exec-socket.ts';

for (const [text, reason] of [
  ['{"status":"Success"}', 'the command ended'],
  ['{"status":"Failure","message":"command terminated with exit code 3"}', 'command terminated with exit code 3'],
  ['no status', 'no status'],
] as const)
  test(text, () => equal(reasonIn(text), reason));
