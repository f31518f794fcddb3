/**
 * Frames of HTTP/2 that cost their sender nothing, by the thousand, over real sockets: whatever comes of the connection
 * that sends them, another one is answered meanwhile and afterwards, and little memory is kept.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { startListeningServer } from './testing/listening-server.ts';
import type { ListeningServer } from './testing/listening-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEADLINE_MS = 60_000;
/** What is kept of a flood when its connection is gone, with what the tests themselves leave to be collected. */
const KEPT_BYTES_MAX = 256 << 20;

let started: ListeningServer;
let other: ClientHttp2Session;

before(async () => {
  started = await startListeningServer();
  other = connect(`https://127.0.0.1:${started.listener.port}`, { ca: started.certificates.ca });
  await once(other, 'connect');
});

after(async () => {
  other.close();
  await started.close();
});

interface FrameHead {
  readonly type: number;
  readonly flags?: number;
  readonly stream?: number;
}

function frame({ type, flags = 0, stream = 0 }: FrameHead, payload: readonly number[] = []): Buffer {
  const size = payload.length;
  const bytes = Buffer.from([size >> 16, (size >> 8) & 255, size & 255, type, flags, 0, 0, 0, 0, ...payload]);
  bytes.writeUInt32BE(stream, 5);
  return bytes;
}

const [DATA, HEADERS, PRIORITY, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION] = [0, 1, 2, 4, 6, 8, 9];
const [END_STREAM, END_HEADERS, PADDED] = [1, 4, 8];
/** A method, https and the path of a list, as HPACK writes them. */
const PATH = [0x87, 0x04, MAPS.length, ...Buffer.from(MAPS)];
const [GET, POST] = [
  [0x82, ...PATH],
  [0x83, ...PATH],
];
/** A header whose name and value go into the table of known ones, larger than that is by default. */
const LARGE = [0x40, 1, 0x61, 0x7f, 0x81, 0x1e, ...Buffer.alloc(4096, 0x62)];

/** What is sent first, once, and then again and again. */
interface Flood {
  readonly first?: readonly Buffer[];
  readonly again: (n: number) => Buffer;
  readonly times: number;
}

const FLOODS: readonly [name: string, flood: Flood][] = [
  ['pings', { again: () => frame({ type: PING }, Array(8).fill(7)), times: 100_000 }],
  ['settings', { again: () => frame({ type: SETTINGS }, [0, 3, 0, 0, 0, 100]), times: 50_000 }],
  [
    'settings of a table that grows and shrinks',
    { again: (n) => frame({ type: SETTINGS }, [0, 1, n % 2 === 0 ? 0x7f : 0, 0, 0, 0]), times: 20_000 },
  ],
  [
    'empty pieces of a body',
    {
      first: [frame({ type: HEADERS, flags: END_HEADERS, stream: 1 }, POST)],
      again: () => frame({ type: DATA, stream: 1 }),
      times: 100_000,
    },
  ],
  [
    'padding for a body',
    {
      first: [frame({ type: HEADERS, flags: END_HEADERS, stream: 1 }, POST)],
      again: () => frame({ type: DATA, flags: PADDED, stream: 1 }, [100, ...Array(100).fill(0)]),
      times: 20_000,
    },
  ],
  [
    'a head without an end',
    {
      first: [frame({ type: HEADERS, stream: 1 }, GET)],
      again: () => frame({ type: CONTINUATION, stream: 1 }, [0x00, 1, 0x61, 1, 0x62]),
      times: 100_000,
    },
  ],
  [
    'a head without an end, of nothing',
    {
      first: [frame({ type: HEADERS, stream: 1 }, GET)],
      again: () => frame({ type: CONTINUATION, stream: 1 }),
      times: 100_000,
    },
  ],
  [
    'priorities of streams that are not there',
    { again: (n) => frame({ type: PRIORITY, stream: 2 * (n % 50_000) + 1 }, [0, 0, 0, 0, 1]), times: 100_000 },
  ],
  ['credit for the connection', { again: () => frame({ type: WINDOW_UPDATE }, [0, 0, 0, 1]), times: 100_000 }],
  ['no credit', { again: () => frame({ type: WINDOW_UPDATE }, [0, 0, 0, 0]), times: 10_000 }],
  ['more credit than there is', { again: () => frame({ type: WINDOW_UPDATE }, [0x7f, 255, 255, 255]), times: 10_000 }],
  [
    'headers that fill the table of known ones',
    {
      again: (n) => frame({ type: HEADERS, flags: END_HEADERS | END_STREAM, stream: 2 * n + 1 }, [...GET, ...LARGE]),
      times: 500,
    },
  ],
  [
    'frames of no known type',
    { again: (n) => frame({ type: 200 + (n % 50), stream: n % 100 }, Array(16).fill(1)), times: 100_000 },
  ],
  ['promises', { again: (n) => frame({ type: 5, flags: END_HEADERS, stream: 1 }, [0, 0, 0, n & 255]), times: 1_000 }],
];

for (const [name, flood] of FLOODS) {
  test(`others are answered while somebody sends ${name}`, { timeout: DEADLINE_MS }, async () => {
    const before = process.memoryUsage.rss();
    const socket = await open();
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    let sent = false;
    const sending = send(socket, flood).then(() => (sent = true));
    let answers = 0;
    do {
      assert.equal(await read(), 200);
      answers++;
    } while (!sent && !socket.destroyed);
    await sending;
    // The server has hung up, or does what it is asked.
    socket.end();
    socket.destroy();
    await gone;
    assert.equal(await read(), 200);
    assert.ok(answers > 0);
    const kept = process.memoryUsage.rss() - before;
    assert.ok(kept < KEPT_BYTES_MAX, `${kept} bytes more than before`);
  });
}

/** A connection that says hello and reads nothing of what it is answered. */
async function open(): Promise<TLSSocket> {
  const { listener, certificates } = started;
  const address = { host: '127.0.0.1', port: listener.port, ca: certificates.ca, ALPNProtocols: ['h2'] };
  const socket = connectTls(address);
  // Written to until the server has hung up, which may break the pipe.
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(frame({ type: SETTINGS }));
  return socket;
}

/** As fast as they are taken. */
async function send(socket: TLSSocket, { first = [], again, times }: Flood): Promise<void> {
  for (const one of first) socket.write(one);
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  for (let n = 0; n < times && !socket.destroyed;) {
    const many: Buffer[] = [];
    for (; many.length < 1000 && n < times; n++) many.push(again(n));
    if (socket.write(Buffer.concat(many))) await new Promise((resolve) => setImmediate(resolve));
    else await Promise.race([new Promise<void>((resolve) => socket.once('drain', () => resolve())), gone]);
  }
}

async function read(): Promise<number | undefined> {
  const stream = other.request({ ':path': MAPS });
  const [headers] = (await once(stream, 'response')) as [{ ':status'?: number }];
  stream.resume();
  await once(stream, 'close');
  assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR);
  return headers[':status'];
}
