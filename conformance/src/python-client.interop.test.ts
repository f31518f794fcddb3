/** The official Python client, as people script it: conformance/interop/python. */
import { skipWithoutContainerd, startContainerdCluster, startOneProcess } from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { builtProgram, runProgram, sourcesOf } from './programs.ts';

const python = builtProgram('python/bin/python');
const program = join(sourcesOf('python'), 'dynamic_client.py');

interface Row {
  readonly nodes: string;
  readonly skip: string | false;
  readonly checks: readonly string[];
  start(): Promise<OneProcessCluster>;
}

const ROWS: readonly Row[] = [
  {
    nodes: 'simulated nodes',
    skip: python.skip,
    checks: ['typed', 'dynamically', 'watching', 'from_yaml'],
    start: () => startOneProcess({ runtime: 'simulated', store: 'memory' }),
  },
  {
    nodes: 'real containers',
    skip: python.skip || (await skipWithoutContainerd()),
    checks: ['executing'],
    start: () => startContainerdCluster(),
  },
];

for (const row of ROWS) {
  const { nodes, skip, checks } = row;
  describe(`the Python client, ${nodes}`, { skip }, () => {
    let cluster: OneProcessCluster;
    before(async () => {
      cluster = await row.start();
    });
    after(async () => cluster?.stop());

    for (const check of checks) {
      test(check, async () => {
        const { kubeconfig } = cluster;
        const { code, stdout, stderr } = await runProgram(python.path, [program, check], { kubeconfig });
        assert.equal(code, 0, `${stdout}\n${stderr}`);
      });
    }
  });
}
