import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseRule } from './rule-text.ts';
import { compactRules, describeRule, findUncovered } from './rule-cover.ts';

describe('what of the wanted rule is not owned', () => {
  const rows: readonly (readonly [
    name: string,
    owned: readonly string[],
    wanted: string,
    missing: readonly string[],
  ])[] = [
    ['the same', ['core pods : get'], 'core pods : get', []],
    ['a verb more', ['core pods : get'], 'core pods : get list', ['core pods : list']],
    ['several rules together', ['core pods : get', 'core pods : list'], 'core pods : get list', []],
    ['all verbs', ['core pods : *'], 'core pods : get deletecollection', []],
    ['all verbs are wanted', ['core pods : read'], 'core pods : *', ['core pods : *']],
    ['all resources', ['core * : get'], 'core pods pods/log : get', []],
    ['a subresource', ['core pods : get'], 'core pods/log : get', ['core pods/log : get']],
    ['a subresource of all', ['core */scale : get'], 'core replicationcontrollers/scale : get', []],
    ['another group', ['apps deployments : get'], 'core,apps deployments : get', ['core deployments : get']],
    ['one name of all', ['core secrets : get'], 'core secrets [a] : get', []],
    ['one name of two', ['core secrets [a] : get'], 'core secrets [a b] : get', ['core secrets [b] : get']],
    ['all names where one is owned', ['core secrets [a] : get'], 'core secrets : get', ['core secrets : get']],
    ['a path under a star', ['url /api/* : get'], 'url /api/v1 : get', []],
    ['another path', ['url /api : get'], 'url /api /apis : get', ['url /apis : get']],
  ];
  for (const [name, owned, wanted, missing] of rows) {
    test(name, () => {
      assert.deepEqual(findUncovered(owned.map(parseRule), [parseRule(wanted)]), missing.map(parseRule));
    });
  }
});

test('rules that differ in their verbs become one; the text is Go’s', () => {
  const rules = compactRules(['core pods [a] : get', 'core pods [a] : list', 'url /x : get'].map(parseRule));
  assert.deepEqual(rules.map(describeRule), [
    '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}',
    '{NonResourceURLs:["/x"], Verbs:["get"]}',
  ]);
});
