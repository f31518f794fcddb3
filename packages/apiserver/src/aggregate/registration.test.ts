import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { APIService } from '@binnacle/api/apiregistration/v1';
import { AUTOMANAGED, decideRegistration } from './registration.ts';

const spec = { group: 'g', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 };
const object = (keeper?: string, change: object = {}): APIService => ({
  metadata: { name: 'v1.g', uid: 'u', labels: keeper === undefined ? {} : { [AUTOMANAGED]: keeper } },
  spec: { ...spec, ...change },
});
const wanted = (always: boolean) => ({ name: 'v1.g', always, object: object(always ? 'true' : 'onstart') });
const OTHER = { versionPriority: 7 };

// Rows: wanted (not, at the start, always), what is there, whether it is the start, what is done.
for (const [want, current, atStart, done] of [
  [undefined, undefined, true, undefined],
  [undefined, object('true'), false, 'delete'],
  [undefined, object('onstart'), true, 'delete'],
  [undefined, object('onstart'), false, undefined],
  [undefined, object(), true, undefined],
  [wanted(false), undefined, true, 'create'],
  [wanted(false), undefined, false, undefined],
  [wanted(false), object('onstart', OTHER), true, 'update'],
  [wanted(false), object('onstart', OTHER), false, undefined],
  [wanted(false), object(undefined, OTHER), true, undefined],
  [wanted(true), undefined, false, 'create'],
  [wanted(true), object('true', OTHER), false, 'update'],
  [wanted(true), object('true'), false, undefined],
  [wanted(true), object('true', { service: null, insecureSkipTLSVerify: false }), false, undefined],
  [wanted(true), object(undefined, OTHER), false, undefined],
] as const) {
  const keeper = current?.metadata.labels?.[AUTOMANAGED] ?? 'nobody';
  const there = current === undefined ? 'nothing' : `kept by ${keeper}`;
  const sort = want === undefined ? 'not wanted' : want.always ? 'always wanted' : 'wanted at the start';
  test(`${sort}, ${there}, ${atStart ? 'at the start' : 'later'}: ${done ?? 'nothing'} is done`, () => {
    assert.equal(decideRegistration({ wanted: want, current, atStart })?.kind, done);
  });
}
