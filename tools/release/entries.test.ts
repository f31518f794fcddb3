import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { asFunction, ENTRIES, inAscii, WHOLE, withOneModuleName } from './entries.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Files of threads that the program starts, by the file that starts them. */
function threads(): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of globSync(['packages/*/src/**/*.ts', 'apps/binnacle/src/**/*.ts'], { cwd: root })) {
    if (/\.test\.ts$|\/testing\/|\/crash\//.test(file)) continue;
    const text = readFileSync(join(root, file), 'utf8');
    if (!text.includes('new Worker(')) continue;
    const [, name] = /new URL\('(\.\/[^']+\.ts)', import\.meta\.url\)/.exec(text) ?? [];
    found.set(file, name === undefined ? '' : relative(root, join(root, dirname(file), name)));
  }
  return found;
}

test('each thread that the program starts has its file in the package', () => {
  const found = threads();
  assert.ok(found.size >= 2);
  const inPackage: readonly string[] = Object.values(ENTRIES);
  for (const [starter, file] of found) assert.ok(inPackage.includes(file), `${starter} starts ${file}`);
});

test('each entry is there', () => {
  for (const file of [...Object.values(ENTRIES), WHOLE]) assert.ok(readFileSync(join(root, file), 'utf8').length > 0);
});

test('a text in ASCII means what it meant', () => {
  for (const [text, means] of [
    ["'a'", 'a'],
    ["'µs and 😀'", 'µs and 😀'],
    ['/^(us|µs|μs)$/.test("µs")', true],
    ['/^[😀-😂]$/u.test("😁")', true],
    ['((µ) => µ + 1)(1)', 2],
    ['`${1}…`', '1…'],
  ] as const) {
    const same = inAscii(text);
    assert.match(same, /^[\0-\x7f]*$/);
    assert.equal(runInNewContext(same), means, text);
  }
});

test('modules of one name are the modules that they were, of either sort', async () => {
  const files: Readonly<Record<string, string>> = {
    main: "import('late'); import('old').then(); module.exports = [import('late'), require('old')];",
    late: "export const said = '__esm({x(';",
    old: "exports.said = 'old';",
  };
  const { outputFiles } = await build({
    stdin: { contents: files['main'] ?? '' },
    bundle: true,
    write: false,
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    supported: { 'dynamic-import': false },
    plugins: [
      {
        name: 'files',
        setup(builder) {
          builder.onResolve({ filter: /^(late|old)$/ }, ({ path }) => ({ path, namespace: 'files' }));
          builder.onLoad({ filter: /./, namespace: 'files' }, ({ path }) => ({ contents: files[path] ?? '' }));
        },
      },
    ],
  });
  const [bundled] = outputFiles;
  const text = bundled?.text ?? '';
  assert.match(text, /__esm\(\{"files:late"\(/);
  assert.match(text, /__commonJS\(\{"files:old"\(/);
  const named = withOneModuleName(text);
  assert.doesNotMatch(named, /"files:/);
  const module: { exports: unknown } = { exports: {} };
  (runInNewContext(asFunction(named)) as (...scope: readonly unknown[]) => void)({}, undefined, module, 'file');
  const [late, old] = module.exports as [Promise<{ said: string }>, { said: string }];
  assert.deepEqual([(await late).said, old.said], ['__esm({x(', 'old']);
});

test('a program as a function is strict, has the scope of CommonJS, and may end in a comment', () => {
  const program =
    '/* a banner */ const a = 1; module.exports = [a, typeof exports, require, __filename, this]; // the end';
  const run = runInNewContext(asFunction(program)) as (...scope: readonly unknown[]) => void;
  const module: { exports: unknown } = { exports: {} };
  run({}, 'require', module, 'file');
  assert.equal(JSON.stringify(module.exports), JSON.stringify([1, 'object', 'require', 'file', undefined]));
});
