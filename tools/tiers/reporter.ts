/** A reporter for `node --test`: one line of JSON per finished test, for the program that runs the suites. */
import { resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** What a line says. `skip` is the reason, `true` where none is given. */
export interface TestLine {
  kind: 'test' | 'output';
  name: string;
  file?: string;
  nesting: number;
  ok: boolean;
  skip?: string | true;
  suite?: boolean;
  ms: number;
  text?: string;
}

function messageOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 4) return String(error);
  const cause = error.cause === undefined ? '' : `\n  cause: ${messageOf(error.cause, depth + 1)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/** Node lets a file that has no test pass, as a test of the file's own name. */
export function isFileWithoutTests(event: TestEvent): event is Extract<TestEvent, { type: 'test:pass' }> {
  if (event.type !== 'test:pass' || event.data.nesting > 0 || event.data.file === undefined) return false;
  return resolve(event.data.name) === event.data.file;
}

function lineOf(event: TestEvent): TestLine | undefined {
  if (event.type === 'test:stdout' || event.type === 'test:stderr') {
    return { kind: 'output', name: '', nesting: 0, ok: true, ms: 0, text: event.data.message };
  }
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return undefined;
  const { data } = event;
  const line: TestLine = {
    kind: 'test',
    name: data.name,
    nesting: data.nesting,
    ok: event.type === 'test:pass',
    ms: Math.round(data.details.duration_ms),
  };
  if (data.file !== undefined) line.file = data.file;
  if (data.skip !== undefined && data.skip !== false) line.skip = data.skip === '' ? true : data.skip;
  if (data.details.type === 'suite') line.suite = true;
  if (isFileWithoutTests(event)) return { ...line, ok: false, text: 'there is no test in it' };
  if (event.type === 'test:fail') line.text = messageOf(event.data.details.error);
  return line;
}

export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    const line = lineOf(event);
    if (line !== undefined) yield `${JSON.stringify(line)}\n`;
  }
}
