/** `nft monitor` of a process that ends, in a network namespace of its own. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

const NS = `btw${process.pid}`;
const WATCHER = `
  const { watchTables } = await import(${JSON.stringify(new URL('./table-watch.ts', import.meta.url).href)});
  const { Scope, silentLogger } = await import('@binnacle/base');
  const scope = new Scope('test');
  const watch = watchTables({ log: silentLogger, scope }, async () => console.log('gone'));
  process.stdin.once('data', () =>
    watch.quietly(async () => {
      console.log('quiet');
      await new Promise((resolve) => process.stdin.once('data', resolve));
    }),
  );
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => scope.close().then(() => process.exit(0)));
  console.log('ready');
  setInterval(() => {}, 1000);
`;

before(() => execFileSync('ip', ['netns', 'add', NS]));
after(() => execFileSync('ip', ['netns', 'del', NS]));

function monitors(): number {
  const inode = (path: string): string => execFileSync('stat', ['-Lc', '%i', path], { encoding: 'utf8' }).trim();
  const own = inode(`/var/run/netns/${NS}`);
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return (
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('nft\0monitor') && inode(`/proc/${pid}/ns/net`) === own
      );
    } catch {
      // It ended while we looked.
      return false;
    }
  }).length;
}

async function until(wanted: number): Promise<void> {
  const deadline = performance.now() + 5000;
  while (monitors() !== wanted) {
    assert.ok(performance.now() < deadline, `${monitors()} monitors, not ${wanted}`);
    await pause(20);
  }
}

type Watcher = ChildProcess & { readonly [stream in 'stdin' | 'stdout']: NonNullable<ChildProcess[stream]> };

async function start(how: { readonly detached?: boolean } = {}): Promise<Watcher> {
  const args = ['netns', 'exec', NS, process.execPath, '--input-type=module', '-e', WATCHER];
  const child = spawn('ip', args, { stdio: ['pipe', 'pipe', 'inherit'], cwd: import.meta.dirname, ...how });
  await once(child.stdout, 'data');
  await until(1);
  return child;
}

test('a table that goes is told', async () => {
  const child = await start();
  const told = once(child.stdout, 'data');
  const nft = (...args: readonly string[]): unknown => execFileSync('ip', ['netns', 'exec', NS, 'nft', ...args]);
  // The monitor may not listen yet: it is asked for again until it hears.
  const again = setInterval(() => {
    nft('add', 'table', 'ip', 't');
    nft('flush', 'ruleset');
  }, 100);
  const [text] = (await told) as [Buffer];
  clearInterval(again);
  assert.equal(String(text).split('\n')[0], 'gone');
  child.kill('SIGTERM');
  await until(0);
});

test('nobody listens while much changes; then it is looked for', async () => {
  const child = await start();
  child.stdin.write('quiet\n');
  const [quiet] = (await once(child.stdout, 'data')) as [Buffer];
  assert.equal(String(quiet), 'quiet\n');
  assert.equal(monitors(), 0);
  child.stdin.write('again\n');
  const [looked] = (await once(child.stdout, 'data')) as [Buffer];
  assert.equal(String(looked), 'gone\n');
  await until(1);
  child.kill('SIGTERM');
  await until(0);
});

test('a process that is killed leaves no monitor', async () => {
  const child = await start();
  child.kill('SIGKILL');
  await until(0);
});

test('Ctrl-C, of which all that runs in the terminal hears, ends it with its monitor', async () => {
  const watcher = await start({ detached: true });
  const terminal = watcher.pid ?? assert.fail('it runs');
  try {
    process.kill(-terminal, 'SIGINT');
    await once(watcher, 'exit', { signal: AbortSignal.timeout(10_000) });
    await until(0);
  } finally {
    if (watcher.exitCode === null) process.kill(-terminal, 'SIGKILL');
  }
});

/** Looks slowly while tables go without end, and tells how many looks came after the monitor was stopped. */
const FLOODED = `
  const { watchTables } = await import(${JSON.stringify(new URL('./table-watch.ts', import.meta.url).href)});
  const { Scope, silentLogger } = await import('@binnacle/base');
  const scope = new Scope('test');
  let looks = 0;
  const turns = async (count) => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  const watch = watchTables({ log: silentLogger, scope }, () => (looks++, turns(20)));
  while (looks < 10) await turns(1);
  await watch.quietly(async () => {
    const before = looks;
    await turns(400);
    console.log(looks - before);
  });
  await scope.close();
`;

test('tables that go faster than they are looked for are looked for once more', () => {
  const folder = mkdtempSync(join(tmpdir(), 'binnacle-nft-'));
  try {
    writeFileSync(join(folder, 'nft'), "#!/bin/sh\ntrap '' TERM\nwhile echo destroy table ip t; do :; done\n", {
      mode: 0o755,
    });
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
    const how = { cwd: import.meta.dirname, env, encoding: 'utf8', timeout: 30_000 } as const;
    const more = Number(execFileSync(process.execPath, ['--input-type=module', '-e', FLOODED], how));
    assert.ok(more <= 1, `${more} looks`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
