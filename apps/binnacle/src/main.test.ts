import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';

const home = makeTestFolder().path;
after(() => rmSync(home, { recursive: true, force: true }));
const data = join(home, 'data');

/** In a home of its own: nothing that a user has is touched. */
function run(args: readonly string[]) {
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, KUBECONFIG: join(home, 'config') };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    encoding: 'utf8',
    cwd: home,
    env,
  });
  return { status, stdout, stderr };
}

const ROWS: readonly [args: readonly string[], status: number, stderr: RegExp][] = [
  [[], 2, /^Usage: binnacle /],
  [['up', '--nope'], 2, /^binnacle: unknown option '--nope'\n.*see: binnacle up --help\n$/s],
  [['up', '--data-dir', '--detach'], 2, /its value is missing/],
  [['up', '--data-dir='], 2, /it is empty/],
  // Go's switches are written with their value as well.
  [
    ['apiserver', '--encryption-provider-config-automatic-reload=true', '--data-dir', data],
    2,
    /does nothing without --encryption-provider-config/,
  ],
  [['controller-manager', '--allocate-node-cidrs=perhaps'], 2, /expected true or false/],
  [['controller-manager', '--disable-force-detach-on-timeout=1'], 2, /expected true or false/],
  [['up', '--controllers=*,-jobs', '--data-dir', data], 2, /^binnacle: --controllers: "jobs" is not in the list/],
  [['controller-manager', '--kubeconfig=none', '--controllers', 'jobs'], 2, /--controllers: "jobs" is not in the list/],
  [['proxy', '--cleanup=no'], 2, /expected true or false/],
  [['up', '--kubeconfig', home, '--data-dir', data], 2, /cannot read .*: it is a folder, not a file\n$/],
  // A file that is wrong is told of before the store is opened, and before an engine is asked for anything.
  [
    ['up', '--runtime=docker', '--config', join(home, 'none'), '--data-dir', data],
    2,
    /^binnacle: cannot read the kubelet configuration /,
  ],
  [
    ['up', '--runtime=docker', '--image', join(home, 'none'), '--data-dir', data],
    2,
    /^binnacle: --image: cannot read /,
  ],
  [
    ['up', '--runtime=simulated', '--encryption-provider-config', home, '--data-dir', data],
    2,
    /^binnacle: --encryption-provider-config: cannot read /,
  ],
  [
    ['kubelet', '--runtime=docker', '--tls-cert-file', join(home, 'none'), '--data-dir', data],
    2,
    /^binnacle: --tls-cert-file and --tls-private-key-file belong together/,
  ],
  [['kubeconfig', '--server=there', '--user=me', '--data-dir', data], 2, /expected https:\/\/HOST:PORT/],
  [['scheduler', '--kubeconfig', join(home, 'none')], 2, /^binnacle: kubeconfig: cannot read /],
  [['image', 'ls', '--data-dir', data], 1, /^binnacle: no cluster runs here; start one with: binnacle up\n$/],
  [['down', '--data-dir', data], 0, /^binnacle: nothing ran here\n$/],
];

for (const [args, status, stderr] of ROWS) {
  test(`binnacle ${args.join(' ').replaceAll(home, '…')} ends with ${status}, and nothing is begun`, () => {
    const ended = run(args);
    assert.deepEqual([ended.status, ended.stdout], [status, ''], ended.stderr);
    assert.match(ended.stderr, stderr);
    // A folder may be taken before its files are read.
    assert.deepEqual(existsSync(data) ? readdirSync(data) : [], []);
  });
}

test('help that is asked for is no mistake', () => {
  const { status, stdout, stderr } = run(['image', 'build', '--help']);
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^Usage: binnacle image build /);
});
