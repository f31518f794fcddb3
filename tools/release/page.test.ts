import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { entryOf, readLessons } from './page.ts';

test('the page starts with its own entry, whatever is loaded later', () => {
  const outputs = {
    'assets/a-tab.js': { entryPoint: 'apps/dashboard/src/a/a-tab.tsx', cssBundle: 'assets/a-tab.css' },
    'assets/main.js': { entryPoint: 'apps/dashboard/src/main.tsx', cssBundle: 'assets/main.css' },
    'assets/reload.js': { entryPoint: 'apps/dashboard/src/reload.ts' },
    'assets/chunk.js': {},
  };
  deepEqual(entryOf(outputs), { script: 'assets/main.js', style: 'assets/main.css', reload: 'assets/reload.js' });
});

test('all lessons are bundled, in the same order in each language', () => {
  const [english, korean] = ['', 'ko/'].map((folder) =>
    readLessons(fileURLToPath(new URL(`../../docs/lessons/${folder}`, import.meta.url))).map(([name]) => name),
  );
  equal(english?.length, 11);
  deepEqual(korean, english);
});
