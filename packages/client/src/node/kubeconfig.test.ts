import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { isTransportError } from '../errors.ts';
import { loadKubeconfig } from './kubeconfig.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const TEXT = `apiVersion: v1
kind: Config
current-context: one
clusters:
- name: c
  cluster: {server: 'https://127.0.0.1:6443/', certificate-authority-data: ${base64('CA')}}
contexts:
- name: one
  context: {cluster: c, user: cert, namespace: team}
- name: two
  context: {cluster: c, user: token}
- name: three
  context: {cluster: c, user: exec}
- name: four
  context: {cluster: nowhere, user: token}
users:
- name: cert
  user: {client-certificate-data: ${base64('CERT')}, client-key-data: ${base64('KEY')}}
- name: token
  user: {token: secret}
- name: exec
  user: {exec: {command: aws}}
`;

test('a client certificate in the current context', async () => {
  assert.deepEqual(await loadKubeconfig(TEXT), {
    wire: { server: 'https://127.0.0.1:6443', ca: 'CA', cert: 'CERT', key: 'KEY' },
    namespace: 'team',
    context: 'one',
  });
});

test('a token in another context', async () => {
  const { wire, namespace } = await loadKubeconfig(TEXT, 'two');
  assert.deepEqual([wire.token, namespace], ['secret', 'default']);
});

const wrongRows: { name: string; source: string; context?: string; message: RegExp }[] = [
  { name: 'no context at all', source: 'a: 1\n', message: /kubeconfig: it names no current context/ },
  { name: 'no such context', source: TEXT, context: 'nine', message: /no context "nine"/ },
  { name: 'no such cluster', source: TEXT, context: 'four', message: /no cluster "nowhere"/ },
  { name: 'exec plugin', source: TEXT, context: 'three', message: /only certificates and tokens/ },
  {
    name: 'a file in a text',
    source: TEXT.replace('token: secret', 'tokenFile: /etc/passwd'),
    context: 'two',
    message: /\/etc\/passwd is not read/,
  },
  {
    name: 'a certificate file in a text',
    source: TEXT.replace('client-key-data:', 'client-key:'),
    message: /is not read/,
  },
  { name: 'not YAML', source: 'a: [\n', message: /not YAML/ },
  { name: 'no such file', source: '/nonexistent/kubeconfig', message: /cannot read/ },
];
for (const row of wrongRows) {
  test(`refused: ${row.name}`, async () => {
    await assert.rejects(loadKubeconfig(row.source, row.context), (error) => {
      assert.ok(isTransportError(error));
      assert.equal(error.fault, 'kubeconfig');
      assert.match(error.message, row.message);
      return true;
    });
  });
}
