import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { TestkitError } from './errors.ts';
import { makeFolder } from './folder.ts';
import { findKubectl, kubectlOutput, runKubectl } from './kubectl.ts';
import type { Kubectl } from './kubectl.ts';

const folder = makeFolder();
after(() => folder.remove());

/** A program of that name in a folder of its own: a few lines of shell. */
function program(place: string, name: string, lines: string): string {
  mkdirSync(join(folder.path, place), { recursive: true });
  writeFileSync(join(folder.path, place, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  return join(folder.path, place);
}

const versioned = (version: string): string => `echo '{"clientVersion": {"gitVersion": "${version}"}}'`;

describe('which kubectl is found', () => {
  const old = program('old', 'kubectl', versioned('v1.27.16'));
  const named = program('named', 'kubectl.1.33', versioned('v1.33.1'));
  const lying = program('lying', 'kubectl.1.27', versioned('v1.30.2'));
  const failing = program('failing', 'kubectl', 'echo broken >&2; exit 1');
  const chatty = program('chatty', 'kubectl', 'echo hello');
  writeFileSync(join(program('plain', 'other', ''), 'kubectl'), versioned('v1.27.16'), { mode: 0o644 });
  const plain = join(folder.path, 'plain');
  const rows: [what: string, minor: string | undefined, folders: string[], found: string | undefined][] = [
    ['whatever is there', undefined, [old], 'v1.27.16'],
    ['the newest by name before an earlier folder', undefined, [old, named], 'v1.33.1'],
    ['the minor version that is wanted', '1.27', [named, old], 'v1.27.16'],
    ['none of another version', '1.28', [named, old], undefined],
    ['a name that lies is not believed', '1.27', [lying], undefined],
    ['one that fails is passed over', undefined, [failing, old], 'v1.27.16'],
    ['one that tells no version is passed over', undefined, [chatty, old], 'v1.27.16'],
    ['one that cannot be run is passed over', undefined, [plain, old], 'v1.27.16'],
    ['none where none is', undefined, [join(folder.path, 'nowhere')], undefined],
  ];
  for (const [what, minor, folders, found] of rows) {
    test(what, async () => {
      assert.equal((await findKubectl(minor, folders))?.version, found);
    });
  }
});

describe('what a command came to', () => {
  const kubectl = (name: string, lines: string): Kubectl => ({
    path: join(program('run', name, lines), name),
    version: 'v1.33.1',
  });
  const kubeconfig = join(folder.path, 'kubeconfig');

  test('it is told with its code and both outputs, and given its input and a home beside its kubeconfig', async () => {
    const echo = kubectl('echo', 'cat; echo "$KUBECONFIG $HOME $1" >&2; exit 3');
    assert.deepEqual(await runKubectl(echo, kubeconfig, ['get'], 'kind: Pod'), {
      code: 3,
      stdout: 'kind: Pod',
      stderr: `${kubeconfig} ${folder.path} get\n`,
    });
  });

  test('whoever wants its output gets a failure with both', async () => {
    const failing = kubectl('failing', 'echo half; echo whole >&2; exit 1');
    await assert.rejects(kubectlOutput(failing, kubeconfig, ['get', 'pods']), (error: Error) => {
      assert.ok(error instanceof TestkitError);
      assert.equal(error.message, 'kubectl get pods ended with 1:\nhalf\nwhole\n');
      return true;
    });
  });

  test('one that ends before it has read its input has failed by its code, and nothing else', async () => {
    const deaf = kubectl('deaf', 'echo "unknown flag" >&2; exit 1');
    const { code, stderr } = await runKubectl(deaf, kubeconfig, ['apply'], 'x'.repeat(1 << 20));
    assert.deepEqual([code, stderr], [1, 'unknown flag\n']);
  });

  test('one that hangs is no refusal: who expects a failure does not get one', async () => {
    const hanging = { ...kubectl('hanging', 'trap "" TERM; exec sleep 600'), deadlineMs: 10 };
    await assert.rejects(runKubectl(hanging, kubeconfig, ['get', 'pods']), /kubectl get pods did not end in 10 ms/);
  });

  test('neither is one that is not there', async () => {
    const missing = { path: join(folder.path, 'missing'), version: 'v1.33.1' };
    await assert.rejects(runKubectl(missing, kubeconfig, ['get']), /kubectl get could not be run: .*ENOENT/);
  });
});
