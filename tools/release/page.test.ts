import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundlePage, entryOf, readLessons, startingFiles } from './page.ts';

test('the page starts with its own entry and what that cannot run without, whatever is loaded later', () => {
  const needs = (name: string) => ({ path: `assets/${name}.js`, kind: 'import-statement' });
  const outputs = {
    'assets/a-tab.js': {
      entryPoint: 'apps/dashboard/src/a/a-tab.tsx',
      cssBundle: 'assets/a-tab.css',
      imports: [needs('chunk')],
    },
    'assets/main.js': {
      entryPoint: 'apps/dashboard/src/main.tsx',
      cssBundle: 'assets/main.css',
      imports: [needs('chunk'), { path: 'assets/a-tab.js', kind: 'dynamic-import' }],
    },
    'assets/reload.js': { entryPoint: 'apps/dashboard/src/reload.ts', imports: [] },
    'assets/chunk.js': { imports: [needs('deep')] },
    'assets/deep.js': { imports: [needs('chunk')] },
  };
  deepEqual(entryOf(outputs), {
    script: 'assets/main.js',
    style: 'assets/main.css',
    reload: 'assets/reload.js',
    parts: ['assets/chunk.js', 'assets/deep.js'],
  });
});

test('what reads YAML, follows logs, edits and draws terminals comes with its tabs, not with the page', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const { metafile } = await bundlePage(root, 'nowhere', { write: false });
  const names = ['js-yaml', '@tanstack/virtual-core', '@codemirror/view', '@xterm/xterm'];
  const packageOf = (path: string): string | undefined => names.find((name) => path.includes(`node_modules/${name}/`));
  const packages = (paths: Iterable<string>) => [...new Set([...paths].flatMap((path) => packageOf(path) ?? []))];
  equal(packages(Object.keys(metafile.inputs)).length, names.length);
  deepEqual(packages(startingFiles(metafile.inputs)), []);
});

test('all lessons are bundled, in the same order in each language', () => {
  const [english, korean] = ['', 'ko/'].map((folder) =>
    readLessons(fileURLToPath(new URL(`../../docs/lessons/${folder}`, import.meta.url))).map(([name]) => name),
  );
  equal(english?.length, 11);
  deepEqual(korean, english);
});
