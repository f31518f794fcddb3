import { createSeededRandom, randomBelow, randomFloat } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import { allocateSeats } from './allocate-seats.ts';
import type { SeatClaim } from './allocate-seats.ts';

const ROWS: readonly (readonly [
  name: string,
  total: number,
  claims: readonly SeatClaim[],
  seats: readonly number[],
])[] = [
  ['nobody', 10, [], []],
  ['no bound holds: by target', 12, [claim(1), claim(2), claim(3)], [2, 4, 6]],
  ['a lower bound holds', 10, [claim(6, 6), claim(2), claim(2)], [6, 2, 2]],
  ['an upper bound holds', 12, [claim(4, 0, 4), claim(4), claim(4)], [4, 4, 4]],
  ['what one may not have goes to the others', 12, [claim(4, 0, 2), claim(4), claim(4)], [2, 5, 5]],
  ['too little even for the lower bounds', 3, [claim(2, 2), claim(2, 2)], [2, 2]],
  ['more than the upper bounds', 30, [claim(2, 0, 5), claim(2, 0, 6)], [5, 6]],
  ['nobody wants anything: alike', 10, [claim(0), claim(0)], [5, 5]],
];

function claim(target: number, lowest = 0, highest = 1000): SeatClaim {
  return { target, lowest, highest };
}

for (const [name, total, claims, seats] of ROWS) {
  test(name, () => {
    const given = allocateSeats(total, claims).seats;
    assert.equal(given.length, seats.length);
    for (const [i, value] of given.entries()) assert.ok(Math.abs(value - (seats[i] ?? 0)) < 1e-6, given.join(' '));
  });
}

test('the sum is the total, within everybody’s bounds, by one fraction', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = createSeededRandom(seed);
    const claims = Array.from({ length: 1 + randomBelow(random, 8) }, () => {
      const lowest = randomBelow(random, 20);
      return { lowest, target: lowest + 30 * randomFloat(random), highest: lowest + randomBelow(random, 100) };
    });
    const low = claims.reduce((sum, { lowest }) => sum + lowest, 0);
    const high = claims.reduce((sum, { highest }) => sum + highest, 0);
    const total = low + Math.floor((high - low) * randomFloat(random));
    const { seats, fairFraction } = allocateSeats(total, claims);
    assert.ok(Math.abs(seats.reduce((sum, one) => sum + one, 0) - total) < 1e-6, `seed ${seed}`);
    for (const [i, { target, lowest, highest }] of claims.entries()) {
      const fair = Math.min(highest, Math.max(lowest, fairFraction * Math.max(target, 0.001)));
      assert.ok(Math.abs((seats[i] ?? 0) - fair) < 1e-6, `seed ${seed}`);
    }
  }
});
