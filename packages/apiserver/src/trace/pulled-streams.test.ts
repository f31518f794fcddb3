import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '@binnacle/base/testing';
import type { StreamReply } from '../catalogue/definition.ts';
import { parseQuery } from '../request/query.ts';
import { PulledStreams } from './pulled-streams.ts';
import type { StreamSource, Told } from './pulled-streams.ts';

const SETTLE_MS = 50;

/** A source that tells what was put into it. */
class Notes implements StreamSource {
  readonly clock = new VirtualClock();
  readonly settleMs = SETTLE_MS;
  readonly asked: boolean[] = [];
  readonly followers = new Set<() => void>();
  notes: string[] = [];
  /** How often it still has something that is not to be told yet. */
  held = 0;

  follow(onChange: () => void): () => void {
    this.followers.add(onChange);
    return () => this.followers.delete(onChange);
  }

  next(isFirst: boolean): Told {
    this.asked.push(isFirst);
    const pieces = [this.notes.join('')];
    this.notes = [];
    return this.held-- > 0 ? { pieces, isMore: true } : { pieces };
  }

  put(note: string): void {
    this.notes.push(note);
    for (const changed of this.followers) changed();
  }
}

function open(streams: PulledStreams, source: StreamSource, query = '', user = 'u'): StreamReply {
  const reply = streams.open({ query: parseQuery(query), user: { name: user, groups: [] } }, source);
  assert.ok(reply.kind === 'stream');
  return reply;
}

function reader({ body }: StreamReply): () => Promise<string | undefined> {
  const pieces = body[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await pieces.next();
    return done === true ? undefined : new TextDecoder().decode(value as Uint8Array);
  };
}

describe('a stream that its reader pulls', () => {
  test('tells what is there at once, and what changes together once it has settled', async () => {
    const source = new Notes();
    source.notes = ['there;'];
    const read = reader(open(new PulledStreams(), source));
    assert.equal(await read(), 'there;');
    const next = read();
    await source.clock.advance(0);
    source.put('one;');
    await source.clock.advance(SETTLE_MS - 1);
    source.put('two;');
    assert.deepEqual(source.asked, [true], 'not asked before the time is over');
    await source.clock.advance(1);
    assert.equal(await next, 'one;two;');
    assert.deepEqual(source.asked, [true, false]);
  });

  test('a change while nobody pulls is told at the next pull, once', async () => {
    const source = new Notes();
    source.notes = ['there;'];
    const read = reader(open(new PulledStreams(), source));
    await read();
    source.put('one;');
    source.put('two;');
    assert.equal(source.clock.pending, 1, 'only its deadline waits');
    const next = read();
    await source.clock.advance(SETTLE_MS);
    assert.equal(await next, 'one;two;');
    assert.equal(source.clock.pending, 1);
  });

  test('what is not to be told yet is asked for again with no further change', async () => {
    const source = new Notes();
    source.notes = ['there;'];
    source.held = 1;
    const read = reader(open(new PulledStreams(), source));
    await read();
    source.notes = ['ripe;'];
    const next = read();
    await source.clock.advance(SETTLE_MS);
    assert.equal(await next, 'ripe;');
  });

  const ends: readonly {
    readonly name: string;
    readonly query: string;
    readonly end: (at: { streams: PulledStreams; reply: StreamReply; source: Notes }) => unknown;
  }[] = [
    { name: 'the time that it names', query: 'timeoutSeconds=7', end: ({ source }) => source.clock.advance(7_000) },
    { name: 'an hour where it names none', query: '', end: ({ source }) => source.clock.advance(3_600_000) },
    { name: 'its reader', query: '', end: ({ reply }) => reply.cancel() },
    { name: 'the server', query: '', end: ({ streams }) => streams.close() },
  ];
  for (const { name, query, end } of ends) {
    test(`ends by ${name}, and leaves no timer and no follower`, async () => {
      const source = new Notes();
      const streams = new PulledStreams();
      const reply = open(streams, source, query);
      const over = reader(reply)();
      await source.clock.advance(0);
      source.put('');
      await end({ streams, reply, source });
      assert.equal(await over, undefined);
      assert.equal(source.clock.pending, 0);
      assert.equal(source.followers.size, 0);
    });
  }

  // As with every other watch a time of none is no time.
  for (const [query, lastsMs] of [
    ['timeoutSeconds=7', 7_000],
    ['timeoutSeconds=0', 3_600_000],
    ['timeoutSeconds=-1', 3_600_000],
  ] as const) {
    test(`lasts until its time: ${query}`, async () => {
      const source = new Notes();
      reader(open(new PulledStreams(), source, query))().catch(assert.ifError);
      await source.clock.advance(lastsMs - 1);
      assert.equal(source.followers.size, 1);
      await source.clock.advance(1);
      assert.equal(source.followers.size, 0);
    });
  }

  test('a source that fails gives its place back', async () => {
    const source = new Notes();
    const streams = new PulledStreams();
    source.next = () => {
      throw new TypeError('no');
    };
    await assert.rejects(reader(open(streams, source))(), TypeError);
    assert.deepEqual([source.clock.pending, source.followers.size], [0, 0]);
  });

  test('thirty-two of one user are open at the most, whoever they say they are; others have their places', async () => {
    const source = new Notes();
    const streams = new PulledStreams();
    for (let i = 0; i < 31; i++) open(streams, source);
    const first = open(streams, source, 'timeoutSeconds=1');
    assert.throws(() => open(streams, source), { code: 'TooManyRequests' });
    const [query, user, impersonator] = [parseQuery(''), { name: 'v', groups: [] }, { name: 'u', groups: [] }];
    assert.throws(() => streams.open({ query, user, impersonator }, source), { code: 'TooManyRequests' });
    open(streams, source, '', 'v');
    for (let i = 0; i < 32; i++) open(streams, source, '', `system:serviceaccount:a:${i}`);
    assert.throws(() => open(streams, source, '', 'system:serviceaccount:a:x'), { code: 'TooManyRequests' });
    open(streams, source, '', 'system:serviceaccount:b:x');
    await source.clock.advance(1_000);
    const second = open(streams, source);
    assert.throws(() => open(streams, source), { code: 'TooManyRequests' });
    second.cancel();
    first.cancel();
    open(streams, source);
    assert.throws(() => open(streams, source), { code: 'TooManyRequests' });
    streams.close();
    assert.equal(source.followers.size, 0);
  });

  test('five hundred and twelve are open in all', () => {
    const source = new Notes();
    const streams = new PulledStreams();
    for (let i = 0; i < 512; i++) open(streams, source, '', `u${i % 32}`);
    assert.throws(() => open(streams, source, '', 'v'), { code: 'TooManyRequests' });
    streams.close();
    open(streams, source, '', 'v');
  });
});
