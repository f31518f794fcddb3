/** The dashboard's page on a real cluster, in a DOM without a browser: login, a list that lives, why. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import { serveDashboard } from '@binnacle/dashboard/node';
import type { ServedDashboard } from '@binnacle/dashboard/node';
import type { Wire } from '@binnacle/machinery';
import { makeFolder, startBinnacle } from '@binnacle/testkit';
import type { BinnacleProcess } from '@binnacle/testkit';
import { replicationController } from './manifests.ts';
import { openInDom } from './page-in-dom.ts';
import type { PageInDom } from './page-in-dom.ts';

const BUILD = fileURLToPath(new URL('../../tools/release/page.ts', import.meta.url));

const scope = new Scope('dashboard');
const folder = makeFolder();
const files = join(folder.path, 'page');
let up: BinnacleProcess;
let wire: Wire;
let dashboard: ServedDashboard;
let page: PageInDom;

before(async () => {
  execFileSync(process.execPath, [BUILD, files]);
  const kubeconfig = join(folder.path, 'kubeconfig');
  up = await startBinnacle([
    ...['up', '--runtime', 'simulated', '--nodes', '2', '--store', 'memory', '--output', 'json', '--dashboard', 'off'],
    ...['--listen', '127.0.0.1:0', '--data-dir', join(folder.path, 'data'), '--kubeconfig', kubeconfig],
  ]);
  const access = (await loadKubeconfig(kubeconfig)).wire;
  wire = createHttpWire(access);
  dashboard = await serveDashboard({
    ...{ host: '127.0.0.1', port: 0, files, scope, log: silentLogger, clock: realClock, random: secureRandom },
    open: (login) => {
      const { cert: _cert, key: _key, ...server } = access;
      return Promise.resolve(createHttpWire({ ...server, token: login.kind === 'token' ? login.token : '' }));
    },
  });
});

after(async () => {
  await page?.close();
  await scope.close();
  await wire?.close();
  await up?.stop();
  folder.remove();
});

async function adminToken(): Promise<string> {
  const call = {
    verb: 'create',
    namespace: 'default',
    resource: { group: '', version: 'v1', resource: 'serviceaccounts' },
  } as const;
  await wire.call({ ...call, body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'looker' } } });
  await wire.call({
    verb: 'create',
    resource: { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings' },
    body: {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'looker' } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'looker', namespace: 'default' }],
    },
  });
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const review = (await wire.call({ ...call, name: 'looker', subresource: 'token', body })) as {
    readonly status: { readonly token: string };
  };
  return review.status.token;
}

describe('the page in a DOM', () => {
  test('who has no token that the server knows is not let in', async () => {
    page = await openInDom(files, dashboard.url);
    await page.fill('input[type=password]', 'wrong');
    await page.click('button[type=submit]');
    await page.find('[role=alert]', /./);
    assert.match(page.text(), /Log in/);
  });

  test('who has one sees the cluster', async () => {
    await page.fill('input[type=password]', await adminToken());
    await page.click('button[type=submit]');
    await page.find('h1', /^Overview$/);
    await page.find('*', /2 \/ 2/);
  });

  test('a pod comes into the list as it is made, and tells why it runs: eleven steps in their order', async () => {
    await page.click('nav a', /^Pod$/);
    await page.find('h1', /^Pod$/);
    await wire.call({
      ...{ verb: 'create', namespace: 'default' },
      resource: { group: '', version: 'v1', resource: 'replicationcontrollers' },
      body: { apiVersion: 'v1', kind: 'ReplicationController', ...replicationController('frontend', 1) },
    });
    await page.find('[role=row]', /frontend-.*Running/);
    await page.click('[role=row] a', /^frontend-/);
    await page.click('[role=tab]', /^Why$/);
    await page.find('svg tspan[data-step="11"]');
    const steps = [...page.window.document.querySelectorAll('svg tspan[data-step]')].map(
      ({ textContent }) => textContent,
    );
    assert.deepEqual(
      steps,
      Array.from({ length: 11 }, (_, at) => `${at + 1}. `),
    );
  });

  test('what is chosen in the picture tells what it changed', async () => {
    await page.click('svg [role=button]', / 5\. /);
    await page.find('*', /\+ kind: Pod/);
  });

  test('the words are Korean when somebody wants them so, and who logs out is asked who he is', async () => {
    await page.click('button', /^한국어$/);
    await page.find('[role=tab]', /^이유$/);
    assert.equal(page.window.document.documentElement.lang, 'ko');
    await page.click('button', /^로그아웃$/);
    await page.find('button[type=submit]', /^로그인$/);
  });
});
