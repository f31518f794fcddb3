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
const forward = (tool: string): Promise<string> => run([tool, '-S', 'FORWARD']);

before(() => execFileSync('ip', ['netns', 'add', NS]));
after(() => execFileSync('ip', ['netns', 'del', NS]));

test('where everything is let through nothing is added; else the bridge is, once, until it is taken away', async () => {
  await acceptForwarding(run, 'bn0', silentLogger);
  assert.equal((await forward('iptables')).trim(), '-P FORWARD ACCEPT');
  for (const tool of ['iptables', 'ip6tables']) await run([tool, '-P', 'FORWARD', 'DROP']);
  await acceptForwarding(run, 'bn0', silentLogger);
  await acceptForwarding(run, 'bn0', silentLogger);
  for (const tool of ['iptables', 'ip6tables']) {
    const rules = (await forward(tool)).trim().split('\n');
    assert.equal(rules.length, 3, rules.join('\n'));
    assert.ok(rules.slice(1).every((rule) => rule.includes('binnacle bn0') && rule.endsWith('-j ACCEPT')));
  }
  await forgetForwarding(run, 'bn0', silentLogger);
  for (const tool of ['iptables', 'ip6tables']) assert.equal((await forward(tool)).trim(), '-P FORWARD DROP');
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
    await acceptForwarding(run, 'bn0', silentLogger);
    assert.deepEqual(await order(), ['BN0-FORWARD', 'ACCEPT', 'ACCEPT', 'RETURN']);
    await run(['iptables', '-D', 'FORWARD', '1']);
    await run(['iptables', '-I', 'FORWARD', '3', '-m', 'conntrack', '--ctstate', 'NEW', '-j', 'BN0-FORWARD']);
    await acceptForwarding(run, 'bn0', silentLogger);
    assert.deepEqual(await order(), ['BN0-FORWARD', 'ACCEPT', 'ACCEPT', 'RETURN'], 'as an earlier one left it');
  } finally {
    await network.remove();
    await forgetForwarding(run, 'bn0', silentLogger);
    await run(['iptables', '-F', 'FORWARD']);
  }
});
