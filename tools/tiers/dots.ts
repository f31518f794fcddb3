/** A reporter for `node --test`: dots, as Node's own, and a failure for each file that tells no test. */
import { dot } from 'node:test/reporters';
import type { TestEvent } from 'node:test/reporters';
import { isFileWithoutTests } from './reporter.ts';

export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const empty: string[] = [];
  async function* noticed(): AsyncGenerator<TestEvent> {
    for await (const event of source) {
      if (isFileWithoutTests(event)) empty.push(event.data.name);
      yield event;
    }
  }
  yield* dot(noticed());
  for (const name of empty) yield `${name}: no test in it\n`;
  if (empty.length > 0) process.exitCode = 1;
}
