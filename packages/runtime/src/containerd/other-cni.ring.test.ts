import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { ipRange, isInRange, silentLogger, sleep } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { makeTestFolder, takeTestRanges, whenBrokenOff } from '@binnacle/base/testing';
import { connectCriRuntime } from '../cri/connect.ts';
import { plainSandbox } from '../testing/harness.ts';
import { type CleanOptions, cleanContainerd } from './clean.ts';
import { findPluginFolder } from './host.ts';
import { layoutOf } from './layout.ts';
import { startContainerd } from './supervisor.ts';

const run = promisify(execFile);

test("pods wait for somebody else's configuration of CNI, join by it and leave by it", async () => {
  const { pods: range, name, release } = await takeTestRanges();
  const { path: folder } = makeTestFolder();
  const [confDir, addresses] = [join(folder, 'net.d'), join(folder, 'addresses')];
  await mkdir(confDir);
  const theirs = `${name}x`;
  const known: CleanOptions = {
    stateDir: join(folder, 'ctd'),
    clock: realClock,
    log: silentLogger,
    network: { subnets: ['10.255.254.0/24'], bridge: name },
    sharedFolders: [join(folder, 'pods')],
    cgroupRoots: [`/binnacle-${name}`],
    deleteState: true,
  };
  const options = { ...known, cni: { confDir } };
  const close = async (): Promise<void> => {
    await cleanContainerd(known);
    await run('ip', ['link', 'delete', theirs]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
    release();
    forget();
  };
  const forget = whenBrokenOff(close);
  try {
    const { endpoint } = await startContainerd(options);
    const runtime = await connectCriRuntime({ endpoint, clock: realClock, log: silentLogger });
    const { network } = await runtime.status();
    assert.equal(network.ready, false);
    assert.match(network.message, /cni/i);
    assert.deepEqual(await readdir(layoutOf(known.stateDir).cniConfigDir), [], 'none of ours');

    const list = {
      cniVersion: '0.4.0',
      name: 'theirs',
      plugins: [
        {
          type: 'bridge',
          bridge: theirs,
          isGateway: true,
          ipMasq: true,
          ipam: { type: 'host-local', dataDir: addresses, ranges: [[{ subnet: range }]] },
        },
      ],
    };
    // As plugins do it: what is moved in from elsewhere containerd 1.6 does not see.
    await writeFile(join(confDir, '10-theirs.new'), JSON.stringify(list));
    await rename(join(confDir, '10-theirs.new'), join(confDir, '10-theirs.conflist'));
    for (let tries = 0; tries < 1000 && !(await runtime.status()).network.ready; tries++) await sleep(realClock, 10);
    assert.equal((await runtime.status()).network.ready, true);

    const harness = {
      cgroupParent: (uid: string) => `/binnacle-${name}/besteffort/pod${uid}`,
      logDirectory: (uid: string) => join(folder, 'logs', uid),
    };
    const addressOf = async (uid: string): Promise<{ id: string; ip: string }> => {
      const id = await runtime.runSandbox(plainSandbox(harness, uid));
      const [ip = ''] = (await runtime.sandboxStatus(id)).ips;
      return { id, ip };
    };
    const first = await addressOf('uid-1');
    assert.ok(isInRange(ipRange(range) ?? assert.fail(), first.ip), first.ip);
    await runtime.stopSandbox(first.id);
    await runtime.removeSandbox(first.id);
    const notes = async (): Promise<string[]> =>
      (await readdir(join(addresses, 'theirs'))).filter((entry) => /^\d/.test(entry));
    assert.deepEqual(await notes(), []);

    const second = await addressOf('uid-2');
    assert.deepEqual(await notes(), [second.ip]);
    await assert.rejects(startContainerd(known), { code: 'network-joined' });
    await runtime.close();
    // Who cleans knows nothing of the folder.
    assert.equal(await cleanContainerd(known), undefined);
    assert.deepEqual(await notes(), []);
    assert.deepEqual(await readdir(confDir), ['10-theirs.conflist']);
    assert.deepEqual(JSON.parse(await readFile(join(confDir, '10-theirs.conflist'), 'utf8')), list);
    const rules = (await run('iptables', ['-t', 'nat', '-S'])).stdout;
    assert.doesNotMatch(rules, new RegExp(second.ip.replaceAll('.', '\\.')));
    // Their bridge is theirs, and stays; nothing is on it.
    assert.match((await run('ip', ['-o', 'link'])).stdout, new RegExp(`${theirs}:`));
    assert.equal((await run('ip', ['-o', 'link', 'show', 'master', theirs])).stdout, '');
  } finally {
    await close();
  }
});

/** Passes on what the plugin before it came to; does not let the pod go that a file names. */
const KEEPS = `#!/bin/sh
case $CNI_COMMAND in
ADD) sed 's/.*"prevResult":\\({.*}\\),"type".*/\\1/' ;;
DEL) ! grep -q "$CNI_CONTAINERID" "$(dirname "$0")/kept" || { echo '{"code":999,"msg":"it stays"}'; exit 1; } ;;
VERSION) echo '{"cniVersion":"0.4.0","supportedVersions":["0.4.0"]}' ;;
esac
`;

test('where a plugin does not let one pod go, the others go, it is said, and the next pods may join another network', async () => {
  const { pods: range, name, release } = await takeTestRanges();
  const { path: folder } = makeTestFolder();
  const [confDir, binDir, addresses] = ['net.d', 'bin', 'addresses'].map((part) => join(folder, part)) as [
    string,
    string,
    string,
  ];
  await Promise.all([confDir, binDir].map((path) => mkdir(path)));
  const plugins = (await findPluginFolder()) ?? assert.fail('no plugins');
  for (const plugin of await readdir(plugins)) await symlink(join(plugins, plugin), join(binDir, plugin));
  await writeFile(join(binDir, 'keeps'), KEEPS, { mode: 0o755 });
  const theirs = `${name}y`;
  const ipam = { type: 'host-local', dataDir: addresses, ranges: [[{ subnet: range }]] };
  const bridge = { type: 'bridge', bridge: theirs, isGateway: true, ipam };
  const list = { cniVersion: '0.4.0', name: 'theirs', plugins: [bridge, { type: 'keeps' }] };
  await writeFile(join(confDir, '10-theirs.conflist'), JSON.stringify(list));
  const known: CleanOptions = {
    stateDir: join(folder, 'ctd'),
    clock: realClock,
    log: silentLogger,
    network: { subnets: [range], bridge: name },
    sharedFolders: [join(folder, 'pods')],
    cgroupRoots: [`/binnacle-${name}`],
    deleteState: false,
  };
  const close = async (): Promise<void> => {
    await cleanContainerd({ ...known, deleteState: true });
    await run('ip', ['link', 'delete', theirs]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
    release();
    forget();
  };
  const forget = whenBrokenOff(close);
  try {
    const { endpoint } = await startContainerd({ ...known, cni: { confDir, binDir } });
    const runtime = await connectCriRuntime({ endpoint, clock: realClock, log: silentLogger });
    const harness = {
      cgroupParent: (uid: string) => `/binnacle-${name}/besteffort/pod${uid}`,
      logDirectory: (uid: string) => join(folder, 'logs', uid),
    };
    const ids: string[] = [];
    for (let at = 0; at < 10; at++) ids.push(await runtime.runSandbox(plainSandbox(harness, `uid-${at}`)));
    const [kept = ''] = ids;
    const [address = ''] = (await runtime.sandboxStatus(kept)).ips;
    await runtime.close();
    await writeFile(join(binDir, 'kept'), kept);
    assert.match(
      (await cleanContainerd(known)) ?? '',
      new RegExp(`^pods did not leave the network of ${confDir} .*stays`),
    );
    const notes = (await readdir(join(addresses, 'theirs'))).filter((entry) => /^\d/.test(entry));
    assert.deepEqual(notes, [address], 'those that may go have left');
    assert.equal((await run('ip', ['-o', 'link', 'show', 'master', theirs])).stdout, '');
    // Another network, of ours.
    await startContainerd(known);
  } finally {
    await close();
  }
});
