import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createDuplexPair, readAll, silentLogger } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';
import { duplexOf, realClock, secureRandom } from '@binnacle/base/node';
import { status } from '@binnacle/machinery';
import type { OpenCall, Wire } from '@binnacle/machinery';
import { FORWARD_PROTOCOL, serveForwardOverSpdy } from '@binnacle/streams';
import type { PortTarget } from '@binnacle/streams';
import { createHeaderCodec } from '@binnacle/streams/node';
import { Forwards } from './forwards.ts';

const world = { host: '127.0.0.1', clock: realClock, random: secureRandom, log: silentLogger };
const target = { namespace: 'default', pod: 'web', port: 80 };

/** The API server's end: port 80 answers with what it was sent, the others refuse. */
function cluster() {
  const calls: OpenCall[] = [];
  const carriers: Duplex[] = [];
  const reach = async (port: number): Promise<Duplex> => {
    if (port !== 80) throw new RangeError('connection refused');
    const [near, far] = createDuplexPair();
    void (async () => {
      const said = await far.read();
      await far.write(new TextEncoder().encode(`HTTP/1.1 200 OK\r\n\r\n${new TextDecoder().decode(said)}`));
      await far.end();
    })();
    return near;
  };
  const wire = {
    open: async (call: OpenCall) => {
      calls.push(call);
      if (call.path.includes('/secret/')) throw status.forbidden({ group: '', resource: 'pods' }, 'secret', 'no');
      const [near, far] = createDuplexPair();
      carriers.push(far);
      const ports: PortTarget = { connect: reach, describe: (port, { message }) => `port ${port}: ${message}` };
      void serveForwardOverSpdy(far, { codec: createHeaderCodec(), clock: realClock }, ports);
      return { protocol: 'SPDY/3.1', headers: {}, stream: near };
    },
  } as unknown as Wire;
  return { wire, calls, carriers, forwards: new Forwards(wire, world) };
}

async function ask(url: string, host = new URL(url).host): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const stream = duplexOf(socket);
  await stream.write(new TextEncoder().encode(`GET /page HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`));
  const text = new TextDecoder().decode(await readAll(stream, 100_000));
  await stream.end();
  return text;
}

test('a port of a pod is opened under a name of its own, and only under that', async () => {
  const { forwards, calls, carriers } = cluster();
  const { url, id } = await forwards.open(target);
  match(url, /^http:\/\/[0-9a-f]{16}\.localhost:\d+\/$/);
  deepEqual(
    calls.map(({ path, headers }) => [path, headers?.['x-stream-protocol-version']]),
    [['/api/v1/namespaces/default/pods/web/portforward', FORWARD_PROTOCOL]],
  );
  match(await ask(url), /^HTTP\/1\.1 200 OK\r\n\r\nGET \/page HTTP\/1\.1\r\nHost: /);
  match(await ask(url, `127.0.0.1:${new URL(url).port}`), /^HTTP\/1\.1 421 /);
  match(await ask(url, 'evil.example'), /^HTTP\/1\.1 421 /);
  equal((await forwards.open(target)).id, id, 'asked again it is the same');
  carriers[0]?.abort();
  match(await ask(url), /^HTTP\/1\.1 (200|502) /);
  match(await ask(url), /^HTTP\/1\.1 200 /, 'a connection that broke is opened again');
  equal(calls.length, 2);
  await forwards.close();
  await rejects(ask(url));
});

test('what cannot be reached is told in words, what is refused is refused before anything is opened', async () => {
  const { forwards } = cluster();
  const { url } = await forwards.open({ ...target, port: 81 });
  match(await ask(url), /^HTTP\/1\.1 502 .*connection refused/s);
  await rejects(forwards.open({ ...target, pod: 'secret' }), /forbidden/);
  deepEqual(
    forwards.list().map(({ port }) => port),
    [81],
  );
  await forwards.close();
});

test('a viewer has sixteen at the most, and ends them one by one or all at once', async () => {
  const { forwards } = cluster();
  const all = await Promise.all(Array.from({ length: 16 }, (_, at) => forwards.open({ ...target, port: 8000 + at })));
  await rejects(forwards.open(target), /16 ports are open/);
  equal(await forwards.end(all[0]?.id ?? ''), true);
  equal(await forwards.end('__proto__'), false);
  equal((await forwards.open(target)).port, 80);
  await forwards.close();
  deepEqual(forwards.list(), []);
});

test('what cannot listen, or whose session ended meanwhile, keeps no connection to the pod', async () => {
  const { wire, carriers } = cluster();
  const closed = (): Promise<unknown> => Promise.all(carriers.map(({ closed: over }) => over));
  // An address of nobody here.
  await rejects(new Forwards(wire, { ...world, host: '192.0.2.1' }).open(target), { code: 'EADDRNOTAVAIL' });
  equal(carriers.length, 1);
  await closed();
  const forwards = new Forwards(wire, world);
  const opening = forwards.open(target);
  await forwards.close();
  await rejects(opening, /the session is over/);
  equal(carriers.length, 2);
  await closed();
  deepEqual(forwards.list(), []);
});
