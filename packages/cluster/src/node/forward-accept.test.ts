import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { createLogger, silentLogger, VirtualClock } from '@binnacle/base';
import { NetworkError } from '@binnacle/network';
import { acceptForwarding, forgetForwarding, openForwarding } from './forward-accept.ts';

/** A machine whose links are so, `accept_ra` and `forwarding`. */
const LINKS: readonly (readonly [link: string, heeds: string, forwards: string, after: string])[] = [
  ['eth0', '1', '0', '2'],
  ['wlan0', '0', '0', '0'],
  ['eth1', '2', '0', '2'],
  ['router0', '1', '1', '1'],
  ['bn0123456789', '1', '0', '1'],
  ['veth12ab', '1', '0', '1'],
  ['all', '1', '0', '1'],
  ['default', '1', '0', '1'],
];
const FORWARDING = 'net/ipv6/conf/all/forwarding';

function withSettings(look: (sys: string, read: (name: string) => string) => Promise<void>): Promise<void> {
  const sys = makeTestFolder().path;
  const write = (name: string, value: string): void => {
    mkdirSync(dirname(join(sys, name)), { recursive: true });
    writeFileSync(join(sys, name), `${value}\n`);
  };
  for (const name of ['net/ipv4/ip_forward', 'net/bridge/bridge-nf-call-iptables']) write(name, '0');
  for (const [link, heeds, forwards] of LINKS) {
    write(`net/ipv6/conf/${link}/accept_ra`, heeds);
    write(`net/ipv6/conf/${link}/forwarding`, forwards);
  }
  const read = (name: string): string => readFileSync(join(sys, name), 'utf8').trim();
  return look(sys, read).finally(() => rmSync(sys, { recursive: true }));
}

test('with pods of IPv6 the machine forwards it, and heeds the routers that it heeded', () =>
  withSettings(async (sys, read) => {
    await openForwarding(silentLogger, { six: true, sys });
    assert.equal(read(FORWARDING), '1');
    for (const [link, , , after] of LINKS) assert.equal(read(`net/ipv6/conf/${link}/accept_ra`), after, link);
  }));

test('without, nothing of IPv6 is touched: a machine that forwards loses the way out that a router told it', () =>
  withSettings(async (sys, read) => {
    await openForwarding(silentLogger, { six: false, sys });
    assert.equal(read('net/ipv4/ip_forward'), '1');
    assert.equal(read(FORWARDING), '0');
    for (const [link, heeds] of LINKS) assert.equal(read(`net/ipv6/conf/${link}/accept_ra`), heeds, link);
  }));

test('that a firewall cannot be asked is a warning to who wants something of it, and not to who leaves', async () => {
  const lines: string[] = [];
  const log = createLogger({
    component: 'c',
    verbosity: 0,
    clock: new VirtualClock(),
    write: (line) => lines.push(line),
  });
  const run = ([tool]: readonly string[]): Promise<string> => Promise.reject(new NetworkError(`cannot run ${tool}`));
  await forgetForwarding(run, 'bn0', log);
  assert.deepEqual(lines, []);
  await acceptForwarding(run, { name: 'bn0', links: ['bn0'] }, log);
  assert.deepEqual(
    lines.map((line) => /^W.*it may drop what pods say.* tool="(\w+)"/.exec(line)?.[1]),
    ['iptables', 'ip6tables'],
  );
});
