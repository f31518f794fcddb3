import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { parseQuery } from '../request/query.ts';
import { StatusError } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../ports/admission.ts';
import { openPolicyWith } from '../testing/open-policy.ts';
import { startTestServer } from '../testing/test-server.ts';
import { connectionOptions } from './connect.ts';

const POD = '/api/v1/namespaces/default/pods/none';

const ROWS: readonly (readonly [asked: string, kind: string, options: object])[] = [
  [
    `POST ${POD}/attach?stdin=true&stdout=1&tty=false&container=c`,
    'PodAttachOptions',
    { stdin: true, stdout: true, container: 'c' },
  ],
  [`GET ${POD}/exec?command=ls&command=-l`, 'PodExecOptions', { command: ['ls', '-l'] }],
  [`POST ${POD}/portforward?ports=80&ports=443`, 'PodPortForwardOptions', { ports: [80, 443] }],
  [`GET ${POD}/proxy/a/b?path=other`, 'PodProxyOptions', { path: '/a/b' }],
  ['PUT /api/v1/namespaces/default/services/s/proxy/x', 'ServiceProxyOptions', { path: '/x' }],
  ['HEAD /api/v1/nodes/n/proxy/metrics?kind=x&constructor=y', 'NodeProxyOptions', { path: '/metrics' }],
];

/** Everything passes but connections, which are seen. */
async function denying() {
  const seen: AdmissionAttributes[] = [];
  const validate = (attributes: AdmissionAttributes): void => {
    seen.push(attributes);
    throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 418 });
  };
  const handles = (operation: string): boolean => operation === 'CONNECT';
  const policy = () => openPolicyWith({}, { admission: [{ name: 'W', handles, validate }] });
  return { ...(await startTestServer({ policy })), seen };
}

for (const [asked, kind, options] of ROWS) {
  test(`${asked} is admitted with its options before anything is looked for`, async () => {
    const { ask, seen } = await denying();
    assert.equal((await ask(asked)).code, 418);
    const [one] = seen;
    assert.ok(one !== undefined, 'admission was asked');
    assert.deepEqual(one.kind, { group: '', version: 'v1', kind });
    assert.deepEqual([one.before, one.options, one.dryRun], [undefined, undefined, false]);
    const said = Object.entries(one.object ?? {}).filter(([, value]) => value !== false && value !== '');
    assert.deepEqual(Object.fromEntries(said), options);
  });
}

test('a port that is no number', async () => {
  const { ask, seen } = await denying();
  assert.equal((await ask(`POST ${POD}/portforward?ports=99999999999`)).code, 400);
  assert.deepEqual(seen, []);
});

describe('the options of a connection', () => {
  interface Asked {
    readonly struct: string;
    readonly query?: string;
    readonly subresource?: string;
    readonly rest?: string;
  }
  const options = ({ struct, query = '', subresource = '', rest = '' }: Asked): object =>
    connectionOptions(struct, { request: { query: parseQuery(query) }, info: { subresource, rest } } as never);
  const exec = (query: string): Asked => ({ struct: 'core.v1.PodExecOptions', query, subresource: 'exec' });
  const forward = (query: string): Asked => ({
    struct: 'core.v1.PodPortForwardOptions',
    query,
    subresource: 'portforward',
  });
  const proxy = (rest: string, query = ''): Asked => ({
    struct: 'core.v1.PodProxyOptions',
    query,
    subresource: 'proxy',
    rest,
  });
  const rows: readonly (readonly [name: string, asked: Asked, wanted: object])[] = [
    ['none', exec(''), { command: null }],
    [
      'a command with its streams',
      exec('command=sh&command=-c&command=&stdin=1&stdout=true&stderr=false&tty=0&container=c'),
      { command: ['sh', '-c', ''], stdin: true, stdout: true, container: 'c' },
    ],
    ['a flag without a value', exec('stdin&command=x'), { stdin: true, command: ['x'] }],
    ['what nobody knows', exec('constructor=x&kind=Pod&apiVersion=v9&command=x'), { command: ['x'] }],
    ['ports', forward('ports=80&ports=%2B443&ports=0'), { ports: [80, 443, 0] }],
    ['the ends of their range', forward('ports=2147483647&ports=-2147483647'), { ports: [2147483647, -2147483647] }],
    ['a path', proxy('a/b'), { path: '/a/b' }],
    ['no path, whatever the query says', proxy('', 'path=/etc'), {}],
  ];
  for (const [name, asked, wanted] of rows) {
    test(name, () => {
      assert.deepEqual(options(asked), wanted);
    });
  }

  for (const port of ['x', '1e3', '0x50', '2147483648', '99999999999', '1.5', '']) {
    test(`no port: ${JSON.stringify(port)}`, () => {
      assert.throws(() => options(forward(`ports=${port}`)), {
        message: `strconv.ParseInt: parsing ${JSON.stringify(port)}: invalid syntax`,
      });
    });
  }
});
