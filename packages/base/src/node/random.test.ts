import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secureRandom } from './index.ts';

test('UUIDs are of version 4, no two alike, and any letter may stand wherever chance has a say', () => {
  const seen = new Set<string>();
  const letters = Array.from({ length: 36 }, () => new Set<string>());
  // More than the pool has room for, so that it is filled anew in between.
  for (let n = 0; n < 4000; n++) {
    const uuid = secureRandom.uuid();
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    seen.add(uuid);
    for (const [at, letter] of uuid.split('').entries()) letters[at]?.add(letter);
  }
  assert.equal(seen.size, 4000);
  const fixed = new Map([8, 13, 14, 18, 23].map((at) => [at, 1]));
  for (const [at, found] of letters.entries()) assert.equal(found.size, fixed.get(at) ?? (at === 19 ? 4 : 16), `${at}`);
});

test('bytes, numbers and UUIDs are drawn side by side', () => {
  const drawn = Array.from({ length: 3000 }, () => [
    secureRandom.uint32(),
    secureRandom.uuid(),
    secureRandom.bytes(8).join(),
  ]);
  assert.equal(new Set(drawn.map(([, uuid]) => uuid)).size, 3000);
  assert.equal(new Set(drawn.map(([, , bytes]) => bytes)).size, 3000);
});
