/** One `nft` that stays open, in a network namespace. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { VirtualClock } from '@binnacle/base/testing';
import { NftSession } from './nft-session.ts';
import type { NftSessionOptions } from './nft-session.ts';

const NS = `bnft${process.pid}`;
const PREFIX = ['ip', 'netns', 'exec', NS];
const inside = (...words: readonly string[]): string =>
  execFileSync('ip', ['netns', 'exec', NS, ...words], { encoding: 'utf8' });
/** The processes in the namespace. */
const processes = (): string[] =>
  execFileSync('ip', ['netns', 'pids', NS], { encoding: 'utf8' }).split('\n').filter(Boolean);
const ELEMENTS = 'ip t numbers';

before(() => {
  execFileSync('ip', ['netns', 'add', NS]);
  inside('nft', 'add table ip t; add set ip t numbers { type mark; }');
});
after(() => execFileSync('ip', ['netns', 'del', NS]));

async function withSession(
  body: (session: NftSession) => Promise<void>,
  more: Partial<NftSessionOptions> = {},
): Promise<void> {
  const session = new NftSession({ clock: realClock, log: silentLogger, prefix: PREFIX, ...more });
  try {
    await body(session);
  } finally {
    await session.close();
  }
  assert.deepEqual(processes(), [], 'nothing is left');
}

const add = (number: number): string => `add element ${ELEMENTS} { ${number} }`;
const gone = (number: number): string => `delete element ${ELEMENTS} { ${number} }`;
const has = (number: number): boolean =>
  inside('nft', 'list', 'set', ...ELEMENTS.split(' ')).includes(`0x${number.toString(16).padStart(8, '0')}`);

test('batches in their order by one process; one that is wrong changes nothing, and the next one holds', async () => {
  await withSession(async (session) => {
    assert.equal(await session.apply([add(1), add(2)]), true);
    const [first] = processes();
    await assert.rejects(session.apply([add(3), gone(4)]), { code: 'network', message: /No such file or directory/ });
    await assert.rejects(session.apply(['add element ip t numbers { 5 } }']), { message: /syntax error/ });
    assert.equal(has(3), false, 'all or nothing');
    assert.equal(has(1) && has(2), true);
    const turns = [gone(1), add(1), gone(1), add(6)].map((line) => session.apply([line]));
    assert.deepEqual(await Promise.all(turns), [true, true, true, true]);
    assert.equal(has(1), false);
    assert.equal(has(6), true);
    assert.deepEqual(processes(), [first]);
  });
});

test('what others changed meanwhile is known', async () => {
  await withSession(async (session) => {
    await session.apply([add(20)]);
    inside('nft', 'flush', 'ruleset');
    await assert.rejects(session.apply([add(21)]), { code: 'network' });
    inside('nft', 'add table ip t; add set ip t numbers { type mark; }');
    assert.equal(await session.apply([add(21)]), true);
    assert.equal(has(21), true);
  });
});

test('one that died is replaced; so is one that was told much', async () => {
  await withSession(async (session) => {
    await session.apply([add(30)]);
    const [first = ''] = processes();
    process.kill(Number(first), 'SIGKILL');
    // Whether its death is known by now or is met: the batch after that holds.
    if (!(await session.apply([add(31)]))) assert.equal(await session.apply([add(31)]), true);
    const [second] = processes();
    assert.notEqual(second, first);
    const many = Array.from({ length: 1500 }, (_, at) => add(1000 + at));
    for (let round = 0; round < 20; round++) assert.equal(await session.apply(many), true);
    await session.apply([add(32)]);
    assert.equal(has(32), true);
    assert.ok(!processes().includes(second ?? '') || processes().length > 1, 'another process');
  });
});

test('what one line cannot hold is not taken', async () => {
  await withSession(async (session) => {
    assert.equal(await session.apply([`${add(40)} # all that follows`, add(41)]), false);
    assert.equal(await session.apply([`${add(40)}\n${add(41)}`]), false);
    assert.equal(await session.apply(Array.from({ length: 3000 }, () => add(40))), false);
    assert.equal(has(40), false);
  });
});

test('it ends when nothing was asked for a while, and begins anew', async () => {
  const clock = new VirtualClock();
  await withSession(
    async (session) => {
      await session.apply([add(50)]);
      const [first] = processes();
      await clock.advance(9_000);
      await session.apply([add(51)]);
      await clock.advance(9_000);
      await session.apply([add(52)]);
      assert.deepEqual(processes(), [first]);
      await clock.advance(10_000);
      assert.equal(await session.apply([add(53)]), true);
      assert.notEqual(processes().at(-1), first);
    },
    { clock },
  );
});

test('an nft without an interactive mode is asked once', async () => {
  const prefix = [
    ...PREFIX,
    'sh',
    '-c',
    'nft add element ip t numbers { $(date +1%N) }; echo "Error: not built" >&2; exit 1',
  ];
  await withSession(
    async (session) => {
      inside('nft', 'flush', 'set', 'ip', 't', 'numbers');
      assert.equal(await session.apply([add(60)]), false);
      assert.equal(await session.apply([add(61)]), false);
      assert.equal(inside('nft', 'list', 'set', 'ip', 't', 'numbers').match(/0x/g)?.length, 1, 'one call');
    },
    { prefix },
  );
});
