import assert from 'node:assert/strict';
import test from 'node:test';
import { StatusError } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../ports/admission.ts';
import { openPolicyWith } from '../testing/open-policy.ts';
import { startTestServer } from '../testing/test-server.ts';

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
