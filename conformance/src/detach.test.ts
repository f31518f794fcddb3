/** `binnacle up --detach`: in the background, with the same flags, and one line for programs however the format is asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFolder, runBinnacle } from '@binnacle/testkit';

const SPELLINGS = [['--output=json'], ['--output', 'json'], ['-o', 'json'], ['-ojson']];

for (const spelling of SPELLINGS) {
  test(`a detached cluster tells where it is with ${spelling.join(' ')}`, async () => {
    const folder = makeFolder();
    const place = ['--data-dir', `${folder.path}/data`];
    const flags = ['--kubeconfig', `${folder.path}/kubeconfig`, '--listen', '127.0.0.1:0', '--runtime', 'simulated'];
    try {
      const output = await runBinnacle(['up', '--detach', ...place, ...flags, ...spelling]);
      const line = JSON.parse(output) as { server: string; pid: number };
      assert.match(line.server, /^https:\/\/127\.0\.0\.1:\d+$/);
      assert.ok(line.pid > 0);
    } finally {
      await runBinnacle(['down', ...place, '--delete'], { KUBECONFIG: `${folder.path}/kubeconfig` });
      folder.remove();
    }
  });
}

test('a folder called json asks for nothing', async () => {
  const folder = makeFolder();
  const place = ['--data-dir', `${folder.path}/json`];
  const flags = ['--kubeconfig', `${folder.path}/kubeconfig`, '--listen', '127.0.0.1:0', '--runtime', 'simulated'];
  try {
    const output = await runBinnacle(['up', '--detach', ...place, ...flags]);
    assert.equal(output, '', 'people are told on stderr');
  } finally {
    await runBinnacle(['down', ...place, '--delete'], { KUBECONFIG: `${folder.path}/kubeconfig` });
    folder.remove();
  }
});
