import { realClock } from '@binnacle/base/node';
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import test from 'node:test';
import { BodyReader } from './body-reader.ts';
import { ConnectionCredentials } from './connection-credentials.ts';
import { HttpRequest } from './http-request.ts';
import type { HttpRequestParts } from './http-request.ts';

const yaml = { toJson: () => Promise.reject(new Error('none')), fromJson: () => Promise.reject(new Error('none')) };
const world = { bodies: new BodyReader(realClock), yaml, speaksOfUsers: (name: string) => name === 'x-remote-user' };

function partsOf(more: Partial<HttpRequestParts> = {}): HttpRequestParts {
  return {
    method: 'GET',
    target: '/api/v1/pods?limit=5&watch=1',
    headers: { accept: 'text/plain', 'x-remote-user': 'jane' },
    rawHeaders: ['Accept', 'text/plain', 'X-Remote-User', 'jane'],
    body: undefined,
    connection: new ConnectionCredentials({}),
    abandon() {},
    onGone() {},
    remoteAddress: () => '192.0.2.7',
    ...more,
  };
}

test('the target is cut at its first mark', () => {
  const { path, query, queryText, body } = new HttpRequest(partsOf(), world);
  assert.deepEqual([path, queryText, query.get('limit'), body.kind], ['/api/v1/pods', 'limit=5&watch=1', '5', 'none']);
  assert.equal(new HttpRequest(partsOf({ target: '/version' }), world).queryText, '');
});

test('who speaks for others is heard by authentication alone', () => {
  const frontProxy = new ConnectionCredentials({ frontProxy: { commonName: 'proxy' } });
  const seen = [partsOf(), partsOf({ connection: frontProxy })].map((parts) => {
    const request = new HttpRequest(parts, world);
    return [request.header('x-remote-user'), [...request.headerLines()].length];
  });
  assert.deepEqual(seen, [
    ['jane', 2],
    ['', 1],
  ]);
});

test('names are looked for without regard to their letters, by their beginning', () => {
  const request = new HttpRequest(partsOf(), world);
  assert.deepEqual([request.hasHeadersLike('x-remote-'), request.hasHeadersLike('impersonate-')], [true, false]);
});

test('who asked hears of it when the client goes away, and who called it off does not', () => {
  const leave: (() => void)[] = [];
  const request = new HttpRequest(partsOf({ onGone: (run) => void leave.push(run) }), world);
  const heard: string[] = [];
  request.onGone(() => heard.push('one'));
  const callOff = request.onGone(() => heard.push('other'));
  callOff();
  for (const go of leave) go();
  assert.deepEqual(heard, ['one']);
});

test('a client that goes away sets the signal off', () => {
  const leave: (() => void)[] = [];
  const gone = new HttpRequest(partsOf({ onGone: (run) => void leave.push(run) }), world).gone();
  assert.equal(gone.aborted, false);
  for (const run of leave) run();
  assert.equal(gone.aborted, true);
});

test('a body that is not wanted is abandoned', async () => {
  let abandoned = 0;
  const body = Readable.from([]);
  const parts = partsOf({ body, headers: { 'content-length': '99999999' }, abandon: () => void abandoned++ });
  const request = new HttpRequest(parts, world);
  assert.ok(request.body.kind === 'bytes');
  await assert.rejects(request.body.read(), /too large/i);
  assert.equal(abandoned, 1);
});
