import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointsOf } from './explanation.ts';

for (const [name, by, plugin, points] of [
  ['what it gave', { Fit: 5 }, 'Fit', 5],
  ['nothing, where it has no say', { Fit: 5 }, 'Spread', 0],
  ['nothing, where it is called like a member of every object', {}, 'constructor', 0],
] as const)
  test(`points of a plugin: ${name}`, () => assert.equal(pointsOf(by, plugin), points));
