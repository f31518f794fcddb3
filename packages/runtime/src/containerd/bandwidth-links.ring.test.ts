import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { silentLogger } from '@binnacle/base';
import { plainSandbox } from '../testing/harness.ts';
import { bandwidthLinkOf, linksOf, removeLostBandwidthLinks } from './bandwidth-links.ts';
import { testbedScene } from './testing/testbed-scene.ts';
import { criHarness } from './testing/testbed.ts';

const run = promisify(execFile);
const BANDWIDTHS = { 'kubernetes.io/ingress-bandwidth': '10M', 'kubernetes.io/egress-bandwidth': '5M' };

describe('the bandwidth of a pod', () => {
  const scene = testbedScene();
  const links = async (): Promise<string[]> => linksOf(await readFile('/proc/self/net/dev', 'utf8'));
  const linkOf = (id: string): string => bandwidthLinkOf(scene().bed.name, id);
  const startPod = (uid: string, annotations: { readonly [name: string]: string } = BANDWIDTHS): Promise<string> =>
    scene().runtime.runSandbox(plainSandbox(criHarness(scene().bed), uid, { annotations }));

  test('is kept both ways, and its link goes with the pod', async () => {
    const { runtime } = scene();
    const id = await startPod('shaped');
    const { stdout: sends } = await run('tc', ['qdisc', 'show', 'dev', linkOf(id)]);
    assert.match(sends, /tbf .* rate 5Mbit/);
    const { stdout: all } = await run('tc', ['qdisc']);
    assert.match(all, /tbf .* dev veth\S+ .*rate 10Mbit/);
    await runtime.stopSandbox(id);
    assert.ok(!(await links()).includes(linkOf(id)));
    await runtime.removeSandbox(id);
  });

  test('that is no quantity is refused', async () => {
    await assert.rejects(startPod('odd', { 'kubernetes.io/ingress-bandwidth': 'plenty' }), /bandwidth/);
  });

  test('leaves no link where its plugin was killed', async () => {
    const { bed, runtime } = scene();
    const id = await startPod('living');
    // As a plugin leaves it that is killed between the pod's address and the end.
    const lost = linkOf('killed');
    const ipam = join(bed.options.stateDir, 'cni/ipam', bed.name);
    await writeFile(join(ipam, bed.podRange.replace(/0\/\d+$/, '200')), 'killed\r\neth0');
    await run('ip', ['link', 'add', lost, 'type', 'ifb']);
    const { stateDir, network } = bed.options;
    const sandboxes = new Set([id]);
    await removeLostBandwidthLinks({ stateDir, bridge: network.bridge, sandboxes }, silentLogger);
    const left = await links();
    assert.deepEqual([left.includes(lost), left.includes(linkOf(id))], [false, true]);
    await runtime.stopSandbox(id);
  });
});
