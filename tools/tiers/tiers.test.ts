import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { failuresOf } from './failures.ts';
import { openFlakes, withFlake } from './flakes.ts';
import { runSuite } from './run-suite.ts';
import { laneOf, readSuites, tierOf } from './suites.ts';
import type { Suite } from './suites.ts';
import { keptSeconds, loosenedWithoutReason, tightened } from './times.ts';

function folderWith(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'tiers-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe('suites', () => {
  test('the tier of a file', () => {
    const rows: [string, string][] = [
      ['packages/base/src/queue.test.ts', 'beside'],
      ['packages/streams/src/new-room.test.ts', 'beside'],
      ['packages/store/src/etcd/connect.ring.test.ts', 'rings'],
      ['packages/store/src/crash.soak.test.ts', 'soak'],
      ['conformance/src/story.test.ts', 'cluster'],
      ['conformance/src/ledger/sig-apps/deployment.test.ts', 'ledger'],
      ['conformance/src/client-go.interop.test.ts', 'interop'],
      ['packages/cluster/src/page.browser.test.ts', 'browser'],
    ];
    for (const [path, tier] of rows) assert.equal(tierOf(path), tier, path);
  });

  test('the lane of a file', () => {
    const rows: [string, string, string][] = [
      ['conformance/src/logs.test.ts', "import { startContainerdCluster } from '@binnacle/testkit';", 'containers'],
      ['packages/kubelet/src/node/kubelet.ring.test.ts', "from '@binnacle/runtime/cri';", 'containers'],
      ['packages/runtime/src/cri/channel.ring.test.ts', '', 'containers'],
      [
        'conformance/src/ledger/sig-network/dns.test.ts',
        "behaviours('containers', 'names', (check) => {",
        'containers',
      ],
      ['conformance/src/ledger/sig-apps/a.test.ts', "behaviours('simulated', 'containers', (check) => {", 'simulated'],
      ['packages/store/src/etcd/connect.ring.test.ts', "import { criteria } from './x.ts';", 'simulated'],
    ];
    for (const [path, text, lane] of rows) assert.equal(laneOf(path, text), lane, path);
  });

  test('rooms that nobody listed are found, the ledger is one suite a lane, packages of others are left out', () => {
    const root = folderWith({
      'packages/new/src/deep/a.ring.test.ts': '',
      'packages/new/node_modules/x/b.ring.test.ts': '',
      'conformance/src/ledger/sig-apps/a.test.ts': '',
      'conformance/src/ledger/sig-node/b.test.ts': '',
      'conformance/src/ledger/sig-node/c.test.ts': 'startContainerdCluster()',
    });
    try {
      const found = readSuites(root).map((s) => [s.name, s.files.length]);
      assert.deepEqual(found, [
        ['ledger containers', 1],
        ['ledger simulated', 2],
        ['rings packages/new/deep/a', 1],
      ]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

test('a suite tells its tests, skips with their reasons, failures with what was written', async () => {
  const root = folderWith({
    'a.test.ts':
      "import test from 'node:test';\ntest('good', () => {});\ntest('left', { skip: 'no Go here' }, () => {});\ntest('bad', () => { console.log('a trace'); throw new Error('broken', { cause: new Error('the root') }); });\n",
  });
  try {
    const outcome = await runSuite({ name: 'a', tier: 'rings', lane: 'simulated', files: ['a.test.ts'] }, root, {
      testSecondsMax: 20,
    });
    assert.equal(outcome.ok, false);
    const rows = outcome.tests.filter((t) => t.suite !== true).map((t) => [t.name, t.ok, t.skip]);
    assert.deepEqual(rows.slice(0, 3), [
      ['good', true, undefined],
      ['left', true, 'no Go here'],
      ['bad', false, undefined],
    ]);
    assert.match(outcome.tests.find((t) => t.name === 'bad')?.text ?? '', /broken[^]*the root/);
    assert.match(outcome.output, /a trace/);
  } finally {
    rmSync(root, { recursive: true });
  }
});

const GOOD = "import test from 'node:test';\ntest('good', () => {});\n";
for (const [what, text, ok, said] of [
  ['whose process breaks after its tests', `${GOOD}process.on('exit', () => process.exit(3));\n`, false, /^/],
  ['that cannot be read', `${GOOD}test('half', () => {\n`, false, /SyntaxError/],
  ['without a test', 'export const a = 1;\n', false, /there is no test in it/],
  [
    'of a description without a test',
    "import { describe } from 'node:test';\ndescribe('a', () => {});\n",
    false,
    /no test was told/,
  ],
  ['that is not there', undefined, false, /Could not find|a\.test\.ts/],
  [
    'whose tests write what looks like a verdict',
    `${GOOD}console.log('{"kind":"test", no');\n`,
    true,
    /"kind":"test", no/,
  ],
] as const)
  test(`a suite ${what} is ${ok ? 'as good as its tests' : 'no good one'}`, async () => {
    const root = folderWith(text === undefined ? {} : { 'a.test.ts': text });
    try {
      const suite: Suite = { name: 'a', tier: 'rings', lane: 'simulated', files: ['a.test.ts'] };
      const outcome = await runSuite(suite, root, { testSecondsMax: 60 });
      assert.equal(outcome.ok, ok);
      assert.match([outcome.output, ...outcome.tests.map((one) => one.text ?? '')].join('\n'), said);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

for (const isolation of ['process', 'none']) {
  test(`of the files in one run (isolation ${isolation}) the one that has lost its tests fails it, and is named`, () => {
    const root = folderWith({ 'a.test.ts': GOOD, 'b.test.ts': 'export const b = 1;\n' });
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const reporter = fileURLToPath(new URL('dots.ts', import.meta.url));
    const run = (...files: string[]): { readonly status: number | null; readonly stdout: string } =>
      spawnSync(
        process.execPath,
        ['--test', `--test-isolation=${isolation}`, `--test-reporter=${reporter}`, ...files],
        {
          cwd: root,
          env,
          encoding: 'utf8',
        },
      );
    try {
      assert.equal(run('a.test.ts').status, 0);
      const { status, stdout } = run('a.test.ts', 'b.test.ts');
      assert.equal(status, 1);
      assert.match(stdout, /b\.test\.ts: no test in it/);
      assert.doesNotMatch(stdout, /a\.test\.ts/);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
}

test('a suite that does not end when its tests have is ended, with what it started, and fails', async () => {
  const root = folderWith({
    'a.test.ts':
      "import test from 'node:test';\nimport { spawn } from 'node:child_process';\nspawn('sleep', ['600'], { stdio: 'inherit' });\ntest('good', () => {});\n",
  });
  try {
    const outcome = await runSuite({ name: 'a', tier: 'rings', lane: 'simulated', files: ['a.test.ts'] }, root, {
      testSecondsMax: 20,
      silenceMs: 2000,
    });
    assert.equal(outcome.ok, false);
    assert.match(outcome.output, /nothing was told for 2 s/);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('a run that is broken off ends once its suites have cleared away, and begins no other', () => {
  const runner = fileURLToPath(new URL('run-suite.ts', import.meta.url));
  const root = folderWith({
    'a.test.ts': `import { writeFileSync } from 'node:fs';
import test from 'node:test';
test('long', async () => {
  process.once('SIGINT', () => setTimeout(() => { writeFileSync('cleared', ''); process.exit(1); }, 300));
  process.on('SIGTERM', () => {});
  // Who reads what it tells may end first.
  process.stdout.on('error', () => {});
  setImmediate(() => writeFileSync('begun', ''));
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});
`,
    'b.test.ts': "import { writeFileSync } from 'node:fs';\nwriteFileSync('other', '');\n",
    'run.ts': `import { watch } from 'node:fs';
import { breakOff, runSuite } from ${JSON.stringify(runner)};
const of = (name) => ({ name, tier: 'rings', lane: 'simulated', files: [name + '.test.ts'] });
const run = (name) => runSuite(of(name), '.', { testSecondsMax: 60 });
// A file that comes may be told of twice, and a second signal ends who clears away.
const watcher = watch('.', (_, name) => {
  if (name !== 'begun') return;
  watcher.close();
  breakOff(20_000).then(() => process.exit(7));
});
run('a').then(() => run('b'));
`,
  });
  try {
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const { status, stderr } = spawnSync(process.execPath, ['run.ts'], { cwd: root, env, encoding: 'utf8' });
    assert.equal(status, 7, stderr);
    assert.deepEqual(
      ['begun', 'cleared', 'other'].map((name) => existsSync(join(root, name))),
      [true, true, false],
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});

describe('what a failed suite says in the end', () => {
  const said = async (text: string): Promise<string> => {
    const root = folderWith({ 'a.test.ts': text });
    try {
      const suite: Suite = { name: 'a', tier: 'rings', lane: 'simulated', files: ['a.test.ts'] };
      return failuresOf(await runSuite(suite, root, { testSecondsMax: 20 }), root).join('\n');
    } finally {
      rmSync(root, { recursive: true });
    }
  };
  const IMPORTS = "import { before, describe, test } from 'node:test';\nimport assert from 'node:assert';\n";

  test('each failed test with its file, its message and where; of those around it nothing', async () => {
    const text = `${IMPORTS}test('good', () => {});
test('outer', async (t) => { await t.test('inner', () => { throw new Error('broken', { cause: new Error('the root') }); }); });\n`;
    assert.equal(await said(text), '  ✗ inner (a.test.ts)\n      broken\n      the root\n      at a.test.ts:4:66');
  });

  test('a hook that broke', async () => {
    const text = `${IMPORTS}describe('group', () => { before(() => { throw new Error('no cluster'); }); test('in it', () => {}); });\n`;
    assert.match(await said(text), /✗ group \(a\.test\.ts\)\n {6}failed running before hook\n {6}no cluster\n/);
  });

  test('however much there is', async () => {
    const text = `${IMPORTS}for (let i = 0; i < 14; i++) test('t' + i, () => assert.fail(('x'.repeat(4000) + i + '\\n').repeat(90)));\n`;
    const lines = (await said(text)).split('\n');
    assert.equal(lines.filter((line) => line.includes('✗')).length, 10);
    assert.equal(lines.at(-1), '  and 4 more');
    assert.ok(lines.length <= 71 && lines.every((line) => line.length <= 241));
  });

  test('its last words where no test failed', async () => {
    assert.match(await said(`${IMPORTS}describe('a', () => {});\n`), /^ {6}no test was told$/m);
  });
});

describe('flakes', () => {
  const page =
    '# Flakes\n\n| suite | test | seen | state |\n| --- | --- | --- | --- |\n| a | b | 2026-01-01 | mended: x |\n';

  test('a new one is added open, once', () => {
    const more = withFlake(page, { suite: 's', test: 't | u', seen: '2026-02-02' });
    assert.deepEqual(openFlakes(more), [{ suite: 's', test: 't / u', seen: '2026-02-02', state: 'open' }]);
    assert.equal(withFlake(more, { suite: 's', test: 't / u', seen: '2026-03-03' }), more);
  });

  test('a mended one is not open', () => {
    assert.deepEqual(openFlakes(page), []);
  });
});

describe('times', () => {
  test('to loosen takes a new reason', () => {
    const before = { a: { seconds: 10 }, b: { seconds: 10, loosened: 'old reason' } };
    assert.deepEqual(
      loosenedWithoutReason(before, { a: { seconds: 9 }, b: { seconds: 10, loosened: 'old reason' } }),
      [],
    );
    assert.deepEqual(loosenedWithoutReason(before, { a: { seconds: 20, loosened: 'twice the stories' } }), []);
    assert.match(loosenedWithoutReason(before, { a: { seconds: 20 } })[0] ?? '', /10 to 20 s/);
    assert.equal(loosenedWithoutReason(before, { b: { seconds: 20, loosened: 'old reason' } }).length, 1);
    assert.deepEqual(loosenedWithoutReason(before, { c: { seconds: 99 } }), [], 'a new suite');
  });

  test('a run tightens, never loosens', () => {
    const now = tightened(
      { slow: { seconds: 100, loosened: 'r' }, same: { seconds: 2 }, gone: { seconds: 5 } },
      new Map([
        ['slow', 10],
        ['same', 60],
        ['fresh', 4],
      ]),
    );
    assert.deepEqual(now, {
      fresh: { seconds: keptSeconds(4) },
      same: { seconds: 2 },
      slow: { seconds: 15, loosened: 'r' },
    });
  });
});
