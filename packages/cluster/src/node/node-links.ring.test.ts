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
  const layout = layOutNodes({ count: 2, podCidr: '198.18.40.0/24', nodeRange: '198.19.40.0/29', prefix: PREFIX });
  try {
    await linkNodes(run, layout);
    await linkNodes(run, layout);
    const [one, two] = layout.workers;
    for (const address of [layout.gateway, two?.address ?? ''])
      await run(['ip', 'netns', 'exec', one?.namespace ?? '', 'busybox', 'ping', '-c', '1', '-w', '3', address]);
    assert.match(await run(['ip', 'route', 'show', two?.podCidr ?? '']), new RegExp(`via ${two?.address}`));
    const way = await run(['ip', '-n', one?.namespace ?? '', 'route', 'get', '198.18.42.7']);
    assert.match(way, new RegExp(`via ${two?.address}`));
  } finally {
    await unlinkNodes(run, layout, silentLogger);
  }
  assert.doesNotMatch(list(), new RegExp(PREFIX));
  assert.doesNotMatch(await run(['ip', '-br', 'link']), new RegExp(PREFIX));
});
