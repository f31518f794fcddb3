import { strict as assert } from 'node:assert';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
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
  const { wire, namespace } = await loadKubeconfig(TEXT, { context: 'two' });
  assert.deepEqual([wire.token, namespace], ['secret', 'default']);
});

const one = (cluster: string, user: string): string =>
  `current-context: a\nclusters:\n- {name: c, cluster: {server: 'https://h:1', ${cluster}}}\ncontexts:\n- {name: a, context: {cluster: c, user: u}}\nusers:\n- {name: u, user: {${user}}}\n`;

test('somebody else, a name to check and a proxy', async () => {
  const user = "as: jane, as-uid: '7', as-groups: [a, b], as-user-extra: {Acme.io/Scope: [view, edit]}";
  const { wire } = await loadKubeconfig(one("tls-server-name: name, proxy-url: 'http://p:3128'", user));
  assert.deepEqual(wire, {
    server: 'https://h:1',
    tlsServerName: 'name',
    proxyUrl: 'http://p:3128',
    impersonate: {
      'impersonate-user': 'jane',
      'impersonate-uid': '7',
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-acme.io%2Fscope': ['view', 'edit'],
    },
  });
});

test('who has a token or a certificate of his own needs no program, as upstream takes it', async () => {
  const folder = makeTestFolder().path;
  try {
    const file = join(folder, 'config');
    const programs = { env: {}, isTerminal: false, stderr: 2 };
    const pair = `client-certificate-data: ${base64('CERT')}, client-key-data: ${base64('KEY')}`;
    const exec = 'exec: {apiVersion: client.authentication.k8s.io/v1, command: p, interactiveMode: Never}';
    for (const [own, isAsked] of [
      ['token: t', false],
      ['tokenFile: t', false],
      [pair, false],
      ['as: jane', true],
    ] as const) {
      await writeFile(file, one('', `${own}, ${exec}`));
      const { wire } = await loadKubeconfig(file, { programs });
      assert.equal(wire.credentials !== undefined, isAsked, own);
      await writeFile(file, one('', `${own}, ${exec.replace('Never', 'Odd')}`));
      await assert.rejects(loadKubeconfig(file, { programs }), /interactiveMode/);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a namespace that says nothing is the default one', async () => {
  for (const namespace of ["''", 'null']) {
    const text = one('', 'token: t').replace('user: u}}', `user: u, namespace: ${namespace}}}`);
    assert.equal((await loadKubeconfig(text)).namespace, 'default');
  }
});

test('of several files who says something first is right; each has its own folder, and some may not be there', async () => {
  const folder = makeTestFolder().path;
  try {
    const [first, second] = [join(folder, 'a', 'config'), join(folder, 'b', 'config')];
    for (const path of [first, second]) await mkdir(dirname(path));
    await writeFile(join(folder, 'b', 'ca.pem'), 'CA-B');
    const user = (token: string): string => `users:\n- {name: u, user: {token: ${token}}}\n`;
    await writeFile(first, `${user('one')}contexts:\n- {name: x, context: {cluster: c, user: u, namespace: here}}\n`);
    const clusters = "clusters:\n- {name: c, cluster: {server: 'https://h', certificate-authority: ca.pem}}\n";
    await writeFile(second, `current-context: x\n${user('two')}${clusters}`);
    const { wire, namespace } = await loadKubeconfig([join(folder, 'none'), first, second]);
    assert.deepEqual([wire, namespace], [{ server: 'https://h', ca: 'CA-B', token: 'one' }, 'here']);
    await assert.rejects(loadKubeconfig([join(folder, 'none'), join(folder, 'neither')]), /cannot read any/);
  } finally {
    await rm(folder, { recursive: true });
  }
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
  ...(
    [
      ['basic auth', '', 'username: u', /username and password/],
      ['an auth provider', '', 'auth-provider: {name: gcp}', /auth-provider/],
      ['groups of nobody', '', 'as-groups: [system:masters]', /need an as/],
      ['what no header says', '', 'as: "a\\nb"', /header/],
      ['a token that is no text', '', 'token: 7', /token: expected a text/],
      [
        'an authority that is no text',
        'certificate-authority-data: 7',
        '',
        /certificate-authority-data: expected a text/,
      ],
      ['a name that is no text', 'tls-server-name: 7', '', /tls-server-name: expected a text/],
      ['a proxy of another sort', "proxy-url: 'socks5://p:1'", '', /socks5:\/\/ is not supported/],
      ['a proxy over TLS', "proxy-url: 'https://p:1'", '', /https:\/\/ is not supported/],
      ['a proxy that is none', 'proxy-url: p', '', /no URL/],
      [
        'no authority and one',
        `insecure-skip-tls-verify: true, certificate-authority-data: ${base64('CA')}`,
        '',
        /one of them/,
      ],
    ] as const
  ).map(([name, cluster, user, message]) => ({ name, source: one(cluster, user), message })),
  { name: 'not YAML', source: 'a: [\n', message: /not YAML/ },
  { name: 'no such file', source: '/nonexistent/kubeconfig', message: /cannot read/ },
];
for (const row of wrongRows) {
  test(`refused: ${row.name}`, async () => {
    await assert.rejects(loadKubeconfig(row.source, { context: row.context }), (error) => {
      assert.ok(isTransportError(error));
      assert.equal(error.fault, 'kubeconfig');
      assert.match(error.message, row.message);
      return true;
    });
  });
}

const ODD: readonly (readonly [cluster: string, user: string, why: RegExp])[] = [
  ['', 'token: 123', /user "u": token: expected a text/],
  ['', 'tokenFile: [a]', /tokenFile: expected a text/],
  ['', 'client-certificate-data: {a: b}', /client-certificate-data: expected a text/],
  ['', 'as: x, as-groups: y', /as-groups: expected a list of texts/],
  ['', 'as: x, as-user-extra: {a: b}', /as-user-extra: expected lists of texts/],
  ['', 'exec: aws', /exec: expected an object/],
  ["insecure-skip-tls-verify: 'true'", '', /cluster "c": insecure-skip-tls-verify: expected true or false/],
  ['tls-server-name: [a]', '', /tls-server-name: expected a text/],
  ['extensions: [1]', '', /extensions: expected a list/],
];
test('what is of another type is refused by its name, as kubectl does, and null is nothing', async () => {
  for (const [cluster, user, why] of ODD) {
    await assert.rejects(loadKubeconfig(one(cluster, user)), (error) => {
      assert.ok(isTransportError(error));
      assert.match(error.message, why);
      return true;
    });
  }
  const { wire, namespace } = await loadKubeconfig(
    one('proxy-url: null, extensions: [null]', 'tokenFile: null, as: x, as-groups: null, as-user-extra: {a: null}'),
  );
  assert.deepEqual(wire, {
    server: 'https://h:1',
    impersonate: { 'impersonate-user': 'x', 'impersonate-extra-a': [] },
  });
  assert.equal(namespace, 'default');
});

test('who has a token runs no program for one', async () => {
  const user = 'token: t, exec: {apiVersion: client.authentication.k8s.io/v1, command: a, interactiveMode: Never}';
  const { wire } = await loadKubeconfig(one('', user));
  assert.deepEqual(wire, { server: 'https://h:1', token: 't' });
});

test("a proxy of the environment counts where the cluster names none, as kubectl's does", async () => {
  const env = { HTTPS_PROXY: 'http://env:3128', NO_PROXY: 'near' };
  const proxyOf = async (cluster: string, more: object = { env }): Promise<string | undefined> =>
    (await loadKubeconfig(one(cluster, 'token: t'), more)).wire.proxyUrl;
  assert.equal(await proxyOf(''), 'http://env:3128');
  assert.equal(await proxyOf("proxy-url: 'http://own:1'"), 'http://own:1');
  assert.equal(await proxyOf('', {}), undefined);
  assert.equal(await proxyOf('', { env: { ...env, no_proxy: 'x', NO_PROXY: 'h' } }), undefined);
  await assert.rejects(
    proxyOf('', { env: { https_proxy: 'socks5://p' } }),
    /https_proxy: socks5:\/\/ is not supported/,
  );
  const plain = one('', 'token: t').replace('https://h:1', 'http://h:1');
  await assert.rejects(loadKubeconfig(plain, { env: { HTTP_PROXY: 'http://p' } }), /HTTP_PROXY: only servers of https/);
});
