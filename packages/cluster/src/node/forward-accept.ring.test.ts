/** A firewall that drops what it does not know, in a network namespace. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { IptablesNetwork } from '@binnacle/network/iptables';
import { toolRunner } from '@binnacle/network/nftables';
import { acceptForwarding, forgetForwarding } from './forward-accept.ts';

const NS = `bf${process.pid}`;
const run = toolRunner(['ip', 'netns', 'exec', NS]);
const listed = (tool: string, chain: string): Promise<string> => run([tool, '-S', chain]);
const forward = (tool: string): Promise<string> => listed(tool, 'FORWARD');
const CHAINS = ['FORWARD', 'INPUT'];
const TOOLS = ['iptables', 'ip6tables'];
const BN0 = { name: 'bn0', links: ['bn0'] };

before(() => execFileSync('ip', ['netns', 'add', NS]));
after(() => execFileSync('ip', ['netns', 'del', NS]));

/** What a chain lets through beside its policy, without what it is let through for. */
async function accepted(tool: string, chain: string): Promise<string[]> {
  const rules = (await listed(tool, chain)).split('\n').filter((rule) => rule.startsWith('-A '));
  return rules
    .map((rule) => /^-A \S+ (.*) -m comment --comment "binnacle bn0" -j ACCEPT\s*$/.exec(rule)?.[1] ?? rule)
    .toSorted();
}

const STATES = '-m conntrack --ctstate';
const OF_LINK = (link: string): string[] => [`-i ${link}`, `-o ${link} ${STATES} RELATED,ESTABLISHED,DNAT`];

test('where everything is let through nothing is added; else the bridge is, once, until it is taken away', async () => {
  await acceptForwarding(run, BN0, silentLogger);
  for (const chain of CHAINS) assert.equal((await listed('iptables', chain)).trim(), `-P ${chain} ACCEPT`);
  for (const tool of TOOLS) for (const chain of CHAINS) await run([tool, '-P', chain, 'DROP']);
  await acceptForwarding(run, BN0, silentLogger);
  await acceptForwarding(run, BN0, silentLogger);
  for (const tool of TOOLS) {
    assert.deepEqual(await accepted(tool, 'FORWARD'), OF_LINK('bn0'));
    assert.deepEqual(await accepted(tool, 'INPUT'), [`-i bn0 ${STATES} DNAT`], 'Services that the machine answers');
  }
  await forgetForwarding(run, 'bn0', silentLogger);
  for (const tool of TOOLS) {
    for (const chain of CHAINS) {
      assert.equal((await listed(tool, chain)).trim(), `-P ${chain} DROP`);
      await run([tool, '-P', chain, 'ACCEPT']);
    }
  }
});

test('so where a last rule drops everything, and not where it drops something', async () => {
  for (const [rule, isAll] of [
    [['-s', '192.0.2.0/24', '-j', 'REJECT'], false],
    [['-j', 'REJECT', '--reject-with', 'icmp-host-prohibited'], true],
    [['-j', 'DROP'], true],
  ] as const) {
    await run(['iptables', '-A', 'FORWARD', ...rule]);
    await acceptForwarding(run, BN0, silentLogger);
    assert.equal((await accepted('iptables', 'FORWARD')).length, isAll ? 3 : 1, rule.join(' '));
    await forgetForwarding(run, 'bn0', silentLogger);
    await run(['iptables', '-F', 'FORWARD']);
  }
});

