import { deepEqual, equal, rejects } from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { ClientCount, VirtualClock } from '@binnacle/base';
import type { RawCall } from '@binnacle/machinery';
import { readBody, serveSession, SIGN_INS } from './session-routes.ts';
import type { DashboardWorld } from './world.ts';

test('a body that does not come to its end is given up, and its connection with it', async () => {
  const clock = new VirtualClock();
  const body = new PassThrough();
  const read = readBody({ clock }, body as unknown as IncomingMessage);
  body.write('{');
  const given = rejects(read, { code: 'dashboard-body' });
  await clock.advance(30_000);
  await given;
  equal(body.destroyed, true);
});

test('a body that is there is not waited for', async () => {
  const clock = new VirtualClock();
  const body = new PassThrough();
  body.end('{}');
  equal(await readBody({ clock }, body as unknown as IncomingMessage), '{}');
  equal(clock.pending, 0);
});

test('an API server that does not say who somebody is is given up, and so is what a viewer does not wait for', async () => {
  for (const isLeft of [false, true]) {
    const clock = new VirtualClock();
    const signIns = new ClientCount(SIGN_INS);
    const signals: AbortSignal[] = [];
    const wire = {
      raw: ({ signal }: RawCall) =>
        new Promise((_resolve, reject) => {
          if (signal === undefined) return;
          signals.push(signal);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
      close: () => Promise.resolve(),
    };
    const world = { clock, signIns, open: () => Promise.resolve(wire) } as unknown as DashboardWorld;
    const request = Object.assign(new PassThrough(), { method: 'POST', socket: { remoteAddress: '127.0.0.1' } });
    request.end('{"token":"t"}');
    const codes: number[] = [];
    const head = (code: number): ServerResponse => (codes.push(code), response as unknown as ServerResponse);
    const response = Object.assign(new PassThrough(), { writeHead: head });
    const over = serveSession(world, request as unknown as IncomingMessage, response as unknown as ServerResponse);
    for (let turns = 0; signals.length === 0 && turns < 100; turns++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (isLeft) response.destroy();
    else await clock.advance(30_000);
    await over;
    deepEqual(codes, [isLeft ? 401 : 504]);
    equal(clock.pending, 0);
  }
});
