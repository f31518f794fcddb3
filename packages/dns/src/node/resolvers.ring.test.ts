/** What every resolver makes of our answers: dig, glibc, busybox and musl, in a network namespace with a server on port 53. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeTestFolder } from '@binnacle/base/testing';

const NS = `bd${process.pid}`;
/** `ip netns exec` puts what is in it over what is in /etc. */
const ETC = `/etc/netns/${NS}`;
const { path: folder, remove } = makeTestFolder();
const MUSL = '/usr/bin/musl-gcc';
let server: ChildProcess;

before(async () => {
  mkdirSync(ETC, { recursive: true });
  const search = 'ns.svc.cluster.local svc.cluster.local cluster.local';
  writeFileSync(join(ETC, 'resolv.conf'), `nameserver 127.0.0.1\nsearch ${search}\noptions ndots:5\n`);
  writeFileSync(join(ETC, 'nsswitch.conf'), 'hosts: dns\n');
  writeFileSync(join(ETC, 'hosts'), '');
  execFileSync('ip', ['netns', 'add', NS]);
  execFileSync('ip', ['-n', NS, 'link', 'set', 'lo', 'up']);
  const program = fileURLToPath(new URL('../testing/example-server.ts', import.meta.url));
  server = spawn('ip', ['netns', 'exec', NS, process.execPath, program], { stdio: ['pipe', 'pipe', 'inherit'] });
  assert.ok(server.stdout);
  await once(server.stdout, 'data');
});

after(async () => {
  const ended = once(server, 'exit');
  server.stdin?.end();
  await ended;
  execFileSync('ip', ['netns', 'del', NS]);
  rmSync(ETC, { recursive: true });
  remove();
});

/** What a program says, its lines sorted; with a word for one that finds nothing. */
function ask(...command: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync('ip', ['netns', 'exec', NS, ...command], { encoding: 'utf8' });
  const lines = stdout.split('\n').filter((line) => line.trim() !== '');
  return status === 0 ? lines.toSorted() : [`failed: ${stdout}${stderr}`.trim()];
}

const WEB = 'web.ns.svc.cluster.local';
const DIG: readonly (readonly [name: string, args: readonly string[], wanted: readonly string[]])[] = [
  ['A', [WEB, 'A'], ['10.96.0.7']],
  ['AAAA', [WEB, 'AAAA'], ['fd00::7']],
  ['by the search path', ['+search', 'web', 'A'], ['10.96.0.7']],
  ['SRV', [`_http._tcp.${WEB}`, 'SRV'], [`0 100 80 ${WEB}.`]],
  ['PTR', ['-x', '10.96.0.7'], [`${WEB}.`]],
  ['PTR of IPv6', ['-x', 'fd00::7'], [`${WEB}.`]],
  ['PTR of an endpoint', ['-x', '10.1.0.9'], ['db-0.db.ns.svc.cluster.local.']],
  ['CNAME, and where it leads', ['out.ns.svc.cluster.local', 'A'], ['10.96.0.7', `${WEB}.`]],
  ['CNAME alone', ['out.ns.svc.cluster.local', 'CNAME'], [`${WEB}.`]],
  ['a pod', ['10-1-2-3.ns.pod.cluster.local', 'A'], ['10.1.2.3']],
  ['the version', ['dns-version.cluster.local', 'TXT'], ['"1.1.0"']],
  ['letters of any size', ['WEB.ns.SVC.cluster.LOCAL', 'A'], ['10.96.0.7']],
  ['over TCP', ['+tcp', WEB, 'A'], ['10.96.0.7']],
  ['without EDNS', ['+noedns', WEB, 'A'], ['10.96.0.7']],
  ['a wildcard', ['*.ns.svc.cluster.local', 'A'], []],
  ['nothing of the type', [WEB, 'MX'], []],
];

for (const [name, args, wanted] of DIG)
  test(`dig: ${name}`, () => assert.deepEqual(ask('dig', '+short', '+tries=1', ...args), wanted));

