import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { TestkitError } from './errors.ts';
import { makeFolder } from './folder.ts';
import { untilFile } from './until-file.ts';

const folder = makeFolder();
after(() => folder.remove());

const isDone = { what: 'the end', until: (text: string) => text.endsWith('end\n') };

test('a text that is there already is waited for by nobody', async () => {
  const path = join(folder.path, 'there');
  writeFileSync(path, 'the end\n');
  assert.equal(await untilFile(path, isDone), 'the end\n');
});

test('a file may come, grow, and be put in the place of another', async () => {
  const path = join(folder.path, 'grows');
  const grown = untilFile(path, isDone);
  writeFileSync(path, 'the ');
  appendFileSync(path, 'end\n');
  assert.equal(await grown, 'the end\n');
  const moved = untilFile(path, { what: 'another', until: (text) => text === 'another' });
  writeFileSync(`${path}.new`, 'another');
  renameSync(`${path}.new`, path);
  assert.equal(await moved, 'another');
});

test('what never comes fails with what was wanted and what the file has', async () => {
  const path = join(folder.path, 'never');
  writeFileSync(path, 'half');
  await assert.rejects(untilFile(path, { ...isDone, deadlineMs: 1 }), (error: Error) => {
    assert.ok(error instanceof TestkitError);
    assert.equal(error.message, `waited 1 ms for the end; ${path} has:\nhalf`);
    return true;
  });
});

test('what its reader throws, at once or later, is the end of the wait', async () => {
  const path = join(folder.path, 'read');
  const strict = (text: string): boolean => {
    assert.equal(text, '', 'nobody writes here');
    return false;
  };
  const waiting = untilFile(path, { what: 'nothing', until: strict });
  writeFileSync(path, 'x');
  await assert.rejects(waiting, /nobody writes here/);
  await assert.rejects(untilFile(path, { what: 'nothing', until: strict }), /nobody writes here/);
  mkdirSync(join(folder.path, 'no-file'));
  await assert.rejects(untilFile(join(folder.path, 'no-file'), isDone), { code: 'EISDIR' });
});
