import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { VirtualClock, makeTestFolder } from '@binnacle/base/testing';
import { execCredentials } from './exec-credential.ts';
import type { ExecConfig } from './exec-credential.ts';

// Real programs, one process each.

const V1 = 'client.authentication.k8s.io/v1';
let folder = '';
let stderr = -1;
before(() => {
  folder = makeTestFolder().path;
  stderr = openSync(join(folder, 'said'), 'a');
  // Says what it was asked and given, in the token.
  const script = `#!${process.execPath}
const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const [expires = ''] = process.argv.slice(2);
const token = JSON.stringify({ args: process.argv.slice(2), mine: process.env.MINE, outer: process.env.OUTER, spec: info.spec });
console.log(JSON.stringify({ kind: info.kind, apiVersion: info.apiVersion, status: { token, ...(expires === '' ? {} : { expirationTimestamp: expires }) } }));
`;
  writeFileSync(join(folder, 'plugin'), script, { mode: 0o755 });
});
after(() => {
  closeSync(stderr);
  rmSync(folder, { recursive: true });
});

const isTerminal = false;
function source(exec: ExecConfig, clock = new VirtualClock()) {
  const world = { env: { OUTER: 'outer', PATH: process.env['PATH'] }, isTerminal, stderr };
  return execCredentials({ exec, cluster: { server: 'https://h' }, base: folder, world, clock });
}
const exec = (more: ExecConfig = {}): ExecConfig => ({
  ...{ apiVersion: V1, command: './plugin', interactiveMode: 'Never' },
  ...more,
});
/** A program that says this. */
const saying = (text: string): ExecConfig =>
  exec({ command: process.execPath, args: ['-e', `process.stdout.write(${JSON.stringify(text)})`] });
const answer = (status: object, apiVersion = V1): string =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion, status });

test('a program is run without a shell, with its arguments and environment, and told of the cluster where it asks', async () => {
  const args = ['', '$(touch x); `y`', '*'];
  const given = await source(exec({ args, env: [{ name: 'MINE', value: 'm' }], provideClusterInfo: true })).current();
  assert.deepEqual(JSON.parse(given.token ?? ''), {
    args,
    mine: 'm',
    outer: 'outer',
    spec: { cluster: { server: 'https://h' }, interactive: false },
  });
  const quiet = await source(
    exec({ apiVersion: 'client.authentication.k8s.io/v1beta1', interactiveMode: null }),
  ).current();
  assert.deepEqual(JSON.parse(quiet.token ?? '').spec, { interactive: false });
});

test('what it gave is kept until it is over, or refused; who asks meanwhile waits for the same run', async () => {
  const clock = new VirtualClock();
  const expires = new Date(clock.now() + 10_000).toISOString();
  const credentials = source(exec({ args: [expires] }), clock);
  const [one, same] = await Promise.all([credentials.current(), credentials.current()]);
  assert.equal(one, same);
  await clock.advance(9_999);
  assert.equal(await credentials.current(), one);
  credentials.refused({ token: 'another' });
  assert.equal(await credentials.current(), one);
  await clock.advance(1);
  const two = await credentials.current();
  assert.notEqual(two, one);
  const lasting = source(exec());
  const first = await lasting.current();
  await clock.advance(1e9);
  assert.equal(await lasting.current(), first);
  lasting.refused(first);
  assert.notEqual(await lasting.current(), first);
});

test('a certificate with its key will do', async () => {
  const status = { clientCertificateData: 'CERT', clientKeyData: 'KEY' };
  assert.deepEqual(await source(saying(answer(status))).current(), { cert: 'CERT', key: 'KEY' });
});

const REFUSED: readonly (readonly [name: string, exec: () => ExecConfig, why: RegExp])[] = [
  ['another version', () => exec({ apiVersion: 'client.authentication.k8s.io/v1alpha1' }), /v1alpha1.*not supported/],
  ['no command', () => exec({ command: '' }), /command is missing/],
  ['v1 without a mode', () => exec({ interactiveMode: null }), /interactiveMode/],
  ['a mode that is none', () => exec({ interactiveMode: 'never' }), /interactiveMode/],
  ['a terminal where there is none', () => exec({ interactiveMode: 'Always' }), /terminal/],
  ['odd arguments', () => exec({ args: [1] }), /args/],
  ['a command that no file can be', () => exec({ command: 'a\0b' }), /command/],
  ['more than the system hands to a program', () => exec({ args: ['a'.repeat(1 << 22)] }), /E2BIG/],
  ['an argument that no program can be given', () => exec({ args: ['a\0b'] }), /args/],
  ['a variable that cannot be', () => exec({ env: [{ name: 'A', value: 'b\0' }] }), /env/],
  ['odd variables', () => exec({ env: [{ name: 'A' }] }), /env/],
  [
    'no such program',
    () => exec({ command: 'no-such-plugin', installHint: 'get it there' }),
    /executable no-such-plugin not found\n\nget it there/,
  ],
  [
    'one that fails',
    () => exec({ command: process.execPath, args: ['-e', 'console.error("SECRET"); process.exit(3)'] }),
    /exit code 3$/,
  ],
  [
    'one that says too much',
    () => exec({ command: process.execPath, args: ['-e', 'for (;;) require("fs").writeSync(1, "x".repeat(65536))'] }),
    /more than/,
  ],
  ['no JSON', () => saying('hello'), /no ExecCredential/],
  ['another kind', () => saying('{"kind":"Pod"}'), /no ExecCredential/],
  [
    'another version in its answer',
    () => saying(answer({ token: 't' }, 'client.authentication.k8s.io/v1beta1')),
    /no ExecCredential/,
  ],
  ['nothing given', () => saying(answer({})), /neither/],
  ['a certificate without a key', () => saying(answer({ clientCertificateData: 'C' })), /neither/],
  ['an expiry that is no time', () => saying(answer({ token: 't', expirationTimestamp: 'x' })), /no time/],
];
for (const [name, of, why] of REFUSED) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(
      async () => source(of()).current(),
      (error: Error) => {
        assert.match(error.message, why);
        return true;
      },
    );
  });
}

test('what a program says to people is theirs at once, also where it gives a credential', async () => {
  const text = JSON.stringify(answer({ token: 't' }));
  const args = ['-e', `process.stderr.write('log in at https://login.example'); process.stdout.write(${text})`];
  assert.deepEqual(await source(exec({ command: process.execPath, args })).current(), { token: 't' });
  assert.match(readFileSync(join(folder, 'said'), 'utf8'), /log in at https:\/\/login\.example/);
});

test('what a program started and left behind neither floods nor is waited for', { timeout: 60_000 }, async () => {
  const flood = source(exec({ command: 'sh', args: ['-c', 'yes & wait'] }));
  await assert.rejects(() => flood.current(), /says more than/);
  const clock = new VirtualClock();
  // Ends by itself, long after the program that left it.
  const left = source(exec({ command: 'sh', args: ['-c', 'sleep 5 & exit 0'] }), clock);
  const refused = assert.rejects(left.current(), /did not end within 300 s/);
  await clock.advance(300_000);
  await refused;
});
