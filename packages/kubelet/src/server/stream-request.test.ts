import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamRefusal } from '../errors.ts';
import { parseStreamRequest } from './stream-request.ts';

const parse = (text: string): ReturnType<typeof parseStreamRequest> => {
  const url = new URL(text, 'https://x');
  return parseStreamRequest(url.pathname, url.searchParams);
};
const PLACE = { namespace: 'ns', pod: 'p', uid: '', container: 'c' };
const OUT = { stdin: false, stdout: true, stderr: false, tty: false };

test('what is asked for', () => {
  assert.deepEqual(parse('/exec/ns/p/c?output=1&command=ls&command=-l'), {
    kind: 'exec',
    place: PLACE,
    command: ['ls', '-l'],
    flags: OUT,
  });
  assert.deepEqual(parse('/attach/ns/p/u/c?input=1&output=1&error=1&tty=1'), {
    kind: 'attach',
    place: { ...PLACE, uid: 'u' },
    flags: { stdin: true, stdout: true, stderr: false, tty: true },
  });
  assert.deepEqual(parse('/portForward/ns/p?port=80,81&port=82'), {
    kind: 'portForward',
    place: { namespace: 'ns', pod: 'p', uid: '' },
    ports: ['80', '81', '82'],
  });
});

for (const path of ['/pods', '/exec/ns/p', '/exec/ns/p/u/c/more', '/portForward/ns', '/attach', '/']) {
  test(`no stream: ${path}`, () => assert.equal(parse(path), undefined));
}

for (const path of ['/exec/ns/p/c?command=ls', '/exec/ns/p/c?output=1', '/attach/ns/p/c?tty=1']) {
  test(`refused: ${path}`, () => {
    assert.throws(
      () => parse(path),
      (error) => error instanceof StreamRefusal && error.httpCode === 400,
    );
  });
}
