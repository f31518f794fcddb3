import { equal, rejects } from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { readBody } from './session-routes.ts';

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
