import assert from 'node:assert/strict';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { aboutOthersNetwork, cniFolders, refuseOddCni } from './cni-choice.ts';
import type { CniFlags } from './cni-choice.ts';

const { path: folder } = makeTestFolder();
const file = join(folder, 'file');
writeFileSync(file, '');

for (const [name, flags, expected] of [
  ['none', { runtime: 'simulated', workers: 2 }, undefined],
  ['both', { runtime: 'auto', cniConfDir: folder, cniBinDir: folder, workers: 0 }, undefined],
  ['plugins, and ways of our own', { runtime: 'containerd', cniBinDir: folder, podNetwork: 'vxlan' }, undefined],
  ['simulated', { runtime: 'simulated', cniConfDir: folder }, /--cni-conf-dir needs --runtime=containerd/],
  ['docker', { runtime: 'docker', cniBinDir: folder }, /--cni-bin-dir needs --runtime=containerd/],
  ["somebody else's runtime", { containerRuntimeEndpoint: 'x', cniBinDir: folder }, /--container-runtime-endpoint/],
  ['further nodes', { cniConfDir: folder, workers: 1 }, /--cni-conf-dir and --workers exclude/],
  ['two sorts of ways', { cniConfDir: folder, podNetwork: 'vxlan' }, /--cni-conf-dir and --pod-network exclude/],
  ['an absent folder', { cniConfDir: join(folder, 'no') }, /--cni-conf-dir: cannot read .*no$/],
  ['no folder', { cniBinDir: file }, /--cni-bin-dir: .*file is no folder/],
] satisfies [string, CniFlags, RegExp | undefined][]) {
  test(`folders of CNI: ${name}`, async () => {
    if (expected === undefined) await refuseOddCni(flags);
    else await assert.rejects(refuseOddCni(flags), { code: 'usage', message: expected });
  });
}

test('the containerd, which has another working directory, is told whole paths', () => {
  assert.deepEqual(cniFolders({ cniConfDir: 'net.d' }), { confDir: join(process.cwd(), 'net.d') });
  assert.deepEqual(cniFolders({ cniBinDir: '/opt/cni/bin/' }), { binDir: '/opt/cni/bin' });
  assert.deepEqual(cniFolders({}), {});
  assert.match(aboutOthersNetwork({ cniConfDir: '/etc/cni/net.d' }) ?? '', /\/etc\/cni\/net\.d/);
  assert.equal(aboutOthersNetwork({ cniBinDir: '/opt/cni/bin' }), undefined);
});
