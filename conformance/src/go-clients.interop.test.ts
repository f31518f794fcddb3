/** Official clients in Go (client-go over protobuf, controller-runtime), as their users write them: conformance/interop/go. */
import { startOneProcess } from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { builtProgram, listGoTests, runProgram, sourcesOf } from './programs.ts';

const program = builtProgram('bin/clients.test');

describe('clients in Go', { skip: program.skip }, () => {
  let cluster: OneProcessCluster;
  before(async () => {
    cluster = await startOneProcess({ runtime: 'simulated', nodes: 2, store: 'memory' });
  });
  after(async () => cluster?.stop());

  for (const name of program.skip === false ? listGoTests(program.path) : []) {
    test(name, async () => {
      const cwd = join(sourcesOf('go'), 'clients');
      const { kubeconfig } = cluster;
      const { code, stdout, stderr } = await runProgram(program.path, ['-test.run', `^${name}$`], { cwd, kubeconfig });
      assert.equal(code, 0, `${stdout}\n${stderr}`);
    });
  }
});

test('the clients in Go are there', { skip: program.skip }, () => {
  assert.ok(listGoTests(program.path).includes('TestEveryKindAsProtobuf'));
});
