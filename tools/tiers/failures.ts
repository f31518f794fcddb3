/** What went wrong in a suite in a few lines: for the end of the print, of which many readers see only the last part. */
import { relative } from 'node:path';
import type { TestLine } from './reporter.ts';
import type { Outcome } from './run-suite.ts';

const TESTS_MAX = 10;
const LINES_MAX = 5;
const COLUMNS_MAX = 240;
/** What an outer test says of inner ones, which stand for themselves. */
const OF_INNER = /^Error \[ERR_TEST_FAILURE\]: \d+ subtests? failed/;
/** What the runner and the assertions put before their messages. */
const PREFIX = /^(\s*cause: )?((\w*Error)?( \[ERR_[A-Z_]+\])?: )?/;
const FRAME = /^\s+at /;

const cut = (line: string): string => (line.length > COLUMNS_MAX ? `${line.slice(0, COLUMNS_MAX)}…` : line);

/** Where it was thrown: the innermost line of a file that is not Node's own. What was thrown is the runner's error's cause. */
function placeOf(text: string, root: string): string[] {
  const path = /^\s+at (?!.*node:).*?(?:file:\/\/)?(\/[^\s()]+:\d+:\d+)/m.exec(
    text.slice(text.indexOf('\n  cause: ') + 1),
  )?.[1];
  return path === undefined ? [] : [`at ${relative(root, path)}`];
}

/** The first lines of a message, each once: a cause says mostly what its error says. */
function messageOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !FRAME.test(line));
  return [...new Set(lines.map((line) => line.replace(PREFIX, '').trimEnd()))].slice(0, LINES_MAX);
}

function lastLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-LINES_MAX);
}

function ofTest(test: TestLine, root: string): string[] {
  const text = test.text ?? 'no message';
  const file = test.file === undefined ? '' : ` (${relative(root, test.file)})`;
  return [`  ✗ ${test.name}${file}`, ...[...messageOf(text), ...placeOf(text, root)].map((line) => `      ${line}`)];
}

/** Whether a test is one to name: it failed, and not only because tests in it did. Suites fail by their hooks too. */
export const isNamed = (test: TestLine): boolean => !test.ok && !OF_INNER.test(test.text ?? '');

/**
 * The failed tests of a suite with the first lines of what each said, ten at the most; the last lines that the suite
 * wrote where no test of it failed. Every line is bounded.
 */
export function failuresOf({ tests, output }: Pick<Outcome, 'tests' | 'output'>, root: string): string[] {
  const failed = tests.filter(isNamed);
  const more = failed.length > TESTS_MAX ? [`  and ${failed.length - TESTS_MAX} more`] : [];
  const lines =
    failed.length === 0
      ? lastLines(output).map((line) => `      ${line}`)
      : [...failed.slice(0, TESTS_MAX).flatMap((test) => ofTest(test, root)), ...more];
  return lines.map(cut);
}
