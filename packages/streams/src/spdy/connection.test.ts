import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDuplexPair, readAll, StreamCutError, TurnBudget, VirtualClock } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';
import { StreamProtocolError, StreamResetError } from '../errors.ts';
import { createHeaderCodec } from '../node/header-codec.ts';
import { SpdyConnection } from './connection.ts';
import type { SpdyStream } from './lane.ts';
import { dataHead, ping, rstStream } from './frame.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array | undefined): string => new TextDecoder().decode(data);

interface Bench {
  readonly client: SpdyConnection;
  readonly server: SpdyConnection;
  readonly clock: VirtualClock;
  /** The next stream that the server is asked for. */
  readonly next: () => Promise<SpdyStream>;
}

function bench(options: { readonly takes?: boolean } = {}): Bench {
  const clock = new VirtualClock();
  const [near, far] = createDuplexPair();
  const came: SpdyStream[] = [];
  const waiting: ((stream: SpdyStream) => void)[] = [];
  const onStream = (stream: SpdyStream): void => {
    const resolve = waiting.shift();
    if (resolve === undefined) came.push(stream);
    else resolve(stream);
  };
  const server = new SpdyConnection(far, {
    role: 'server',
    codec: createHeaderCodec(),
    clock,
    ...(options.takes === false ? {} : { onStream }),
  });
  const client = new SpdyConnection(near, { role: 'client', codec: createHeaderCodec(), clock });
  return {
    client,
    server,
    clock,
    next: () => {
      const stream = came.shift();
      return stream === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(stream);
    },
  };
}

test('streams carry headers and bytes both ways, and end by halves', async () => {
  const { client, server, next } = bench();
  const opened = await client.open({ streamtype: 'stdin' });
  const other = await client.open({ streamtype: 'stdout' });
  const [stdin, stdout] = [await next(), await next()];
  assert.deepEqual([stdin.headers, stdout.headers], [{ streamtype: 'stdin' }, { streamtype: 'stdout' }]);
  await opened.accepted;
  await opened.bytes.write(bytes('question'));
  await opened.bytes.end();
  assert.equal(text(await readAll(stdin.bytes, 100)), 'question');
  await stdin.bytes.write(bytes('answer'));
  await stdin.bytes.end();
  assert.equal(text(await readAll(opened.bytes, 100)), 'answer');
  await stdout.bytes.write(new Uint8Array(1_000_000));
  const closing = server.close();
  await stdout.bytes.end();
  assert.equal((await readAll(other.bytes, 2_000_000)).length, 1_000_000);
  await Promise.all([closing, client.closed]);
  assert.deepEqual([await client.closed, await server.closed], [undefined, undefined]);
});

test('a stream that is dropped is dropped at the other side; the others go on', async () => {
  const { client, next } = bench();
  const [dropped, kept] = [await client.open({}), await client.open({})];
  const [first, second] = [await next(), await next()];
  dropped.bytes.abort();
  await assert.rejects(first.bytes.read(), (e: Error) => e.cause instanceof StreamResetError);
  await kept.bytes.write(bytes('x'));
  assert.equal(text(await second.bytes.read()), 'x');
  second.bytes.abort();
  await assert.rejects(kept.bytes.read(), (e: Error) => e.cause instanceof StreamResetError);
  client.abort();
});

test('a reset behind the last byte is an end: nothing of what came is lost', async () => {
  const [raw, far] = createDuplexPair();
  const client = new SpdyConnection(far, { role: 'client', codec: createHeaderCodec(), clock: new VirtualClock() });
  const stream = await client.open({});
  await raw.read();
  await raw.write(dataHead(1, 3, false));
  await raw.write(bytes('abc'));
  await raw.write(rstStream(1, 5));
  assert.equal(text(await readAll(stream.bytes, 100)), 'abc');
  await stream.bytes.write(bytes('goes nowhere'));
  await stream.bytes.end();
  await raw.write(ping(2));
  assert.deepEqual(await raw.read(), ping(2));
  client.abort();
});

/** A connection whose other side has said all of `came` and hung up before the first of it is read. */
function hungUp(came: Uint8Array[]): { readonly carrier: Duplex; readonly begin: () => void; readonly broken: Error } {
  const broken = new StreamCutError('read ECONNRESET');
  const begun = Promise.withResolvers<void>();
  let written = 0;
  const carrier: Duplex = {
    read: () => begun.promise.then(() => came.shift() ?? Promise.reject(broken)),
    write: () => (++written > 2 ? Promise.reject(broken) : Promise.resolve()),
    end: () => Promise.reject(broken),
    abort: () => undefined,
    closed: begun.promise.then(() => broken),
  };
  return { carrier, begin: begun.resolve, broken };
}

test('a server that hangs up behind its last byte: what came before is read, what was never ended is cut', async () => {
  const { carrier, begin, broken } = hungUp([
    ...[dataHead(1, 3, false), bytes('abc'), rstStream(1, 5)],
    ...[dataHead(3, 3, false), bytes('def')],
  ]);
  const client = new SpdyConnection(carrier, { role: 'client', codec: createHeaderCodec(), clock: new VirtualClock() });
  const [whole, cut] = [await client.open({}), await client.open({})];
  await Promise.all([whole.bytes.end(), cut.bytes.end()]);
  begin();
  assert.equal(await client.closed, broken);
  assert.equal(text(await readAll(whole.bytes, 100)), 'abc');
  assert.equal(text(await cut.bytes.read()), 'def');
  await assert.rejects(cut.bytes.read(), StreamCutError);
});

