/** Further nodes as namespaces, beside a machine that is a namespace itself. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { toolRunner } from '@binnacle/network/nftables';
import { layOutNodes } from './node-layout.ts';
import { linkNodes, unlinkNodes } from './node-links.ts';

const PREFIX = `bw${process.pid % 100_000}`;
const list = (): string => execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' });

test('nodes reach the machine and each other, are linked twice without harm, and leave nothing', async () => {
  const run = toolRunner();
  const layout = layOutNodes({
    count: 2,
    podCidrs: ['198.18.40.0/24', 'fd98:40::/64'],
    nodeRanges: ['198.19.40.0/29', 'fd99:40::/64'],
    prefix: PREFIX,
  });
  try {
    await linkNodes(run, layout);
    await linkNodes(run, layout);
    const [one, two] = layout.workers;
    for (const address of [...layout.gateways, ...(two?.addresses ?? [])])
      await run(['ip', 'netns', 'exec', one?.namespace ?? '', 'busybox', 'ping', '-c', '1', '-w', '3', address]);
    for (const setting of [`${layout.bridge}/accept_ra`, `${layout.bridge}/disable_ipv6`])
      assert.equal((await run(['cat', `/proc/sys/net/ipv6/conf/${setting}`])).trim(), '0', setting);
    for (const { link } of layout.workers)
      assert.match(
        await run(['ip', '-d', 'link', 'show', 'dev', link]),
        / hairpin on /,
        'to itself by way of the machine',
      );
  } finally {
    await unlinkNodes(run, layout, silentLogger);
  }
  assert.doesNotMatch(list(), new RegExp(PREFIX));
  assert.doesNotMatch(await run(['ip', '-br', 'link']), new RegExp(PREFIX));
});
