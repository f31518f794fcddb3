import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from './has-code.ts';
import { ApiError } from './request.ts';

const ROWS: readonly (readonly [what: string, thrown: unknown, has: boolean])[] = [
  ['a refusal with this code', new ApiError(403, 'no', 'Forbidden'), true],
  ['a refusal with another', new ApiError(404, 'no', 'NotFound'), false],
  ['what broke on the way', new TypeError('Failed to fetch'), false],
  ['a code of another sort', Object.assign(new Error('no'), { code: '403' }), false],
  ['nothing', undefined, false],
  ['a text', '403', false],
  ['null', null, false],
];
for (const [what, thrown, has] of ROWS) test(what, () => equal(hasCode(thrown, 403), has));