test('a slow reader gets all that a server said before it hung up', async () => {
  const piece = new Uint8Array(200 * 1024);
  const pieces = Array.from({ length: 5 }, () => [dataHead(1, piece.length, false), piece]);
  const { carrier, begin } = hungUp([...pieces.flat(), dataHead(1, 0, true), dataHead(3, 1, true), bytes('x')]);
  const client = new SpdyConnection(carrier, { role: 'client', codec: createHeaderCodec(), clock: new VirtualClock() });
  const [output, outcome] = [await client.open({}), await client.open({})];
  begin();
  assert.equal(text(await readAll(outcome.bytes, 10)), 'x');
  await client.closed;
  assert.equal((await readAll(output.bytes, 10_000_000)).length, 5 * piece.length);
  await assert.rejects(output.bytes.write(bytes('late')), StreamCutError);
});

test('nobody there to take a stream', async () => {
  const { client } = bench({ takes: false });
  const stream = await client.open({});
  await assert.rejects(stream.accepted, (error) => error instanceof StreamResetError && error.status === 3);
  client.abort();
});

test('a connection that breaks takes its streams with it, read or not', async () => {
  const { client, server, next } = bench();
  const stream = await client.open({});
  const taken = await next();
  const writing = (async () => {
    for (;;) await stream.bytes.write(new Uint8Array(64 * 1024));
  })();
  client.abort();
  await assert.rejects(writing, Error);
  await assert.rejects(
    (async () => {
      while ((await taken.bytes.read()) !== undefined);
    })(),
    StreamCutError,
  );
  assert.ok((await server.closed) instanceof StreamCutError);
  await assert.rejects(client.open({}), Error);
});

test('a reader that does not read stands for so many bytes and no more', async () => {
  const { client, next } = bench();
  const stream = await client.open({});
  const taken = await next();
  let written = 0;
  const writing = (async () => {
    for (; written < 100; written++) await stream.bytes.write(new Uint8Array(64 * 1024));
    await stream.bytes.end();
  })();
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(written < 20, `${written} pieces were taken`);
  assert.equal((await readAll(taken.bytes, 1e8)).length, 100 * 64 * 1024);
  await writing;
  client.abort();
});

test('who does not end its side in time is dropped', async () => {
  const { server, clock, client } = bench();
  const stream = await client.open({});
  const closing = server.close();
  await clock.advance(10_000);
  await closing;
  await assert.rejects(stream.bytes.read(), Error);
});

async function rawServer(): Promise<{ raw: Duplex; server: SpdyConnection }> {
  const [raw, far] = createDuplexPair();
  const server = new SpdyConnection(far, {
    role: 'server',
    codec: createHeaderCodec(),
    clock: new VirtualClock(),
    onStream: () => undefined,
  });
  return { raw, server };
}

test('a ping comes back as it went; one of our own numbers does not', async () => {
  const { raw, server } = await rawServer();
  await raw.write(ping(2));
  await raw.write(ping(7));
  assert.deepEqual(await raw.read(), ping(7));
  server.abort();
});

for (const [role, ids, everyMs] of [
  ['server', [2, 4], 10_000],
  ['client', [1, 3], 5000],
] as const) {
  test(`a ${role} asks whether anybody is there, and lets go of the other side where it is not`, async () => {
    const clock = new VirtualClock();
    const [near, far] = createDuplexPair();
    const asking = new SpdyConnection(far, { role, codec: createHeaderCodec(), clock });
    for (const id of ids) {
      await clock.advance(everyMs);
      assert.deepEqual(Buffer.from((await near.read()) ?? []), Buffer.from(ping(id)));
      await near.write(ping(id));
    }
    const broken: Duplex = Object.assign(far, { write: () => Promise.reject(new StreamCutError('write ECONNRESET')) });
    assert.equal(broken, far);
    await clock.advance(everyMs);
    assert.match((await asking.closed)?.message ?? '', /ECONNRESET/);
    assert.equal(clock.pending, 0);
  });
}

test('data for no stream is of no meaning: it may have been on its way', async () => {
  const { raw, server } = await rawServer();
  await raw.write(dataHead(9, 3, true));
  await raw.write(bytes('abc'));
  await raw.write(ping(1));
  assert.deepEqual(await raw.read(), ping(1));
  server.abort();
});

test('what is no SPDY ends the connection with a word', async () => {
  const { raw, server } = await rawServer();
  await raw.write(bytes('GET / HTTP/1.1\r\n'));
  await raw.end();
  assert.ok((await server.closed) instanceof StreamProtocolError);
});

test('thousands of frames in one piece leave turns to others', async () => {
  const [near, far] = createDuplexPair();
  const soon: (() => void)[] = [];
  const clock = {
    soon: (run: () => void) => {
      soon.push(run);
      return { cancel: () => undefined };
    },
  };
  const turns = new TurnBudget(clock, 10);
  let taken = 0;
  const counted = {
    take: () => {
      taken++;
      return turns.take();
    },
  };
  const codec = createHeaderCodec();
  const server = new SpdyConnection(far, { role: 'server', codec, clock: new VirtualClock(), turns: counted });
  const empty = dataHead(1, 0, false);
  const flood = new Uint8Array(empty.length * 1000);
  for (let at = 0; at < 1000; at++) flood.set(empty, at * empty.length);
  await near.write(flood);
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await settled();
  assert.equal(taken, 11);
  for (const run of soon.splice(0)) run();
  await settled();
  assert.equal(taken, 21);
  server.abort();
});
