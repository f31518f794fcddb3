import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { entryOf } from './page.ts';

test('the page starts with its own entry, whatever is loaded later', () => {
  const outputs = {
    'assets/a-tab.js': { entryPoint: 'apps/dashboard/src/a/a-tab.tsx', cssBundle: 'assets/a-tab.css' },
    'assets/main.js': { entryPoint: 'apps/dashboard/src/main.tsx', cssBundle: 'assets/main.css' },
    'assets/chunk.js': {},
  };
  deepEqual(entryOf(outputs), { script: 'assets/main.js', style: 'assets/main.css' });
});
