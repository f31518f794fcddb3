import { deepEqual, equal } from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { replaceGlobals } from '../testing.ts';
import { currentSession, forgetSession, hasCode, lastUser, logIn, logOut, takeCode } from './session.ts';

interface Sent {
  readonly method: string;
  readonly headers: object;
  readonly body?: string;
}

/** A tab, and a dashboard that answers so. */
function open(t: TestContext, reply: () => Response, hash = '') {
  const held = new Map<string, string>();
  const sent: Sent[] = [];
  const shown: string[] = [];
  replaceGlobals(t, {
    sessionStorage: {
      getItem: (key: string) => held.get(key) ?? null,
      setItem: (key: string, value: string) => void held.set(key, value),
      removeItem: (key: string) => void held.delete(key),
    },
    location: { hash, pathname: '/r/core/v1/pods', search: '?ns=a' },
    history: { replaceState: (_state: unknown, _title: string, address: string) => void shown.push(address) },
    fetch: (_path: string, call: Sent) => {
      sent.push(call);
      return Promise.resolve(reply());
    },
  });
  return { held, sent, shown };
}

describe('the session of a tab', () => {
  test('who shows himself is remembered, and forgotten here and there when he goes', async (t) => {
    const { sent } = open(t, () => new Response('{"session":"secret"}'));
    equal(currentSession(), undefined);
    equal(await logIn({ token: 'a"b' }), undefined);
    equal(currentSession(), 'secret');
    await logOut();
    equal(currentSession(), undefined);
    deepEqual(
      sent.map(({ method, body }) => [method, body]),
      [
        ['POST', '{"token":"a\\"b"}'],
        ['DELETE', undefined],
      ],
    );
    deepEqual(sent[1]?.headers, { authorization: 'Bearer secret' });
    await logOut();
    equal(sent.length, 2, 'who is not there does not go');
  });

  test('whose session it was is known when it is over, until he leaves', async (t) => {
    const answers = ['{"session":"a","user":"me"}', '{"session":"b","user":""}', '{}', '{"session":"c"}'];
    open(t, () => new Response(answers.shift()));
    equal(await logIn({ token: 'a' }), undefined);
    forgetSession();
    deepEqual([currentSession(), lastUser()], [undefined, 'me']);
    equal(await logIn({ code: 'b' }), undefined);
    equal(lastUser(), '');
    await logOut();
    equal(lastUser(), undefined);
    equal(await logIn({ token: 'c' }), undefined, 'an older server does not say whose it is');
    equal(lastUser(), undefined);
  });

  const REFUSALS: readonly (readonly [answer: string, code: number, why: string])[] = [
    ['{"error":"the API server says 401"}', 401, 'the API server says 401'],
    ['<html>', 502, 'the dashboard says 502'],
    ['null', 200, 'the dashboard says 200'],
  ];
  for (const [answer, code, why] of REFUSALS) {
    test(`${code} ${answer}: ${why}`, async (t) => {
      open(t, () => new Response(answer, { status: code }));
      equal(await logIn({ kubeconfig: 'k' }), why);
      equal(currentSession(), undefined);
    });
  }

  test('the code of a link is taken out of the address, once', (t) => {
    const { shown } = open(t, () => new Response(), '#code=a%2Bb');
    equal(hasCode(), true);
    equal(takeCode(), 'a+b');
    deepEqual(shown, ['/r/core/v1/pods?ns=a']);
  });

  test('an address without one stays as it is', (t) => {
    const { shown } = open(t, () => new Response(), '#somewhere');
    deepEqual([hasCode(), takeCode(), shown], [false, undefined, []]);
  });
});
