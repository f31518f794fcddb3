import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGroup, podsGroup } from './cgroup-root.ts';

const rows: readonly [cgroupRoot: string, group: string][] = [
  ['', '/kubepods'],
  ['/', '/kubepods'],
  ['/a/b', '/a/b/kubepods'],
  ['a', '/a/kubepods'],
  ['//a///b/', '/a/b/kubepods'],
  ['/system.slice/ü', '/system.slice/ü/kubepods'],
];
for (const [cgroupRoot, group] of rows)
  test(`pods are in ${group} with the root ${JSON.stringify(cgroupRoot)}`, () => {
    assert.equal(podsGroup(cgroupRoot), group);
    assert.equal(isGroup(group), true);
  });

for (const odd of ['/a/../b', '..', '/a/.', '/a\nb', '/a\0b', `/${'a'.repeat(256)}`, '/a'.repeat(600)])
  test(`no path of a group: ${JSON.stringify(odd.slice(0, 20))}`, () => {
    assert.throws(() => podsGroup(odd), /is no path of a control group$/);
    assert.equal(isGroup(odd), false);
  });

test('what is no whole path is none', () => {
  for (const odd of ['', '/', 'a', '/a/', '//a', undefined, 7, ['/a']]) assert.equal(isGroup(odd), false);
});
