import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOpenPath, pathRefusal, subresourcesOf } from './paths.ts';

const SUBRESOURCES: readonly [string, string][] = [
  ['/stats/summary', 'stats'],
  ['/metrics', 'metrics'],
  ['/metrics/cadvisor', 'metrics'],
  ['/metrics/slis', 'metrics'],
  ['/logs/x', 'log'],
  ['/pods', 'pods proxy'],
  ['/runningpods/', 'pods proxy'],
  ['/healthz/ping', 'healthz proxy'],
  ['/configz', 'configz proxy'],
  ['/checkpoint/a/b/c', 'checkpoint'],
  ['/statusz', 'statusz'],
  ['/flagz', 'configz'],
  ['/exec/a/b/c', 'proxy'],
  ['/run/a/b/c', 'proxy'],
  ['/debug/pprof/heap', 'proxy'],
  ['/podsandmore', 'proxy'],
  ['/constructor', 'proxy'],
  ['/', 'proxy'],
];
for (const [path, wanted] of SUBRESOURCES)
  test(`subresources of ${path}`, () => assert.equal(subresourcesOf(path).join(' '), wanted));

const OFF = 'Debug endpoints are disabled.';
const NONE = '404 page not found';
const served: readonly [method: string, path: string, on: string, off: string][] = [
  ['GET', '/healthz', '', ''],
  ['GET', '/pods', '', ''],
  ['GET', '/stats/summary', '', ''],
  ['GET', '/metrics/cadvisor', '', ''],
  ['GET', '/refusedmanifests', '', ''],
  ['GET', '/configz', '', `404 ${NONE}`],
  ['GET', '/flagz', '', `404 ${NONE}`],
  ['GET', '/statusz', '', `404 ${NONE}`],
  ['POST', '/statusz', '405 Method Not Allowed, GET', `404 ${NONE}`],
  ['POST', '/checkpoint/a/b/c', '', `404 ${NONE}`],
  ['GET', '/containerLogs/a/b/c', '', `405 ${OFF}`],
  ['GET', '/runningpods/', '', `405 ${OFF}`],
  ['POST', '/run/a/b/c', '', `405 ${OFF}`],
  ['POST', '/exec/a/b/c', '', `405 ${OFF}`],
  ['GET', '/attach/a/b/c', '', `405 ${OFF}`],
  ['GET', '/portForward/a/b', '', `405 ${OFF}`],
  // What nobody can switch on here.
  ['GET', '/logs/', '405 logs endpoint is disabled.', `405 ${OFF}`],
  ['GET', '/logs/syslog', '405 logs endpoint is disabled.', `405 ${OFF}`],
  ['GET', '/debug/pprof/heap', '405 profiling endpoint is disabled.', `405 ${OFF}`],
  ['PUT', '/debug/flags/v', '', `404 ${NONE}`],
  ['GET', '/debug/flags/v', '', `404 ${NONE}`],
  // Other methods.
  ['POST', '/pods', '405 Method Not Allowed, GET', '405 Method Not Allowed, GET'],
  ['GET', '/run/a/b/c', '405 Method Not Allowed, POST', `405 ${OFF}`],
  ['DELETE', '/exec/a/b/c', '405 Method Not Allowed, GET, POST', `405 ${OFF}`],
  // Nothing.
  ['GET', '/nowhere', `404 ${NONE}`, `404 ${NONE}`],
  ['GET', '/constructor', `404 ${NONE}`, `404 ${NONE}`],
  ['GET', '/', `404 ${NONE}`, `404 ${NONE}`],
];
for (const [method, path, on, off] of served)
  test(`${method} ${path} with debugging and without`, () => {
    const said = (hasDebugging: boolean): string => {
      const refusal = pathRefusal(path, { method, hasDebugging, hasDebugFlags: true });
      if (refusal === undefined) return '';
      return `${refusal.status} ${refusal.text}${refusal.allow === undefined ? '' : `, ${refusal.allow}`}`;
    };
    assert.deepEqual([said(true), said(false)], [on, off]);
  });

test('the log level, where it may not be changed', () => {
  const of = { method: 'PUT', hasDebugging: true, hasDebugFlags: false };
  assert.deepEqual(pathRefusal('/debug/flags/v', of), { status: 405, text: 'flags endpoint is disabled.' });
});

test('what anybody on loopback may read', () => {
  const open = served.map(([, path]) => path).filter(isOpenPath);
  const wanted = ['/healthz', '/pods', '/stats/summary', '/metrics/cadvisor', '/refusedmanifests'];
  assert.deepEqual([...new Set(open)], [...wanted, '/containerLogs/a/b/c', '/runningpods/']);
});
