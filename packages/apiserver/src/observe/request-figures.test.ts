import assert from 'node:assert/strict';
import test from 'node:test';
import type { RequestInfo } from '../request/info.ts';
import { RequestFigures } from './request-figures.ts';

const GET: RequestInfo = {
  isResource: true,
  verb: 'get',
  path: '/apis/apps/v1/namespaces/a/deployments/b',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  subresource: '',
  namespace: 'a',
  name: 'b',
  rest: '',
  legacyWatch: false,
};

/** Requests that differ in one thing each, and what that thing is called among their labels. */
const SORTS: readonly (readonly [name: string, of: Partial<RequestInfo>, dryRun: boolean, label: string])[] = [
  ['the plain one', {}, false, 'verb="GET"'],
  ['another verb', { verb: 'delete' }, false, 'verb="DELETE"'],
  ['another group', { group: 'extensions' }, false, 'group="extensions"'],
  ['another version', { version: 'v1beta1' }, false, 'version="v1beta1"'],
  ['a subresource', { subresource: 'status' }, false, 'subresource="status"'],
  ['all of a namespace', { verb: 'list', name: '' }, false, 'scope="namespace"'],
  ['all of the cluster', { verb: 'list', name: '', namespace: '' }, false, 'scope="cluster"'],
  ['a dry run', { verb: 'update' }, true, 'dry_run="All"'],
  ['no dry run of the same', { verb: 'update' }, false, 'verb="PUT",dry_run=""'],
];

function shown(figures: RequestFigures): string[] {
  const out: string[] = [];
  figures.render(out);
  return out.filter((line) => line.startsWith('apiserver_request_total{'));
}

function observe(figures: RequestFigures, info: RequestInfo, { code = 200, dryRun = false } = {}): void {
  figures.observe(info, { code, seconds: 0.001, waited: 0, dryRun, bodyBytes: undefined, lasts: false });
}

test('each sort of request is counted apart, and as itself when it comes again', () => {
  const figures = new RequestFigures();
  for (let times = 1; times <= 3; times++) {
    for (const [, of, dryRun] of SORTS) observe(figures, { ...GET, ...of }, { dryRun });
    const lines = shown(figures);
    assert.equal(lines.length, SORTS.length);
    for (const [name, , , label] of SORTS) {
      assert.ok(
        lines.some((line) => line.includes(label) && line.endsWith(` ${times}`)),
        `${name} in\n${lines.join('\n')}`,
      );
    }
  }
});

test('more sorts than are at hand are counted all the same', () => {
  const figures = new RequestFigures();
  const versions = Array.from({ length: 40 }, (_, n) => `v${n + 1}`);
  for (let times = 0; times < 2; times++) for (const version of versions) observe(figures, { ...GET, version });
  for (let n = 0; n < 1100; n++)
    observe(figures, { ...GET, resource: `things${n}` }, { code: n % 2 === 0 ? 200 : 404 });
  const lines = shown(figures);
  assert.equal(lines.length, 40 + 550 + 256, 'of those that are refused at once so many');
  assert.equal(lines.filter((line) => line.includes('"deployments"') && line.endsWith(' 2')).length, 40);
});

test('names that callers make up and are refused take little room, and none of what is served', () => {
  const figures = new RequestFigures();
  const long = 'x'.repeat(4_000);
  for (let i = 0; i < 5_000; i++) {
    const resource = `made-up-${i}`;
    observe(figures, { ...GET, resource, path: `/apis/apps/v1/${resource}` }, { code: 403 });
    observe(figures, { ...GET, resource: `${long}${i}`, path: `/apis/apps/v1/${long}${i}` }, { code: 403 });
  }
  observe(figures, GET);
  observe(figures, { ...GET, verb: 'update' }, { code: 403 });
  const out: string[] = [];
  figures.render(out);
  assert.ok(out.join('\n').length < 6_000_000, `${out.join('\n').length} letters`);
  assert.equal(shown(figures).filter((line) => line.includes('deployments')).length, 1);
});
