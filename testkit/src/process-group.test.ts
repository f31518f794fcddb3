import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pidsByCommand } from './container.ts';
import { makeFolder } from './folder.ts';
import { ProcessGroup } from './process-group.ts';

const folder = makeFolder();
after(() => folder.remove());

const program = join(folder.path, 'part.mjs');
const said = join(folder.path, 'said');
/** Writes down that it ends; a stubborn one does not, and a broken one never came up. */
writeFileSync(
  program,
  `import { appendFileSync } from 'node:fs';
   const name = process.argv[2];
   if (name === 'broken') process.exit(1);
   setInterval(() => {}, 60_000);
   process.on('SIGTERM', () => {
     appendFileSync(${JSON.stringify(said)}, name + ' ');
     if (name !== 'stubborn') process.exit(0);
   });
   console.log('{}');`,
);

test('those that were started first end last', async () => {
  writeFileSync(said, '');
  const group = new ProcessGroup();
  for (const name of ['apiserver', 'scheduler', 'kubelet']) await group.start([name], { program });
  await group.stop();
  assert.equal(readFileSync(said, 'utf8'), 'kubelet scheduler apiserver ');
  await group.stop();
});

test('one that does not end keeps none of the others, and is told of', async () => {
  writeFileSync(said, '');
  const group = new ProcessGroup();
  await group.start(['apiserver'], { program });
  await group.start(['stubborn'], { program, stopMsMax: 10 });
  await group.start(['kubelet'], { program });
  await assert.rejects(group.stop(), /stubborn did not end in 10 ms/);
  assert.match(readFileSync(said, 'utf8'), /^kubelet (?:stubborn )?apiserver $/);
  assert.deepEqual(pidsByCommand(program), []);
});

test('one that does not come up is no part of it, and what is killed is gone', async () => {
  const group = new ProcessGroup();
  await group.start(['apiserver'], { program });
  await assert.rejects(group.start(['broken'], { program }), /binnacle broken ended with 1/);
  assert.equal(pidsByCommand(program).length, 1);
  await group.kill();
  assert.deepEqual(pidsByCommand(program), []);
});
