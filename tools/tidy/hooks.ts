/**
 * Tests beside the code run in one process (`--test-isolation=none`): a hook for each test that stands outside of all `describe`s
 * is one for each test of all files.
 */
import { tierOf } from '../tiers/suites.ts';
import type { Report } from './imports.ts';
import { lineOf } from './tree.ts';
import type { House, Node } from './tree.ts';

/** The name of the function that a statement calls; undefined: it calls none. */
function calledBy(statement: Node): string | undefined {
  if (statement.type !== 'ExpressionStatement') return undefined;
  const call = statement['expression'] as Node;
  const callee = call.type === 'CallExpression' ? (call['callee'] as Node) : undefined;
  return callee?.type === 'Identifier' ? String(callee['name']) : undefined;
}

/** Refuses hooks for each test at the root of files that share a process with others. */
export function checkHooks(house: House, report: Report): void {
  for (const file of house.files) {
    if (!file.path.endsWith('.test.ts') || tierOf(file.path) !== 'beside') continue;
    for (const statement of file.program['body'] as Node[]) {
      const name = calledBy(statement);
      if (name !== 'beforeEach' && name !== 'afterEach') continue;
      report(
        file.path,
        lineOf(file, statement.start),
        `${name} outside of describe is for the tests of all files: put both into one`,
      );
    }
  }
}
