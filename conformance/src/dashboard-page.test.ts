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
import fc from 'fast-check';
import { replicationController } from './manifests.ts';
import { openInDom } from './page-in-dom.ts';
import type { PageInDom } from './page-in-dom.ts';

const BUILD = fileURLToPath(new URL('../../tools/release/page.ts', import.meta.url));

const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const STRANGES = { group: 'fuzz.example', version: 'v1', resource: 'stranges' };
/** A kind whose objects may be of any shape. */
const STRANGE = {
  ...{
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'stranges.fuzz.example' },
  },
  spec: {
    ...{ group: 'fuzz.example', scope: 'Namespaced', names: { kind: 'Strange', plural: 'stranges' } },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const OBJECTS = Number(process.env['FUZZ_OBJECTS'] ?? 4);
const WORDS = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '<img src=x onerror="document.title=1">',
    '<script>document.title=1</script>',
    '\u001B[2J\u202E',
    '',
    '{}',
  ),
);
/** Fields that pages look at, and others. */
const FIELDS = fc.oneof(
  fc.constantFrom(
    'conditions',
    'containers',
    'replicas',
    'selector',
    'template',
    'suspend',
    'jobTemplate',
    'name',
    'secretRef',
  ),
  fc.constantFrom('constructor', 'toString', 'nodeName', 'phase', 'labels', 'matchLabels', 'type', 'status'),
  WORDS,
);
const { part: PART } = fc.letrec<{ part: unknown }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'medium', maxDepth: 4 },
    fc.oneof(WORDS, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('part'), { maxLength: 5 }),
    fc.dictionary(FIELDS, tie('part'), { maxKeys: 6 }),
  ),
}));
const PARTS = fc.record({
  metadata: fc.record({ annotations: fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), WORDS, { maxKeys: 4 }) }),
  spec: fc.dictionary(FIELDS, PART, { maxKeys: 8 }),
  status: fc.dictionary(FIELDS, PART, { maxKeys: 8 }),
});

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

  test('a kind that is defined meanwhile comes into the menu; objects of any shape and any words break no tab', async (t) => {
    const seed = Number(process.env['FUZZ_SEED'] ?? 36);
    t.diagnostic(`FUZZ_SEED=${seed}`);
    await wire.call({ verb: 'create', resource: DEFINITIONS, body: STRANGE });
    await page.click('nav button', /^Others$/);
    await page.find('nav a', /^Strange$/);
    for (const parts of fc.sample(PARTS, { seed, numRuns: OBJECTS })) {
      const made = (await wire.call({
        ...{ verb: 'create', resource: STRANGES, namespace: 'default' },
        body: {
          ...parts,
          apiVersion: 'fuzz.example/v1',
          kind: 'Strange',
          metadata: { ...parts.metadata, generateName: 's-' },
        },
      })) as { readonly metadata: { readonly name: string } };
      const { name } = made.metadata;
      // Among many only those are drawn that can be seen.
      page.goTo(`/r/fuzz.example/v1/stranges?q=${name}`);
      await page.find('[role=row] a', new RegExp(`^${name}$`));
      for (const tab of ['Summary', 'YAML', 'Related', 'History', 'Why']) {
        page.goTo(`/r/fuzz.example/v1/stranges/default/${name}/${tab.toLowerCase()}`);
        await page.find('h1', new RegExp(`^${name}$`));
        await page.find('[role=tab][aria-selected=true]', new RegExp(`^${tab}$`));
        await page.find('[role=tabpanel]:not([style*="none"]) > *');
        assert.ok(!page.text().includes('This cannot be shown'), `${tab} of ${JSON.stringify(made)}\n${page.text()}`);
        assert.equal(page.window.document.querySelectorAll('#root img, #root script, #root iframe').length, 0);
      }
    }
    assert.match(page.window.document.title, / · Binnacle$/);
  });

  test('what a node uses is drawn where somebody measures it', async () => {
    page.goTo('/r/core/v1/nodes/-/node-0');
    await page.find('h1', /^node-0$/);
    await page.find('section[aria-label^="Memory"] svg[role=img] path[d^="M"]');
    assert.match((await page.find('section[aria-label^="CPU"]')).textContent, /^CPU[\d.]+≤ [\d.]+$/);
  });

  test('the words are Korean when somebody wants them so, and who logs out is asked who he is', async () => {
    await page.click('button', /^한국어$/);
    await page.find('[role=tab]', /^이유$/);
    assert.equal(page.window.document.documentElement.lang, 'ko');
    await page.click('button', /^로그아웃$/);
    await page.find('button[type=submit]', /^로그인$/);
  });
});
