import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, VirtualClock } from '@binnacle/base';
import { HttpTrace } from './http-trace.ts';

function tell(verbosity: number): string {
  const clock = new VirtualClock();
  let text = '';
  const log = createLogger({ component: 'c', verbosity, clock, write: (line) => (text += line) });
  const trace = new HttpTrace({ log, clock, server: 'https://127.0.0.1:6443/' });
  const answered = trace.request({
    method: 'GET',
    path: '/api/v1/pods?limit=5',
    headers: { accept: 'application/json', authorization: 'Bearer s3cret', 'sec-websocket-protocol': 's3cret' },
    body: undefined,
  });
  answered(200, { ':status': '200', 'content-type': 'application/json', 'set-cookie': 's3cret' } as never);
  return text;
}

test('below 6 nothing; from 6 each answer with its URL, code and time', () => {
  assert.equal(tell(5), '');
  assert.match(
    tell(6),
    /^\S+ \S+ +1 c\] "Response" verb="GET" url="https:\/\/127.0.0.1:6443\/api\/v1\/pods\?limit=5" status=200 milliseconds=0\n$/,
  );
});

test('from 9 headers, and never what proves who somebody is', () => {
  const text = tell(9);
  assert.match(text, /"Request" .*"accept":"application\/json","authorization":"<masked>"/);
  assert.match(text, /"Response" .*headers=\{"content-type":"application\/json","set-cookie":"<masked>"\}/);
  assert.doesNotMatch(text, /s3cret|:status/);
});
