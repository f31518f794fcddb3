/** Backends that speak HTTP/2 without TLS, as gRPC's do, with real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, constants, createServer } from 'node:http2';
import type { ClientHttp2Session, Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { createDuplexPair } from '@binnacle/base';
import { nodeStreamOf } from '@binnacle/base/node';
import type { Place } from '../ports.ts';
import { DoorsBench, GONE, textOf } from './testing/doors-bench.ts';

const PIECE = Buffer.alloc(64 * 1024);
const bench = new DoorsBench();
before(() => bench.open());
afterEach(() => bench.clear());
after(() => bench.close());

describe('a backend of HTTP/2', () => {
  let server: Http2Server;
  let place: Place;
  let sessions = 0;
  let serve: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;
  let client: ClientHttp2Session;

  beforeEach(async () => {
    sessions = 0;
    server = createServer();
    server.on('session', () => sessions++);
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      serve(stream, headers);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    place = { address: '127.0.0.1', port: (server.address() as AddressInfo).port, nodeName: 'n' };
    bench.answer = { kind: 'places', places: [place], protocol: 'h2c' };
    client = connect(`https://127.0.0.1:${bench.https}`, { rejectUnauthorized: false });
  });
  afterEach(async () => {
    client.destroy();
    const closed = once(server, 'close');
    server.close();
    await closed;
  });

  const post = { ':method': 'POST', ':path': '/pkg.Echo/Say', te: 'trailers', 'content-type': 'application/grpc' };

  test('both speak at once, and the status comes behind the body', async () => {
    let heard: IncomingHttpHeaders = {};
    serve = (stream, headers) => {
      heard = headers;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': 'done' }));
      stream.pipe(stream);
    };
    const stream = client.request({ ...post, 'x-forwarded-for': '6.6.6.6', connection: undefined });
    const trailers = once(stream, 'trailers');
    const [reply] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    assert.equal(reply['content-type'], 'application/grpc');
    for (const word of ['one', 'two']) {
      stream.write(word);
      const [piece] = (await once(stream, 'data')) as [Buffer];
      assert.equal(piece.toString(), word);
    }
    stream.end();
    const [lines] = (await trailers) as [IncomingHttpHeaders];
    assert.deepEqual([lines['grpc-status'], lines['grpc-message']], ['0', 'done']);
    assert.deepEqual(
      [heard[':path'], heard[':authority'], heard[':scheme'], heard.te, heard['x-forwarded-for']],
      ['/pkg.Echo/Say', `127.0.0.1:${bench.https}`, 'https', 'trailers', '127.0.0.1'],
    );
    assert.equal(heard['host'], undefined);
  });

  test('a reply that is all head stays so', async () => {
    serve = (stream) => stream.respond({ ':status': 200, 'grpc-status': '12' }, { endStream: true });
    const stream = client.request(post);
    const [reply, flags] = (await once(stream, 'response')) as [IncomingHttpHeaders, number];
    assert.equal(reply['grpc-status'], '12');
    assert.notEqual(flags & constants.NGHTTP2_FLAG_END_STREAM, 0);
    stream.close();
  });

  test('HTTP/1.1 in, HTTP/2 on; one connection for all', async () => {
    serve = (stream, headers) => {
      stream.respond({ ':status': 201, 'set-cookie': ['a=1', 'b=2'] });
      void textOf(stream).then((body) => stream.end(`${headers[':method']} ${headers[':path']} ${body}`));
    };
    const reply = await bench.page('/x?y', { method: 'PUT', body: 'sent' });
    assert.deepEqual([reply.status, reply.headers.getSetCookie()], [201, ['a=1', 'b=2']]);
    assert.equal(await reply.text(), 'PUT /x?y sent');
    const many = await Promise.all(Array.from({ length: 50 }, async (_, at) => (await bench.page(`/${at}`)).text()));
    assert.deepEqual(many.at(-1), 'GET /49 ');
    assert.equal(sessions, 1);
  });

  test('bodies go at the pace of who takes them', async () => {
    const size = 32 * 1024 * 1024;
    serve = (stream) => {
      stream.respond({ ':status': 200 });
      stream.pipe(stream);
    };
    const stream = client.request(post);
    Readable.from(Array.from({ length: size / PIECE.length }, () => PIECE)).pipe(stream);
    let received = 0;
    for await (const piece of stream as AsyncIterable<Buffer>) received += piece.length;
    assert.equal(received, size);
  });

  test('who is not there is passed over; nobody, or who speaks something else, is a bad gateway', async () => {
    serve = (stream) => {
      stream.respond({ ':status': 200 });
      stream.end('here');
    };
    bench.answer = { kind: 'places', places: [GONE, place], protocol: 'h2c' };
    let dialled = 0;
    bench.connectPlace = ({ port }) => {
      if (port === GONE.port) dialled++;
      return undefined;
    };
    for (let at = 0; at < 3; at++) assert.equal(await (await bench.page('/')).text(), 'here');
    assert.equal(dialled, 1, 'it costs one request');
    bench.answer = { kind: 'places', places: [GONE], protocol: 'h2c' };
    assert.equal((await bench.page('/')).status, 502);
    const other = createTcpServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 No\r\n\r\n'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    bench.answer = { kind: 'places', places: [{ ...place, port }], protocol: 'h2c' };
    assert.equal((await bench.page('/')).status, 502);
    other.close();
  });

  test('a reply that breaks off breaks off, and a client that goes takes its request with it', async () => {
    serve = (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('half');
      setImmediate(() => stream.destroy(new RangeError('broken')));
    };
    const broken = client.request(post).on('error', () => undefined);
    const ended = new Promise((resolve) => broken.once('close', () => resolve(broken.rstCode)));
    broken.resume();
    assert.equal(await ended, constants.NGHTTP2_INTERNAL_ERROR);
    const gone = Promise.withResolvers<number>();
    const begun = Promise.withResolvers<void>();
    serve = (stream) => {
      begun.resolve();
      stream.once('close', () => gone.resolve(stream.rstCode));
    };
    const left = client.request(post);
    left.on('error', () => undefined);
    await begun.promise;
    left.close(constants.NGHTTP2_CANCEL);
    assert.equal(await gone.promise, constants.NGHTTP2_CANCEL);
  });

  test('a reply that cannot be passed on is a bad gateway, and costs nobody else anything', async () => {
    const odd: readonly ((stream: ServerHttp2Stream) => void)[] = [
      (stream) => stream.respond({ ':status': 599, 'x-odd': 'fine' }, { endStream: true }),
      (stream) => {
        for (let at = 0; at < 30; at++) stream.additionalHeaders({ ':status': 103 });
        stream.respond({ ':status': 200 }, { endStream: true });
      },
      (stream) => stream.session?.destroy(),
      (stream) => stream.destroy(new RangeError('broken')),
    ];
    const statuses = [];
    for (const one of odd) {
      serve = one;
      statuses.push((await bench.page('/', { method: 'POST' })).status);
    }
    assert.deepEqual(statuses, [599, 502, 502, 502]);
    let tries = 0;
    serve = (stream) => {
      if (++tries < 3) return stream.session?.destroy();
      stream.respond({ ':status': 204 }, { endStream: true });
      return undefined;
    };
    assert.equal((await bench.page('/')).status, 204, 'a question is asked again on another connection');
  });

  test('what was not begun is asked again; what was answered badly is not done a second time', async () => {
    let tries = 0;
    serve = (stream) => {
      tries++;
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    };
    assert.deepEqual([(await bench.page('/', { method: 'DELETE' })).status, tries], [502, 1]);
    tries = 0;
    serve = (stream) => {
      if (++tries < 3) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
      stream.respond({ ':status': 204 }, { endStream: true });
      return undefined;
    };
    assert.deepEqual([(await bench.page('/', { method: 'POST' })).status, tries], [204, 3]);
  });

  test('a connection with all the requests that its backend takes at once holds up nobody', async () => {
    server.updateSettings({ maxConcurrentStreams: 2 });
    let begun = 0;
    const full = Promise.withResolvers<void>();
    serve = (stream, headers) => {
      if (headers[':path'] !== '/stays') return stream.respond({ ':status': 204 }, { endStream: true });
      stream.respond({ ':status': 200 });
      if (++begun === 4) full.resolve();
      return undefined;
    };
    assert.equal((await bench.page('/')).status, 204);
    for (let at = 0; at < 4; at++) client.request({ ...post, ':path': '/stays' }).on('error', () => undefined);
    await full.promise;
    assert.equal((await bench.page('/')).status, 204);
  });

  test('whoever comes at once with others is refused by none, however few requests a connection takes', async () => {
    server.updateSettings({ maxConcurrentStreams: 2 });
    const all = Promise.withResolvers<void>();
    let begun = 0;
    serve = (stream) => {
      stream.resume();
      stream.respond({ ':status': 200 });
      if (++begun === 20) all.resolve();
    };
    const statuses = Array.from({ length: 20 }, async () => {
      const stream = client.request(post).on('error', () => undefined);
      stream.end('asked');
      const [reply] = (await once(stream, 'response')) as [IncomingHttpHeaders];
      return reply[':status'];
    });
    assert.deepEqual(new Set(await Promise.all(statuses)), new Set([200]));
    await all.promise;
    assert.equal(sessions, 10);
  });

  test('a connection that takes no more requests is left for a new one', async () => {
    serve = (stream) => {
      stream.respond({ ':status': 200 });
      stream.end('ok');
      stream.session?.goaway();
    };
    for (let at = 0; at < 3; at++) {
      const reply = await bench.page('/');
      assert.equal(await reply.text(), 'ok');
    }
  });

  test('places that no address leads to are dialled', async () => {
    serve = (stream) => {
      stream.respond({ ':status': 200 });
      stream.end('dialled');
    };
    bench.connectPlace = () => async () => {
      const [near, far] = createDuplexPair();
      server.emit('connection', nodeStreamOf(far));
      return near;
    };
    assert.equal(await (await bench.page('/')).text(), 'dialled');
  });
});
