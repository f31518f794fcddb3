/** The published package: packed, installed into an empty folder, and used with plain Node, kubectl and TypeScript. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findKubectl, kubectlOutput, makeFolder } from '@binnacle/testkit';
import type { TestFolder } from '@binnacle/testkit';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A program that tells one line on stdout when it is ready, and ends by itself on SIGTERM. */
interface Program {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  readonly line: Promise<string>;
  readonly ended: Promise<number | null>;
}

let folder: TestFolder;
before(() => {
  folder = makeFolder();
  execFileSync(process.execPath, [join(ROOT, 'tools/release/build.ts'), '--pack'], { cwd: ROOT, stdio: 'pipe' });
  const tarball = readdirSync(join(ROOT, 'dist')).find((name) => name.endsWith('.tgz'));
  assert.ok(tarball, 'npm pack made a tarball');
  writeFileSync(join(folder.path, 'package.json'), '{ "private": true, "type": "module" }\n');
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder.path];
  execFileSync('npm', ['install', ...quiet, join(ROOT, 'dist', tarball)], { cwd: folder.path, stdio: 'pipe' });
});
after(() => folder.remove());

const installed = (path: string): string => join(folder.path, 'node_modules/binnacle', path);

function start(args: readonly string[]): Program {
  const child = spawn(process.execPath, args, { cwd: folder.path, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const line = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', resolve);
    void ended.then((code) => reject(new RangeError(`the program ended with ${code}`)));
  });
  return { child, line, ended };
}

async function stop({ child, ended }: Program): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await ended, 0, 'it ends by itself when asked to');
}

describe('a cluster out of the package', () => {
  let cluster: Program;
  let kubectl: (args: readonly string[]) => Promise<string>;
  before(async () => {
    assert.deepEqual(
      readdirSync(join(folder.path, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['binnacle'],
      'it has no dependencies',
    );
    const kubeconfig = join(folder.path, 'kubeconfig');
    const flags = ['--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0', '--output', 'json', '--nodes', '2'];
    const dataDir = join(folder.path, 'data');
    cluster = start([installed('bin/binnacle.mjs'), 'up', '--runtime', 'simulated', '--data-dir', dataDir, ...flags]);
    const program = await findKubectl();
    assert.ok(program, 'there is a kubectl');
    kubectl = (args) => kubectlOutput(program, kubeconfig, args);
  });
  after(() => stop(cluster));

  test('tells when it is ready, and answers kubectl', async () => {
    const ready = JSON.parse(await cluster.line) as Record<'listening' | 'ready' | 'nodeReady' | 'pid', number>;
    assert.equal(ready.pid, cluster.child.pid);
    assert.ok(ready.listening <= ready.ready && ready.ready <= ready.nodeReady);
    assert.match(await kubectl(['get', 'nodes']), /node-0\s+Ready/);
  });

  test("runs a scheduler of one's own, as its page says", async () => {
    await cluster.line;
    await kubectl(['wait', '--for=condition=Ready', '--all', 'nodes', '--timeout=60s']);
    await kubectl(['label', 'node', 'node-0', 'example.com/price=9']);
    await kubectl(['label', 'node', 'node-1', 'example.com/price=3']);
    const example = join(folder.path, 'cheapest-scheduler.ts');
    copyFileSync(installed('examples/cheapest-scheduler.ts'), example);
    const scheduler = start([example, join(folder.path, 'kubeconfig')]);
    try {
      await scheduler.line;
      const overrides = JSON.stringify({ spec: { schedulerName: 'cheapest' } });
      await kubectl(['run', 'cheap', '--image=busybox', `--overrides=${overrides}`]);
      await kubectl(['wait', '--for=condition=PodScheduled', 'pod/cheap', '--timeout=60s']);
      assert.equal(await kubectl(['get', 'pod', 'cheap', '-o', 'jsonpath={.spec.nodeName}']), 'node-1');
    } finally {
      await stop(scheduler);
    }
  });
});

describe('types out of the package', () => {
  /** What a project outside has: the package, TypeScript, Node's types. */
  let project: TestFolder;
  before(() => {
    project = makeFolder();
    mkdirSync(join(project.path, 'node_modules/@types'), { recursive: true });
    symlinkSync(installed('.'), join(project.path, 'node_modules/binnacle'));
    for (const name of ['@types/node', 'undici-types']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(project.path, 'node_modules', name));
    }
    writeFileSync(join(project.path, 'package.json'), '{ "private": true, "type": "module" }\n');
    copyFileSync(installed('examples/cheapest-scheduler.ts'), join(project.path, 'scheduler.ts'));
  });
  after(() => project.remove());

  /** What `tsc --strict` says of a file of the project, with every declaration looked at. */
  function mistakes(file: string, flags: readonly string[]): string {
    const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'];
    const all = [...strict, '--types', 'node', ...flags, file];
    return spawnSync(join(ROOT, 'node_modules/.bin/tsc'), all, { cwd: project.path, encoding: 'utf8' }).stdout;
  }

  const WAYS = [
    ['node', ['--module', 'nodenext', '--target', 'es2024']],
    ['a bundler', ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022']],
  ] as const;
  for (const [resolution, flags] of WAYS) {
    test(`the example in forty lines compiles, resolved as by ${resolution}`, () => {
      assert.equal(mistakes('scheduler.ts', flags), '');
    });
  }

  test('a filter that answers a text, and a point that does not exist, are mistakes', () => {
    const source = [
      "import type { Node, Plugin, Pod } from 'binnacle/scheduler';",
      "export const filters: Plugin = { name: 'x', filter: () => () => 'no' };",
      "export const misspelt: Plugin = { name: 'x', fliter: () => () => undefined };",
      'export const names = (pod: Pod, node: Node): number => pod.spec.nodeName ?? node.metadata.name;',
    ];
    writeFileSync(join(project.path, 'wrong.ts'), `${source.join('\n')}\n`);
    const lines = mistakes('wrong.ts', WAYS[0][1]).split('\n');
    const told = lines.flatMap((line) => /^wrong\.ts\((\d+),\d+\): error (TS\d+)/.exec(line)?.slice(1).join(' ') ?? []);
    assert.deepEqual(told, ['2 TS2322', '3 TS2561', '4 TS2322']);
  });

  test('they are those of the door alone, and name nothing of the house', () => {
    const types = installed('types');
    const files = readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
    let bytes = 0;
    for (const file of files) {
      assert.doesNotMatch(readFileSync(join(types, file), 'utf8'), /from ['"]@binnacle/, file);
      bytes += statSync(join(types, file)).size;
    }
    // 40 files, 140 KB: a room's whole declarations would be ten times as many.
    assert.ok(files.length < 60 && bytes < 220_000, `${files.length} files, ${bytes} bytes`);
  });
});
