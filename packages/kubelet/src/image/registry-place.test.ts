import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '@binnacle/base/testing';
import { entriesFor, isMeantFor } from './registry-place.ts';

const rows: readonly [place: string, repository: string, wanted: boolean][] = [
  ['*.example.com', 'a.example.com', true],
  ['a.*.com', 'a.example.com', true],
  ['a.example.*', 'a.example.com', true],
  ['*-prod.example.com', 'eu-prod.example.com', true],
  ['e*d.example.com', 'eu-prod.example.com', true],
  ['e*p*d.example.com', 'eu-prod.example.com', true],
  ['e*x*d.example.com', 'eu-prod.example.com', false],
  ['**.example.com', 'a.example.com', true],
  ['*.example.com', '*.example.com', true],
  // As many labels as there are: a star is one of them.
  ['*.example.com', 'example.com', false],
  ['*.*.example.com', 'a.example.com', false],
  ['*.*.example.com', 'a.b.example.com', true],
  ['*.example.com', 'a.b.example.com', false],
  ['*', 'example.com', false],
  ['*', 'localhost', true],
  ['*.com', 'example.org', false],
  ['Example.com', 'example.com', false],
  // One character of some.
  ['e[a-z].example.com', 'eu.example.com', true],
  ['e[xu].example.com', 'eu.example.com', true],
  ['e[a-cx-z].example.com', 'eu.example.com', false],
  ['e[a-z]*.example.com', 'eu-west.example.com', true],
  // No patterns, or no hosts as addresses have them.
  ['e[u.example.com', 'eu.example.com', false],
  ['e[].example.com', 'eu.example.com', false],
  ['e[a-].example.com', 'ea.example.com', false],
  ['e[-a].example.com', 'ea.example.com', false],
  ['[e]u.example.com', 'eu.example.com', false],
  ['e[^a].example.com', 'eu.example.com', false],
  ['e?.example.com', 'eu.example.com', false],
  [String.raw`\eu.example.com`, 'eu.example.com', false],
  ['a b', 'a b', false],
  ['a:b:5000', 'a:b:5000', false],
  // Ports are the same, and never a pattern.
  ['*.example.com:5000', 'a.example.com:5000/x', true],
  ['*.example.com:5000', 'a.example.com:5001/x', false],
  ['*.example.com', 'a.example.com:5000', false],
  ['*.example.com:5000', 'a.example.com', false],
  ['*.example.com:*', 'a.example.com:5000', false],
  ['localhost:5000', 'localhost:5000/x', true],
  ['[::1]:5000', '[::1]:5000/x', true],
  // A path is what the other one begins with, wherever that ends; never a pattern.
  ['example.com/team', 'example.com/team/app', true],
  ['example.com/team', 'example.com/teams', true],
  ['example.com/team/', 'example.com/team', false],
  ['example.com/team/app', 'example.com/team', false],
  ['example.com/*', 'example.com/team', false],
  ['example.com/', 'example.com/team', true],
  ['example.com?x', 'example.com/team', true],
  ['example.com/te%61m', 'example.com/team', true],
  ['example.com/%', 'example.com/%', false],
  // A scheme is none of it.
  ['https://example.com', 'example.com', false],
  ['', 'example.com', false],
];
for (const [place, repository, wanted] of rows)
  test(`${place} is ${wanted ? '' : 'not '}meant for ${repository}`, () =>
    assert.equal(isMeantFor(place, repository), wanted));

test('hostile patterns take little time', () => {
  const place = `${'*a'.repeat(120)}b.example.com`;
  const entries = Array.from({ length: 1_000 }, () => ({ place }));
  const ms = cpuMs(() => assert.deepEqual(entriesFor(entries, `${'a'.repeat(63)}.example.com/x`), []));
  assert.ok(ms < 2_000, `${ms}`);
});