test('dig: a no, with whose no it is; what does not fit, and comes by TCP', () => {
  const no = ask('dig', '+tries=1', `none.ns.svc.cluster.local`).join('\n');
  assert.match(no, /status: NXDOMAIN/);
  assert.match(no, /cluster\.local\.\s+5\s+IN\s+SOA\s+ns\.dns\.cluster\.local\./);
  assert.match(no, /flags: qr aa rd/);
  assert.match(ask('dig', '+ignore', '+noedns', 'many.ns.svc.cluster.local').join('\n'), /flags: qr aa tc/);
  assert.equal(ask('dig', '+short', 'many.ns.svc.cluster.local').length, 200);
  assert.equal(ask('dig', '+short', '+bufsize=512', 'many.ns.svc.cluster.local').length, 200);
  assert.match(ask('dig', '+tries=1', '*.ns.svc.cluster.local').join('\n'), /status: NXDOMAIN/);
});

test('glibc: by the search path, both families, by TCP where it must, and back', () => {
  assert.deepEqual(
    ask('getent', 'ahosts', 'web').map((line) => line.split(/\s+/).slice(0, 2).join(' ')),
    ['10.96.0.7 DGRAM', '10.96.0.7 RAW', '10.96.0.7 STREAM', 'fd00::7 DGRAM', 'fd00::7 RAW', 'fd00::7 STREAM'],
  );
  assert.match(ask('getent', 'hosts', 'db-0.db').join(), /^10\.1\.0\.9 /);
  assert.match(ask('getent', 'ahosts', 'out').join(), /^10\.96\.0\.7 /);
  assert.match(ask('getent', 'hosts', '10.96.0.7').join(), new RegExp(`${WEB}$`));
  assert.equal(ask('getent', 'ahosts', 'many').filter((line) => line.includes('STREAM')).length, 200);
  assert.deepEqual(ask('getent', 'hosts', 'none.ns.svc.cluster.local.'), ['failed:']);
});

test('busybox: both families, SRV, PTR, and a no', () => {
  const told = ask('busybox', 'nslookup', WEB).join('\n');
  assert.match(told, /10\.96\.0\.7/);
  assert.match(told, /fd00::7/);
  assert.match(ask('busybox', 'nslookup', '10.96.0.7').join('\n'), new RegExp(WEB));
  assert.match(ask('busybox', 'nslookup', 'none.ns.svc.cluster.local').join('\n'), /NXDOMAIN|can't (?:find|resolve)/);
});

const PROGRAM = `
#include <netdb.h>
#include <stdio.h>
#include <arpa/inet.h>
int main(int count, char **words) {
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
  int failed = getaddrinfo(words[1], "80", &hints, &found);
  if (failed) { puts(gai_strerror(failed)); return 0; }
  for (; found; found = found->ai_next) {
    char text[256];
    getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, 0, 0, count > 2 ? NI_NAMEREQD : NI_NUMERICHOST);
    puts(text);
  }
}
`;

test(
  'musl: by the search path, both families, CNAMEs, many, and back',
  { skip: existsSync(MUSL) ? false : 'no musl-gcc here' },
  () => {
    const [source, program] = [join(folder, 'ask.c'), join(folder, 'ask')];
    writeFileSync(source, PROGRAM);
    execFileSync(MUSL, ['-static', '-o', program, source]);
    assert.deepEqual(ask(program, 'web'), ['10.96.0.7', 'fd00::7']);
    assert.deepEqual(ask(program, 'out.ns'), ['10.96.0.7', 'fd00::7']);
    assert.deepEqual(ask(program, '10.96.0.7', 'back'), [WEB]);
    // Its own bound of one name's addresses (48) is more than what fits a datagram.
    assert.ok(ask(program, 'many').length >= 20);
    assert.match(ask(program, 'none.ns.svc.cluster.local.').join(), /does not resolve/);
  },
);