test('further nodes of the machine are let through, and reach its API server and names; pods of other machines by their ranges', async () => {
  for (const tool of TOOLS) for (const chain of CHAINS) await run([tool, '-P', chain, 'DROP']);
  const doors = [
    { protocol: 'udp', port: 53 },
    { protocol: 'tcp', port: 6443 },
  ] as const;
  try {
    await acceptForwarding(run, { name: 'bn0', links: ['bn0', 'bn0n'], asked: { link: 'bn0n', doors } }, silentLogger);
    for (const tool of TOOLS) {
      assert.deepEqual(await accepted(tool, 'FORWARD'), [...OF_LINK('bn0'), ...OF_LINK('bn0n')].toSorted());
      const asked = ['-i bn0n -p tcp -m tcp --dport 6443', '-i bn0n -p udp -m udp --dport 53'];
      const dnat = ['bn0', 'bn0n'].map((link) => `-i ${link} ${STATES} DNAT`);
      assert.deepEqual(await accepted(tool, 'INPUT'), [...dnat, ...asked].toSorted());
    }
    await forgetForwarding(run, 'bn0', silentLogger);
    await acceptForwarding(run, { name: 'bn0', links: [], ranges: ['10.9.0.0/16', 'fd09::/48'] }, silentLogger);
    for (const [tool, range] of [
      ['iptables', '10.9.0.0/16'],
      ['ip6tables', 'fd09::/48'],
    ] as const) {
      assert.deepEqual(await accepted(tool, 'FORWARD'), [`-d ${range}`, `-s ${range}`]);
      assert.deepEqual(await accepted(tool, 'INPUT'), [`-s ${range} ${STATES} DNAT`]);
    }
  } finally {
    await forgetForwarding(run, 'bn0', silentLogger);
    for (const tool of TOOLS) for (const chain of CHAINS) await run([tool, '-P', chain, 'ACCEPT']);
  }
});

test('of another start nothing more than this one lets through stays', async () => {
  await run(['iptables', '-P', 'INPUT', 'DROP']);
  const asked = (port: number) => ({ link: 'bn0n', doors: [{ protocol: 'tcp', port }] as const });
  try {
    await acceptForwarding(run, { name: 'bn0', links: ['bn0', 'bn0n'], asked: asked(6443) }, silentLogger);
    await acceptForwarding(run, { ...BN0, asked: asked(7443) }, silentLogger);
    const own = `-i bn0 ${STATES} DNAT`;
    assert.deepEqual(await accepted('iptables', 'INPUT'), [own, '-i bn0n -p tcp -m tcp --dport 7443']);
    await acceptForwarding(run, BN0, silentLogger);
    assert.deepEqual(await accepted('iptables', 'INPUT'), [own]);
  } finally {
    await forgetForwarding(run, 'bn0', silentLogger);
    await run(['iptables', '-P', 'INPUT', 'ACCEPT']);
  }
});

test('what is let through is so behind what refuses Services that nobody serves, whichever came first', async () => {
  const order = async (): Promise<string[]> =>
    (await forward('iptables')).split('\n').flatMap((rule) => (/^-A .* -j (\S+)$/.exec(rule.trim()) ?? []).slice(1));
  const node = { podRanges: [], serviceRanges: ['10.96.0.0/16'], masqueradeAll: false, masqueradeBit: 14 };
  const network = new IptablesNetwork({ prefix: 'BN0', families: ['IPv4'], run, log: silentLogger });
  await run(['iptables', '-P', 'FORWARD', 'DROP']);
  await run(['iptables', '-A', 'FORWARD', '-j', 'RETURN']);
  try {
    await network.replace(node, new Map());
    await acceptForwarding(run, BN0, silentLogger);
    assert.deepEqual(await order(), ['BN0-FORWARD', 'ACCEPT', 'ACCEPT', 'RETURN']);
    await run(['iptables', '-D', 'FORWARD', '1']);
    await run(['iptables', '-I', 'FORWARD', '3', '-m', 'conntrack', '--ctstate', 'NEW', '-j', 'BN0-FORWARD']);
    await acceptForwarding(run, BN0, silentLogger);
    assert.deepEqual(await order(), ['BN0-FORWARD', 'ACCEPT', 'ACCEPT', 'RETURN'], 'as an earlier one left it');
  } finally {
    await network.remove();
    await forgetForwarding(run, 'bn0', silentLogger);
    await run(['iptables', '-F', 'FORWARD']);
  }
});
