import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, WatchEvent } from '@binnacle/machinery';
import type { StreamReply } from '../catalogue/definition.ts';
import { watchPassedOn } from './passed-on.ts';

/** An answer in these pieces. */
function answer(pieces: readonly string[]): StreamReply & { readonly over: () => boolean } {
  let cancelled = false;
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield new TextEncoder().encode(piece);
  }
  const cancel = (): void => void (cancelled = true);
  return { kind: 'stream', code: 200, contentType: 'application/json', body: body(), cancel, over: () => cancelled };
}

const line = (name: string): string => `${JSON.stringify({ type: 'ADDED', object: { metadata: { name } } })}\n`;

/** What a watch tells before it ends, and how it ends. */
async function told(pieces: readonly string[], turn: () => Promise<void> | undefined = () => undefined) {
  const names: (string | undefined)[] = [];
  const events = (batch: readonly WatchEvent<KubeObject>[]): void =>
    void names.push(...batch.map(({ object }) => object.metadata.name));
  const reply = answer(pieces);
  const end = await watchPassedOn(reply, 'the watch', { events, turn });
  assert.equal(reply.over(), true);
  return { names, end };
}

test('events are told as they were said, however their lines are cut', async () => {
  const whole = line('a') + '\n  \n' + line('ä') + line('c');
  for (const size of [1, 2, 7, 40, 1000]) {
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
      whole.slice(i * size, (i + 1) * size),
    );
    assert.deepEqual(await told(pieces), { names: ['a', 'ä', 'c'], end: undefined });
  }
});

const BAD: readonly [name: string, text: string][] = [
  ['no JSON', 'x\n'],
  ['null', 'null\n'],
  ['an error', '{"type":"ERROR","object":{"code":410}}\n'],
];
for (const [name, text] of BAD) {
  test(`${name} ends it with an error, and what was told before stays told`, async () => {
    const { names, end } = await told([line('a') + text + line('b')]);
    assert.deepEqual(names, ['a']);
    assert.ok(end instanceof Error);
  });
}

test('an event that does not end is not kept', async () => {
  const { end } = await told(Array.from({ length: 17 }, () => 'x'.repeat(1 << 20)));
  assert.match(String(end), /too long/);
});

test('each event waits for its turn, so that a flood of them keeps nobody waiting', async () => {
  let asked = 0;
  const never = Promise.withResolvers<void>();
  const names: string[] = [];
  const reply = answer([line('a') + line('b') + line('c')]);
  const events = (batch: readonly WatchEvent<KubeObject>[]): void =>
    void names.push(...batch.map(({ object }) => object.metadata.name ?? ''));
  const turn = (): Promise<void> | undefined => (++asked === 2 ? never.promise : undefined);
  const ended = watchPassedOn(reply, 'the watch', { events, turn });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(names, ['a']);
  never.resolve();
  await ended;
  assert.deepEqual([names, asked], [['a', 'b', 'c'], 3]);
});
