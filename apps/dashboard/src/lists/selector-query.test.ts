import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { selectorQuery } from './selector-query.ts';

for (const [labels, fields, query] of [
  ['', '', ''],
  ['a=b', '', 'labelSelector=a%3Db'],
  ['', 'spec.nodeName=a,status.phase!=Running', 'fieldSelector=spec.nodeName%3Da%2Cstatus.phase!%3DRunning'],
  ['a in (b, c)&x=y', 'd=e', 'labelSelector=a%20in%20(b%2C%20c)%26x%3Dy&fieldSelector=d%3De'],
] as const) {
  test(`labels "${labels}", fields "${fields}"`, () => equal(selectorQuery({ labels, fields }), query));
}
