import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { patientWriter } from './outputs.ts';

const line = (words: string): string => `I1120 08:09:10.123000       7 kubelet] "${words}"\n`;

test('what a full disk does not take of a log is counted, and told of with the next line', () => {
  const written: string[] = [];
  let free = Infinity;
  const log = patientWriter((text) => {
    if (free === 0) throw new Error('ENOSPC: no space left');
    const part = text.slice(0, free);
    written.push(part);
    free -= part.length;
    return part.length;
  });
  log(line('a'));
  free = 5;
  log(line('torn'));
  log(line('lost'));
  free = Infinity;
  log(line('b'));
  log(line('c'));
  deepEqual(
    written.join(''),
    [
      line('a'),
      line('torn').slice(0, 5),
      '\nW1120 08:09:10.123000       7 kubelet] "lines of this log could not be written" lines=2 reason="ENOSPC: no space left"\n',
      line('b'),
      line('c'),
    ].join(''),
  );
});
