import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cpuMs } from '@binnacle/base/testing';
import { Claims } from './claims.ts';
import type { Destination } from './render-service.ts';

function linesOf(claims: Claims): string[] {
  const lines = { removed: [] as string[], added: [] as string[] };
  claims.take('t', lines);
  return [...lines.removed, ...lines.added];
}

const to = (forward: string, rank: 0 | 1 = 1): Destination => ({ rank, forward });

test('lower rank, then the first by name; the next one when it goes', () => {
  const claims = new Claims({ forward: 'm' });
  claims.put('k', 'b', to('B'));
  assert.deepEqual(linesOf(claims), ['add element t m { k : B }']);
  claims.put('k', 'a', to('A'));
  assert.deepEqual(linesOf(claims), ['delete element t m { k }', 'add element t m { k : A }']);
  claims.put('k', 'z', to('Z', 0));
  claims.put('k', 'c', to('C'));
  assert.deepEqual(linesOf(claims), ['delete element t m { k }', 'add element t m { k : Z }']);
  claims.put('k', 'a', undefined);
  assert.deepEqual(linesOf(claims), []);
  claims.put('k', 'z', undefined);
  assert.deepEqual(linesOf(claims), ['delete element t m { k }', 'add element t m { k : B }']);
  claims.put('k', 'b', undefined);
  claims.put('k', 'c', undefined);
  assert.deepEqual(linesOf(claims), ['delete element t m { k }']);
  assert.equal(claims.size, 0);
});

test('endpoints that change are told to the maps of their numbers', () => {
  const claims = new Claims({ forward: 'm' });
  const spread = (...places: string[]): Destination => ({
    rank: 0,
    forward: `spread-${places.length}`,
    endpoints: { protocol: 'udp', key: 'k . 53', places },
  });
  claims.put('k', 'a', spread('x', 'y'));
  assert.deepEqual(linesOf(claims), [
    'add element t m { k : spread-2 }',
    'add element t udp-endpoints-0 { k . 53 : x }',
    'add element t udp-endpoints-1 { k . 53 : y }',
  ]);
  claims.put('k', 'a', spread('x', 'z'));
  assert.deepEqual(linesOf(claims), [
    'delete element t udp-endpoints-1 { k . 53 }',
    'add element t udp-endpoints-1 { k . 53 : z }',
  ]);
  claims.put('k', 'b', spread('v'));
  assert.deepEqual(linesOf(claims), [], 'who has it is asked alone');
  claims.put('k', 'a', undefined);
  assert.deepEqual(linesOf(claims), [
    'delete element t m { k }',
    'delete element t udp-endpoints-0 { k . 53 }',
    'delete element t udp-endpoints-1 { k . 53 }',
    'add element t m { k : spread-1 }',
    'add element t udp-endpoints-0 { k . 53 : v }',
  ]);
});

test('there and back is no change; parts are elements of maps of their own', () => {
  const claims = new Claims({ forward: 'm', filter: 'f' });
  claims.put('k', 'a', { rank: 0, forward: 'A' });
  linesOf(claims);
  claims.put('k', 'a', undefined);
  claims.put('k', 'a', { rank: 0, forward: 'A' });
  assert.deepEqual(linesOf(claims), []);
  claims.put('k', 'a', { rank: 0, filter: 'drop' });
  assert.deepEqual(linesOf(claims), ['delete element t m { k }', 'add element t f { k : drop }']);
});

test('whatever is claimed and given up, the first has it', () => {
  const step = fc.record({
    key: fc.constantFrom('k', 'l'),
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    rank: fc.constantFrom(0 as const, 1 as const),
    gives: fc.boolean(),
    isTold: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const claims = new Claims({ forward: 'm' });
      const naive = new Map<string, Map<string, Destination>>([
        ['k', new Map()],
        ['l', new Map()],
      ]);
      const machine = new Map<string, string>();
      const tell = (): void => {
        const lines = { removed: [] as string[], added: [] as string[] };
        claims.take('t', lines);
        const parts = (line: string): string[] => line.replace(/^.*\{ | \}$/g, '').split(', ');
        for (const key of lines.removed.flatMap(parts)) assert.ok(machine.delete(key));
        for (const pair of lines.added.flatMap(parts)) {
          const [key = '', value = ''] = pair.split(' : ');
          assert.ok(!machine.has(key));
          machine.set(key, value);
        }
      };
      for (const [at, { key, id, rank, gives, isTold }] of steps.entries()) {
        const claim = gives ? undefined : to(`${id}${at}`, rank);
        claims.put(key, id, claim);
        if (claim === undefined) naive.get(key)?.delete(id);
        else naive.get(key)?.set(id, claim);
        if (isTold) tell();
      }
      tell();
      const wanted = [...naive].flatMap(([key, all]) => {
        const [first] = [...all].sort(([a, x], [b, y]) => x.rank - y.rank || (a < b ? -1 : 1));
        return first === undefined ? [] : [[key, first[1].forward]];
      });
      assert.deepEqual([...machine].sort(), wanted.sort());
    }),
    { seed: 36, numRuns: 2000 },
  );
});

test('thousands who claim the same', () => {
  const claims = new Claims({ forward: 'm' });
  const ms = cpuMs(() => {
    for (let at = 0; at < 50_000; at++) claims.put('k', `s${at}`, to(`${at}`));
    for (let at = 49_999; at > 0; at--) claims.put('k', `s${at}`, undefined);
  });
  assert.deepEqual(linesOf(claims), ['add element t m { k : 0 }']);
  assert.ok(ms < 2000, `${ms}`);
});
