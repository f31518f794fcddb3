/** A firewall that drops what it does not know, in a network namespace. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
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
